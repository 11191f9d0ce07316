#!/usr/bin/env python3
"""How much of the cause tree does a person read before the line that was broken?

    bench/cause_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

The faults of bench/slice_faults.py (one changed line in bc, grep, lua5.4 or sqlite3), each asked by `faultline causes`.
For each: on which level the changed line stands, how many different lines are shown up to it in the order of the tree
(of a node below the first, four lines are shown before the rest folds; folded ones count as read last), how many lines
the tree and the relevant slice have, which share of the run's instances is in the tree, and the time.
"""
import argparse
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
    lines = ["| " + " | ".join(t) + " |" for t in table]
    lines.insert(1, "| " + " | ".join("---" for _ in table[0]) + " |")
    found = sorted(r["found"][0] for r in rows if r["found"])
    mean = math.exp(sum(map(math.log, found)) / len(found)) if found else 0
    return "\n".join(lines) + (
        f"\n\nIn the tree: {len(found)} of {len(rows)}. Lines read before the fault: median "
        f"{found[len(found) // 2] if found else '-'}, geometric mean {mean:.0f}; at most 8 for "
        f"{sum(f <= 8 for f in found)}, at most 50 for {sum(f <= 50 for f in found)}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(slice_faults.ROOT / "build/slice-faults"))
    parser.add_argument("--bin", type=pathlib.Path, default=slice_faults.ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where the sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="faults or packages, separated by commas")
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    only = [o for o in options.only.split(",") if o]
    bench, rows = Bench(options), []
    for fault in slice_faults.faults():
        if only and fault.name not in only and fault.package not in only:
            continue
        rows.append(bench.measure(fault))
        print(f"{fault.package}: {fault.name}: {rows[-1]['found'] or 'not in the tree'}", file=sys.stderr)
    answer = report(rows)
    print(answer)
    if options.write:
        mark, end = "<!-- bench/cause_faults.py -->", "<!-- end of bench/cause_faults.py -->"
        before, _, rest = options.write.read_text().partition(mark)
        _, _, behind = rest.partition(end)
        options.write.write_text(f"{before}{mark}\n\n{answer}\n{end}{behind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
