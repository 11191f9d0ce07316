#!/usr/bin/env python3
"""Ten first screens of `faultline explain`, as a person sees them who has never seen the program.

    bench/gallery.py [--work DIR] [--bin DIR] [--sources DIR] [--only FAULT,...] [--to docs/gallery]

Takes ten seeded faults of the manifests under subjects/, asks with the default budget, and writes for each what was broken and
the screen, as it was printed. They were chosen to be of ten kinds and eight programs before any screen was seen; what does
not tell what is wrong stays in.
"""
import argparse
import pathlib
import subprocess
import sys

import manifests
from subject_build import Builder
from subject_runs import Case

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHOSEN = ("bc/borrow", "bc/root", "lua5.4/sub", "grep/byte offset", "sed/number of matches", "coreutils/cut range",
          "coreutils/uniq count", "coreutils/tsort rotation", "gzip/copy distance", "tinyxml2/unlink")


def screen(case, faultline):
    recording = case.record(faultline, "gallery")
    done = subprocess.run([faultline, "explain", "-q", "--color", "never", recording], cwd=case.folder / "run", env=case.env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=400)
    return (done.stdout + done.stderr).replace(str(case.folder), "").rstrip()


def command(case):
    words = [pathlib.Path(case.program).name, *case.fault.test.arguments]
    text = " ".join(w if w.replace("-", "").replace(".", "").isalnum() else "'" + w.replace("\n", "\\n") + "'" for w in words)
    return text + (f" <<< {case.fault.test.stdin.strip()!r}" if case.fault.test.stdin else "")


def page(case, faultline):
    fault = case.fault
    places = ", ".join(f"{file}:{line}" for file, line in case.places)
    outcome = {"output": "prints something else than it should", "crash": "crashes", "status": "ends with a wrong status",
               "hang": "does not end"}[case.failure]
    return (f"# {fault.id}\n\nBroken: {fault.about} ({places}; {fault.kind}). `{command(case)}` {outcome}.\n\n"
            f"```text\n{screen(case, faultline)}\n```\n")


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
        path.write_text(page(case, builder.bin / "faultline"))
        print(path, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
