"""Runs of subjects: what the right program prints, how the faulty one fails, and its recording."""
import hashlib
import pathlib
import shutil
import subprocess

import coverage


class FaultError(Exception):
    """The fault is not what its manifest says: it does not build, does not fail, or its line is not executed."""


class Outcome:
    def __init__(self, status, output, hung=False):
        self.status, self.output, self.hung = status, output, hung

    def kind(self, right):
        """How it fails beside the right one; empty if it does not."""
        if self.hung:
            return "hang"
        if self.status < 0:
            return "crash"
        if self.output != right.output:
            return "output"
        return "status" if self.status != right.status else ""


def place_files(test, folder):
    """An own directory for the run, with its files and its standard input (beside it)."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in test.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    stdin = folder.with_name(folder.name + ".stdin")
    stdin.write_text(test.stdin)
    return stdin


def run(program, test, folder, env, timeout, profile=None):
    stdin = place_files(test, folder)
    if profile:
        env = dict(env, LLVM_PROFILE_FILE=f"{profile}%c")
    with open(stdin, "rb") as source:
        try:
            done = subprocess.run([program, *test.arguments], cwd=folder, env=env, stdin=source, timeout=timeout,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired as late:
            return Outcome(0, late.stdout or b"", hung=True)
    return Outcome(done.returncode, done.stdout)


class Case:
    """A fault, built, and its failing run checked: the right program passes, the faulty one fails, its line is executed."""

    def __init__(self, builder, fault):
        self.fault, self.subject, self.env = fault, fault.subject, builder.env
        self.right_program, folder = builder.right(fault)
        self.places = fault.places(folder)
        self.program = builder.faulty(fault)
        self.covered = builder.faulty(fault, builder.coverage)
        self.folder = builder.work / "runs" / fault.subject.name / fault.name.replace(" ", "-")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.right = self.run(self.right_program, fault.test, "right")
        self.failure = self.run(self.program, fault.test, "run").kind(self.right)
        if not self.failure:
            raise FaultError(f"{fault.id} does not fail")
        self.expected = self.folder / "expected"
        self.expected.write_bytes(self.right.output)
        self.stdin = self.folder / "run.stdin"

    def run(self, program, test, name, profile=None):
        return run(program, test, self.folder / name, self.env, self.subject.timeout, profile)

    def lines(self, test, name):
        """The outcome of a test with the faulty program, and the lines that it executed."""
        profile = self.folder / f"{name}.profraw"
        profile.unlink(missing_ok=True)
        outcome = self.run(self.covered, test, name, profile)
        if not profile.exists():
            raise FaultError(f"{self.fault.id}: {name} left no counters")
        return outcome, coverage.executed(self.covered, profile)

    def criterion(self):
        """What tells the tool that the run failed: only what a person would have. A crash needs no words."""
        words = []
        if self.failure == "output":
            words += ["--expect", self.expected]
        if self.failure == "hang":
            words += ["--timeout", str(self.subject.timeout)]
        if self.right.status != 0 or self.failure == "status":
            words += ["--expect-status", str(self.right.status)]
        return words

    def record(self, faultline, key):
        """The recording of the failing run by this version of the tool."""
        path = self.folder / f"{key}.flr"
        stamp = path.with_suffix(".of")
        made_of = hashlib.sha256(self.program.read_bytes() + repr((self.fault.test.__dict__, self.criterion())).encode()).hexdigest()
        if not path.exists() or not stamp.exists() or stamp.read_text() != made_of:
            for old in self.folder.glob("*.flr*"):
                shutil.rmtree(old) if old.is_dir() else old.unlink()
            # The variant that experiments need is built once for all questions, and on no question's time.
            warm = self.folder / "warm.flr"
            self.record_to(faultline, warm, "--alterable")
            warm.unlink(missing_ok=True)
            complaint = self.record_to(faultline, path)
            if not path.exists():
                raise FaultError(f"{self.fault.id} cannot be recorded: {complaint}")
            stamp.write_text(made_of)
        return path

    def record_to(self, faultline, path, *words):
        place_files(self.fault.test, self.folder / "run")
        done = subprocess.run([faultline, "record", "-q", "-o", path, *words, *self.criterion(), "--stdin", self.stdin, "--",
                               self.program, *self.fault.test.arguments], cwd=self.folder / "run", env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=900)
        return done.stderr.decode(errors="replace")[-300:]
