#!/usr/bin/env python3
"""Is the line that was broken in the slices of the failure it causes?

    bench/slice_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

Builds the programs that subjects/debian has manifests of from Debian's sources with faultline-cc, once as they are and once
for each fault, records the failing run and asks for its slices and origin. A fault counts as found if its line is among the
statements of the answer. Status 1 if a faulty line that was executed is in no relevant slice, or a fault does not make the
run fail. Sources are fetched by `apt-get source` unless --sources has them unpacked.
"""
import argparse
import json
import pathlib
import sys
import time

import manifests
from programs import run
from subject_build import Builder
from subject_runs import place_files

ROOT = pathlib.Path(__file__).resolve().parent.parent


def faults(named=()):
    """Those in Debian's packages; of our own subjects, those that are named."""
    return [f for s in manifests.load_all() for f in s.faults if s.package or {s.name, f.id} & set(named)]


class Bench:
    def __init__(self, options):
        self.options = options
        self.builder = Builder(options.work, options.bin, options.sources)
        self.work, self.env = self.builder.work, self.builder.env

    def build(self, fault):
        """The right program, the faulty one, and the fault's lines (FILE:LINE)."""
        right, folder = self.builder.right(fault)
        lines = [f"{pathlib.Path(file).name}:{line}" for file, line in fault.places(folder)]
        return right, self.builder.faulty(fault), lines

    def faultline(self, command, *words):
        done = run([self.options.bin.resolve() / "faultline", command, *words], cwd=self.work / "run", env=self.env, check=False)
        return done.returncode, done.stdout

    def ask(self, command, recording, *words):
        began = time.perf_counter()
        status, answer = self.faultline(command, "-q", "--json", *words, recording)
        seconds = time.perf_counter() - began
        try:
            return status, json.loads(answer), seconds
        except json.JSONDecodeError:
            sys.exit(f"{command} {' '.join(words)} {recording}: status {status}, no answer")

    def measure(self, fault):
        right, faulty, lines = self.build(fault)
        test, expected = fault.test, self.work / "expected"
        stdin = place_files(test, self.work / "run")
        right_run = run([right, *test.arguments], cwd=self.work / "run", stdin=stdin, env=self.env, check=False)
        expected.write_bytes(right_run.stdout)
        recording = faulty.with_name(faulty.name + ".flr")
        late = [] if fault.subject.package else ["--timeout", str(fault.subject.timeout)]  # some of ours do not end
        self.faultline("record", "-q", "-o", recording, "--expect", expected, "--expect-status",
                       str(right_run.returncode), *late, "--stdin", stdin, "--", faulty,
                       *test.arguments)
        return self.answers(fault, recording, lines)

    def answers(self, fault, recording, lines):
        row = {"fault": fault, "line": ", ".join(lines)}
        row["executed"] = any(self.faultline("slice", "-q", "--at", line, "--steps", "1", recording)[0] == 0 for line in lines)
        for key, command, words in (("thin", "slice", ["--data"]), ("backward", "slice", []),
                                    ("relevant", "slice", ["--relevant"]), ("origin", "origin", [])):
            status, answer, seconds = self.ask(command, recording, *words)
            entries = answer.get("statements", answer.get("steps", []))
            row[key] = {"status": status, "size": len(entries), "there": is_among(lines, entries),
                        "seconds": seconds}
            row["traced"] = answer.get("stats", {}).get("traced", row.get("traced", 0))
            row["failure"] = (answer.get("failure") or {}).get("message", "the run did not fail")
        return row


def is_among(lines, places):
    return not set(lines).isdisjoint(map(place_text, places))


def place_text(place):
    return f"{pathlib.Path(place['file']).name}:{place['line']}"


def report(rows):
    table = [["fault", "kind", "changed line", "instructions", "values", "backward", "relevant", "origin", "seconds"]]
    for r in rows:
        found = [f"{r[k]['size']:,} {'yes' if r[k]['there'] else 'no'}" for k in ("thin", "backward", "relevant", "origin")]
        times = " / ".join(f"{r[k]['seconds']:.1f}" for k in ("thin", "backward", "relevant", "origin"))
        line = r["line"] if r["executed"] else r["line"] + " (not executed)"
        table.append([f"{r['fault'].subject.name}: {r['fault'].name}", kind(r["fault"]), line, f"{r['traced']:,}", *found, times])
    return table_text(table) + "\n\n" + summary(rows)


def kind(fault):
    return fault.kind + (" (omission)" if fault.omission else "")


def summary(rows):
    executed = [r for r in rows if r["executed"]]
    plain = [r for r in executed if not r["fault"].omission]
    def count(of, key):
        return f"{sum(r[key]['there'] for r in of)} of {len(of)}"
    return (f"Executed: {len(executed)} of {len(rows)}. In the relevant slice: {count(executed, 'relevant')}. "
            f"In the backward slice: {count(plain, 'backward')} that are no omission, "
            f"{count([r for r in executed if r not in plain], 'backward')} omissions. "
            f"In the slice of values alone: {count(executed, 'thin')}; in the origin: {count(executed, 'origin')}.\n")


def table_text(table):
    """Rows of words, the first of them the heads, as Markdown."""
    lines = ["| " + " | ".join(t) + " |" for t in table]
    lines.insert(1, "| " + " | ".join("---" for _ in table[0]) + " |")
    return "\n".join(lines)


def measure_all(doc, bench_class, report, say):
    """The command line that all scripts over these faults have: measures each, prints the report, and returns the rows."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/slice-faults"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where the sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="faults or packages, separated by commas")
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    only = [o for o in options.only.split(",") if o]
    bench, rows = bench_class(options), []
    for fault in faults(only):
        if only and not {fault.id, fault.name, fault.subject.name} & set(only):
            continue
        rows.append(bench.measure(fault))
        print(f"{fault.id}: {say(rows[-1])}", file=sys.stderr, flush=True)
    answer = report(rows)
    print(answer)
    if options.write:
        name = pathlib.Path(sys.argv[0]).name
        mark, end = f"<!-- bench/{name} -->", f"<!-- end of bench/{name} -->"
        before, _, rest = options.write.read_text().partition(mark)
        _, _, behind = rest.partition(end)
        options.write.write_text(f"{before}{mark}\n\n{answer}\n{end}{behind}")
    return rows


def is_missed(row):
    answered = all(row[k]["status"] == 0 for k in ("thin", "backward", "relevant"))
    return not answered or not (row["relevant"]["there"] or not row["executed"])


def main():
    rows = measure_all(__doc__, Bench, report, lambda row: row["failure"] + ("  MISSED" if is_missed(row) else ""))
    return 1 if any(map(is_missed, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
