#!/usr/bin/env python3
"""Which decisions make the failing runs of real programs pass?

    bench/critical_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

The faults of subjects/debian, each asked by `faultline critical`
with the right output to compare with. For each: whether the changed line is among the answers, the first answer, how many
experiments it took, how many a second, and how they were made. A fault that no single decision repairs has no answer.
"""
import sys

import slice_faults


class Bench(slice_faults.Bench):
    def answers(self, fault, recording, lines):
        status, answer, seconds = self.ask("critical", recording, "--most", "5", "--budget", "240")
        stats = answer.get("stats", {})
        places = [slice_faults.place_text(p) for p in answer.get("predicates", [])]
        unconfirmed = sum(not p["verified"] for p in answer.get("predicates", []))
        return {"fault": fault, "line": ", ".join(lines), "found": bool(set(lines) & set(places)), "places": places, "seconds": seconds, "stats": stats,
                "unconfirmed": unconfirmed, "caveats": answer.get("caveats", [])}


def report(rows):
    table = [["fault", "kind", "changed line", "found", "answers", "experiments", "a second", "way", "seconds in all"]]
    for r in rows:
        stats = r["stats"]
        rate = stats.get("experiments", 0) / max(stats.get("search_seconds", 0), 1e-9)
        places = ", ".join(dict.fromkeys(r["places"])) or "none"
        table.append([r["fault"].id, slice_faults.kind(r["fault"]), r["line"],
                      "yes" if r["found"] else "no", places, f"{stats.get('experiments', 0):,}",
                      f"{rate:,.0f}", stats.get("method", ""), f"{r['seconds']:.1f}"])
    found = sum(r["found"] for r in rows)
    some = sum(bool(r["places"]) for r in rows)
    return slice_faults.table_text(table) + f"\n\nSome decision repairs {some} of {len(rows)}; the changed line is one for {found}.\n"


def say(row):
    return f"{', '.join(row['places']) or 'none'} {'; '.join(row['caveats'])}"


def main():
    rows = slice_faults.measure_all(__doc__, Bench, report, say)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
