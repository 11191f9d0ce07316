#!/usr/bin/env python3
"""How much of the cause tree does a person read before the line that was broken?

    bench/cause_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

The faults of subjects/debian (with --only also our own), each asked by `faultline causes`.
For each: on which level the changed line stands, how many different lines are to be read up to it ("Lines to read first",
all of them), how many lines the tree and the relevant slice have, which share of the run's instances is in the causes that
were opened until then, in the tree as it is shown at first, and in the whole of it, and the time. Then medians by set.
"""
import math
import statistics
import sys

import ranking
import slice_faults

def place_of(line):
    file, _, number = line.rpartition(":")
    return file, int(number)


class Bench(slice_faults.Bench):
    def answers(self, fault, recording, fault_lines):
        status, answer, seconds = self.ask("causes", recording, "--most", "2000", "--budget", "30")
        _, relevant, _ = self.ask("slice", recording, "--relevant")
        nodes = answer.get("nodes", [])
        lines = {slice_faults.place_text(s) for n in nodes for s in n["statements"]}
        levels = [n["level"] for n in nodes if slice_faults.is_among(fault_lines, n["statements"])]
        read = ranking.rank(ranking.tree_order(answer), [place_of(line) for line in fault_lines])
        return {"fault": fault, "line": ", ".join(fault_lines), "status": status, "found": (int(read), levels[0]) if read else None,
                "opened": answer["order"][int(read) - 1]["instances"] if read else None,
                "shown": any(slice_faults.is_among(fault_lines, n["statements"]) for n in nodes if not n["left_open"]),
                "nodes": len(nodes), "lines": len(lines), "relevant": len(relevant.get("statements", [])),
                "stats": answer.get("stats", {}), "seconds": seconds,
                "open": any("not complete" in c for c in answer.get("caveats", []))}


def shown_share(row):
    return row["stats"].get("instances_shown", 0) / max(1, row["stats"].get("run", 1))


def by_set(rows):
    """Medians of the lines read; what is in no tree counts as more than anything."""
    texts = []
    for name in ("tune", "held-out"):
        of = [r for r in rows if r["fault"].set == name]
        if of:
            middle = ranking.middle([r["found"][0] if r["found"] else None for r in of])
            texts.append(f"{middle if middle is not None else '-'} ({name}, {len(of)} faults)")
    return ", ".join(texts)


def report(rows):
    table = [["fault", "kind", "changed line", "level", "lines read", "nodes", "lines in the tree",
              "in the relevant slice", "opened", "shown at first", "whole tree", "tree, seconds"]]
    for r in rows:
        stats, found = r["stats"], r["found"]
        run = max(1, stats.get("run", 1))
        share, opened = stats.get("instances", 0) / run, (r["opened"] or 0) / run
        shown = f"{shown_share(r):.1%}" + ("" if r["shown"] or not found else " without it")
        table.append([r["fault"].id, slice_faults.kind(r["fault"]), r["line"],
                      str(found[1]) if found else "-", str(found[0]) if found else "not in it",
                      f"{r['nodes']}{' (open)' if r['open'] else ''}", str(r["lines"]), str(r["relevant"]),
                      f"{opened:.1%}" if found else "-", shown, f"{share:.1%}", f"{stats.get('seconds_tree', 0):.2f}"])
    found = sorted(r["found"][0] for r in rows if r["found"])
    opened = sorted(r["opened"] / max(1, r["stats"].get("run", 1)) for r in rows if r["found"])
    mean = math.exp(sum(map(math.log, found)) / len(found)) if found else 0
    return slice_faults.table_text(table) + (
        f"\n\nIn the tree: {len(found)} of {len(rows)}. Lines read before the fault: median "
        f"{found[len(found) // 2] if found else '-'}, geometric mean {mean:.0f}; at most 8 for "
        f"{sum(f <= 8 for f in found)}, at most 50 for {sum(f <= 50 for f in found)}. "
        f"Median by set: {by_set(rows)}. "
        f"Share of the run in the causes opened until then: median {opened[len(opened) // 2]:.1%}. "
        f"In the tree as it is shown at first: {sum(r['shown'] for r in rows)}; its share of the run: median "
        f"{statistics.median(map(shown_share, rows)):.1%}, mean {statistics.mean(map(shown_share, rows)):.1%}.\n" if found else "\n")


def say(row):
    return row["found"] or "not in the tree"


def main():
    rows = slice_faults.measure_all(__doc__, Bench, report, say)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
