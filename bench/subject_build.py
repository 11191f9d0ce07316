"""Builds subjects and their faulty versions into a work directory that later runs use again.

    WORK/trees/SUBJECT.prepared/    a Debian package, configured
    WORK/trees/SUBJECT.FLAVOUR/     ... and built as it is
    WORK/right/SUBJECT/             the right program
    WORK/faults/SUBJECT/FAULT/      the faulty one, its changed sources beside it, the run's directory
    ... .coverage                   the same, built for llvm-cov

A build is kept until the sources, the change or the commands are others. A new faultline-cc does not make it old (most
changes of the tool do not concern it): rebuild with --rebuild.
"""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess

import programs
from manifests import ManifestError, read

PROFILE = "-fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation=true"
PLAIN = "-g -O0 -w"


class BuildError(Exception):
    pass


class Flavour:
    """What compiles: ours for everything that is asked, clang with counters for coverage."""

    def __init__(self, name, cc, cxx):
        self.name, self.cc, self.cxx = name, cc, cxx


def shell(command, cwd, env):
    # Counters of programs that the build itself runs are of no interest.
    done = subprocess.run(["bash", "-e", "-c", command], cwd=cwd, env=dict(env, LLVM_PROFILE_FILE="/dev/null"),
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=3600)
    if done.returncode != 0:
        raise BuildError(f"{command.strip().splitlines()[0]} ... in {cwd}: {done.stderr.decode(errors='replace')[-600:]}")


class Builder:
    def __init__(self, work, bin_folder, sources=None, rebuild=False):
        self.work, self.rebuild = pathlib.Path(work).resolve(), rebuild
        self.sources = pathlib.Path(sources).resolve() if sources else self.work / "sources"
        self.bin = pathlib.Path(bin_folder).resolve()
        self.ours = Flavour("faultline", str(self.bin / "faultline-cc"), str(self.bin / "faultline-c++"))
        self.coverage = Flavour("coverage", f"clang-19 {PROFILE}", f"clang++-19 {PROFILE}")
        self.fresh = set()  # built in this process: --rebuild builds once
        for folder in (self.work, self.sources):
            folder.mkdir(parents=True, exist_ok=True)
        self.env = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=str(self.work / "cache"),
                        XDG_DATA_HOME=str(self.work / "data"))

    def environment(self, flavour):
        return dict(self.env, CC=flavour.cc, CXX=flavour.cxx)

    def right(self, fault):
        """The right program's path, and the folder of its sources."""
        subject, flavour = fault.subject, self.ours
        if subject.package:
            tree = self.tree(subject, flavour)
            return tree / fault.program, tree
        folder = self.work / "right" / subject.name
        self.build_sources(subject, flavour, folder, {})
        return folder / subject.program, subject.folder

    def faulty(self, fault, flavour=None):
        flavour = flavour or self.ours
        suffix = "" if flavour is self.ours else f".{flavour.name}"
        folder = self.work / "faults" / fault.subject.name / (fault.name.replace(" ", "-") + suffix)
        if fault.subject.package:
            self.build_package_fault(fault, flavour, folder)
        else:
            self.build_sources(fault.subject, flavour, folder, fault.faulty_texts(fault.subject.folder))
        return folder / fault.program

    # ---- programs whose sources stand beside the manifest

    def build_sources(self, subject, flavour, folder, changed):
        names = subject.build["sources"] + subject.build.get("headers", [])
        texts = {n: changed.get(n) or read(subject.folder / n) for n in names}
        compiler = flavour.cxx if subject.language == "c++" else flavour.cc
        command = f"{compiler} {PLAIN} {' '.join(subject.build['sources'])} -o {subject.program} {' '.join(subject.build.get('flags', []))}"
        with self.lock(folder):
            if not self.is_old(folder, subject.program, [texts, command]):
                return
            for name, text in texts.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_text(text)
            shell(command, folder, self.environment(flavour))
            self.built(folder, [texts, command])

    # ---- Debian packages

    def tree(self, subject, flavour):
        """The package, built as it is."""
        tree = self.work / "trees" / f"{subject.name}.{flavour.name}"
        build = subject.build
        with self.lock(tree):
            if self.is_old(tree, subject.program, build):
                prepared = self.prepared(subject)
                shutil.rmtree(tree, ignore_errors=True)
                shutil.copytree(prepared, tree, symlinks=True)
                shell(build["make"], tree, self.environment(flavour))
                self.built(tree, build)
        return tree

    def prepared(self, subject):
        """The package's source, made ready by an ordinary compiler: what configure finds out does not depend on ours."""
        tree = self.work / "trees" / f"{subject.name}.prepared"
        content = [subject.package, subject.build.get("prepare", "")]
        with self.lock(tree):
            if self.is_old(tree, ".built", content):
                shutil.rmtree(tree, ignore_errors=True)
                shutil.copytree(programs.source(self.sources, subject.package), tree, symlinks=True)
                touch_generated(tree)
                shell(subject.build.get("prepare", "true"), tree, self.environment(Flavour("plain", "clang-19", "clang++-19")))
                self.built(tree, content)
        return tree

    def build_package_fault(self, fault, flavour, folder):
        tree = self.tree(fault.subject, flavour)
        try:
            texts = fault.faulty_texts(tree)
        except ManifestError as error:
            raise BuildError(f"{fault.id}: {error}") from error
        content = [texts, fault.subject.build]
        with self.lock(folder):
            if not self.is_old(folder, fault.program, content):
                return
            # A copy of the whole: the objects need not be compiled again, and the source that reports quote is the faulty one.
            shutil.rmtree(folder, ignore_errors=True)
            with self.lock(tree):
                shutil.copytree(tree, folder, symlinks=True)
            for name, text in texts.items():
                (folder / name).write_text(text, errors="surrogateescape")
            shell(fault.subject.build["make"], folder, self.environment(flavour))
            self.built(folder, content)

    # ---- what is built already

    def lock(self, folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        return Lock(folder.with_name(folder.name + ".lock"))

    def is_old(self, folder, program, content):
        if self.rebuild and folder not in self.fresh:
            return True
        try:
            stamp = (folder / ".built").read_text()
        except OSError:
            return True
        return stamp != digest(content) or not (folder / program).exists()

    def built(self, folder, content):
        (folder / ".built").write_text(digest(content))
        self.fresh.add(folder)


class Lock:
    """Held by one process or thread at a time."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.file = open(self.path, "w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()


def digest(content):
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode(errors="surrogateescape")).hexdigest()


def touch_generated(tree):
    """Debian's patches are younger than what was generated from the files they change."""
    for name in ("aclocal.m4", "config.h.in", "config.hin", "configure"):
        if (tree / name).exists():
            os.utime(tree / name)
    for path in tree.rglob("Makefile.in"):
        os.utime(path)
