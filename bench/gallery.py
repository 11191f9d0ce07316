#!/usr/bin/env python3
"""Ten first screens of `faultline explain`, as a person sees them who has never seen the program.

    bench/gallery.py [--work DIR] [--bin DIR] [--sources DIR] [--only FAULT,...] [--to docs/gallery]

Takes ten seeded faults of the manifests under subjects/, asks with the default budget, and writes for each what was broken and
the screen, as it was printed. They were chosen over programs and kinds before their screens were seen; what does not tell
what is wrong stays in.
"""
import argparse
import contextlib
import pathlib
import subprocess
import sys

import manifests
from subject_build import Builder, shell
from subject_runs import Case

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHOSEN = ("bc/borrow", "bc/root", "lua5.4/sub", "grep/byte offset", "sed/number of matches", "coreutils/cut range",
          "coreutils/uniq count", "coreutils/comm step", "gzip/copy distance", "tinyxml2/unlink")


@contextlib.contextmanager
def seeded(builder, case):
    """Where the sources are and the faulty program was built, so that the screen names files as it would for a user."""
    subject = case.subject
    if not subject.package:
        yield case.program.parent
        return
    tree = builder.tree(subject, builder.ours)
    with builder.lock(tree):
        faulty = case.fault.faulty_texts(tree)
        right = {name: manifests.read(tree / name) for name in faulty}
        try:
            change(builder, subject, tree, faulty)
            case.program = tree / case.fault.program
            yield tree
        finally:
            change(builder, subject, tree, right)


def change(builder, subject, tree, texts):
    for name, text in texts.items():
        (tree / name).write_text(text, errors="surrogateescape")
    shell(subject.build["make"], tree, builder.environment(builder.ours))


def screen(builder, case):
    faultline = builder.bin / "faultline"
    with seeded(builder, case) as folder:
        recording = case.record(faultline, "gallery")
        done = subprocess.run([faultline, "explain", "-q", "--color", "never", recording], cwd=folder, env=case.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    return (done.stdout + done.stderr).rstrip()


def command(case):
    words = [pathlib.Path(case.program).name, *case.fault.test.arguments]
    text = " ".join(w if w.replace("-", "").replace(".", "").isalnum() else "'" + w.replace("\n", "\\n") + "'" for w in words)
    return text + (f" <<< {case.fault.test.stdin.strip()!r}" if case.fault.test.stdin else "")


def page(builder, case):
    fault = case.fault
    places = ", ".join(f"{file}:{line}" for file, line in case.places)
    outcome = {"output": "prints something else than it should", "crash": "crashes", "status": "ends with a wrong status",
               "hang": "does not end"}[case.failure]
    return (f"# {fault.id}\n\nBroken: {fault.about} ({places}; {fault.kind}). `{command(case)}` {outcome}.\n\n"
            f"```text\n{screen(builder, case)}\n```\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/accuracy"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where Debian's sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="SUBJECT/FAULT, separated by commas, instead of the ten")
    parser.add_argument("--to", type=pathlib.Path, default=ROOT / "docs/gallery")
    options = parser.parse_args()
    wanted = [o for o in options.only.split(",") if o] or CHOSEN
    faults = {f.id: f for s in manifests.load_all() for f in s.faults}
    missing = [w for w in wanted if w not in faults]
    if missing:
        sys.exit(f"no such fault: {', '.join(missing)}")
    builder = Builder(options.work, options.bin, options.sources)
    options.to.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        case = Case(builder, faults[name])
        path = options.to / (name.replace("/", "-").replace(" ", "-") + ".md")
        path.write_text(page(builder, case))
        print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
