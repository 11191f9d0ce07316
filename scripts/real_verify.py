#!/usr/bin/env python3
"""Replays the recordings in a directory (or a sample of them) and prints one line, separated by tabs:
exact/replayed[,inexact:N][,longer:N]  instructions  bytes of log.  For scripts/real_programs.sh."""
import argparse
import json
import pathlib
import subprocess


def ask(tool, *words):
    done = subprocess.run([tool, *words], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"exact": False, "problems": [f"status {done.returncode}: {done.stderr.strip()}"], "stats": {}}


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--faultline", required=True)
    options.add_argument("--sample", type=int, default=0, help="how many to replay, spread evenly; 0: all")
    options.add_argument("--epochs", type=int, default=0, help="leave out longer runs; 0: none")
    options.add_argument("--details", help="a file for one line per recording that is not exact, or slow to make")
    options.add_argument("directory", type=pathlib.Path)
    o = options.parse_args()

    files = sorted(o.directory.glob("*.flr"), key=lambda f: f.stat().st_mtime)
    if o.sample and len(files) > o.sample:
        files = [files[k * len(files) // o.sample] for k in range(o.sample)]
    exact = longer = instructions = log = 0
    details = []
    for f in files:
        about = ask(o.faultline, "info", "--json", str(f))
        if o.epochs and about["stats"].get("epochs", 0) > o.epochs:
            longer += 1
            continue
        log += about["stats"].get("rawBytes", 0)
        answer = ask(o.faultline, "verify", "--json", str(f))
        instructions += answer["stats"].get("instructions", 0)
        exact += answer["exact"]
        if not answer["exact"]:
            details.append(f"{f}\t{' '.join(about.get('argv', []))[:200]}\t{answer['problems'][:1]}")
    if o.details:
        pathlib.Path(o.details).write_text("".join(d + "\n" for d in details))
    replayed = len(files) - longer
    result = f"{exact}/{replayed}"
    if exact < replayed:
        result += f",inexact:{replayed - exact}"
    if longer:
        result += f",longer:{longer}"
    print(result, instructions, log, sep="\t")


main()
