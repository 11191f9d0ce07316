#!/usr/bin/env python3
"""How much of the cause tree does a person read before the line that was broken?

    bench/cause_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

The faults of bench/slice_faults.py (one changed line in bc, grep, lua5.4 or sqlite3), each asked by `faultline causes`.
For each: on which level the changed line stands, how many different lines are shown up to it in the order of the tree
(of a node below the first, four lines are shown before the rest folds; folded ones count as read last), how many lines
the tree and the relevant slice have, which share of the run's instances is in the tree, and the time.
"""
import math
import pathlib
import sys

import slice_faults

SHOWN = 4  # lines of a node that report/causes_text.cpp shows before it folds; of the first node, 24
FIRST = 24


def inspected(nodes, wanted):
    """Lines read up to the wanted one, and the level of the node that has it; nothing if none has."""
    seen, folded = set(), []
    for node in nodes:
        most = FIRST if node["level"] == 0 else SHOWN
        for number, place in enumerate(node["statements"]):
            line = (pathlib.Path(place["file"]).name, place["line"])
            if number >= most:
                folded.append((line, node["level"]))
                continue
            seen.add(line)
            if line == wanted:
                return len(seen), node["level"]
    for line, level in folded:
        seen.add(line)
        if line == wanted:
            return len(seen), level
    return None


class Bench(slice_faults.Bench):
    def answers(self, fault, recording, line):
        name = pathlib.Path(fault.file).name
        status, answer, seconds = self.ask("causes", recording, "--most", "2000", "--budget", "30")
        _, relevant, _ = self.ask("slice", recording, "--relevant")
        nodes = answer.get("nodes", [])
        lines = {(pathlib.Path(s["file"]).name, s["line"]) for n in nodes for s in n["statements"]}
        return {"fault": fault, "line": f"{name}:{line}", "status": status, "found": inspected(nodes, (name, line)),
                "nodes": len(nodes), "lines": len(lines), "relevant": len(relevant.get("statements", [])),
                "stats": answer.get("stats", {}), "seconds": seconds,
                "open": any("not complete" in c for c in answer.get("caveats", []))}


def report(rows):
    table = [["fault", "kind", "changed line", "level", "lines read", "nodes", "lines in the tree",
              "in the relevant slice", "share of the run", "tree, seconds"]]
    for r in rows:
        stats, found = r["stats"], r["found"]
        share = stats.get("instances", 0) / max(1, stats.get("run", 1))
        table.append([f"{r['fault'].package}: {r['fault'].name}", r["fault"].kind, r["line"],
                      str(found[1]) if found else "-", str(found[0]) if found else "not in it",
                      f"{r['nodes']}{' (open)' if r['open'] else ''}", str(r["lines"]), str(r["relevant"]),
                      f"{share:.1%}", f"{stats.get('seconds_tree', 0):.2f}"])
    found = sorted(r["found"][0] for r in rows if r["found"])
    mean = math.exp(sum(map(math.log, found)) / len(found)) if found else 0
    return slice_faults.table_text(table) + (
        f"\n\nIn the tree: {len(found)} of {len(rows)}. Lines read before the fault: median "
        f"{found[len(found) // 2] if found else '-'}, geometric mean {mean:.0f}; at most 8 for "
        f"{sum(f <= 8 for f in found)}, at most 50 for {sum(f <= 50 for f in found)}.\n")


def say(row):
    return row["found"] or "not in the tree"


def main():
    rows = slice_faults.measure_all(__doc__, Bench, report, say)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
