#!/usr/bin/env python3
"""Is the line that was broken in the chop of the failure it causes, or among the constants beside it?

    bench/chop_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

Takes the seeded faults of subjects/debian and asks `faultline chop` for each: the input (standard input, arguments)
is made smaller with the program as it was as the reference, the run recorded again, and the slices meet. Beside whether
the changed line is there stand the sizes: statements (lines) of the backward slice of that run, of the chop, the
constants, and what decided that something was not done (`potential`). Status 1 if a chop has no answer.
"""
import json
import sys
import time

import slice_faults
from programs import run
from subject_runs import place_files


class Bench(slice_faults.Bench):
    def measure(self, fault):
        right, faulty, lines = self.build(fault)
        stdin = place_files(fault.test, self.work / "run")
        words = ["chop", "-q", "--json", "--argv", "--budget", "120", "--stdin", stdin]
        failed = run([faulty, *fault.test.arguments], cwd=self.work / "run", stdin=stdin, env=self.env, check=False)
        if failed.returncode >= 0:
            words += ["--reference", right]
        began = time.perf_counter()
        done = run([self.options.bin.resolve() / "faultline", *words, "--", faulty, *fault.test.arguments], cwd=self.work / "run",
                   env=self.env, check=False)
        row = {"fault": fault, "line": ", ".join(lines), "seconds": time.perf_counter() - began}
        try:
            answer = json.loads(done.stdout)
        except json.JSONDecodeError:
            row["error"] = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            return row

        def there(entries):
            return slice_faults.is_among(lines, entries)

        row.update(sizes=answer["sizes"], chop=there(answer["statements"]), constants=there(answer["constants"]),
                   potential=there(answer["potential"]),
                   before=answer["input"]["before"], after=answer["input"]["after"], command=answer["command"],
                   caveats=answer["caveats"])
        return row


def place_in(row):
    names = {"chop": "chop", "constants": "constants", "potential": "not done"}
    return next((name for key, name in names.items() if row[key]), "NONE")


def report(rows):
    table = [["fault", "kind", "changed line", "input", "backward", "chop", "constants", "not done", "the line is in", "seconds"]]
    for r in rows:
        fault = r["fault"]
        start = [fault.id, slice_faults.kind(fault), r["line"]]
        if "error" in r:
            table.append([*start, "", "", "", "", "", "no answer", f"{r['seconds']:.1f}"])
            continue
        where = place_in(r).lower()
        sizes = r["sizes"]
        table.append([*start, f"{r['before']} → {r['after']} B", f"{sizes['backward']:,}", f"{sizes['chop']:,}",
                      f"{sizes['constants']:,}", f"{sizes['potential']:,}", where, f"{r['seconds']:.1f}"])
    return slice_faults.table_text(table) + "\n\n" + summary(rows)


def summary(rows):
    answered = [r for r in rows if "error" not in r]
    plain = [r for r in answered if not r["fault"].omission]
    omitted = [r for r in answered if r not in plain]
    def found(of, *keys):
        return f"{sum(any(r[k] for k in keys) for r in of)} of {len(of)}"
    share = sorted(r["sizes"]["chop"] / max(1, r["sizes"]["backward"]) for r in answered)
    middle = f"{share[len(share) // 2]:.2f}" if share else "?"
    two, three = ("chop", "constants"), ("chop", "constants", "potential")
    return (f"In the chop or the constants: {found(plain, *two)} that are no omission, {found(omitted, *two)} omissions; with what "
            f"was not done, {found(plain, *three)} and {found(omitted, *three)}. Chop ÷ backward slice, median: {middle}.\n")


def say(row):
    return f"{row.get('error') or row['command'] + ' ' + str(row['sizes']) + ' ' + place_in(row)} {row['seconds']:.1f} s"


def main():
    rows = slice_faults.measure_all(__doc__, Bench, report, say)
    return 1 if any("error" in r for r in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
