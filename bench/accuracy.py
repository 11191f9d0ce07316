#!/usr/bin/env python3
"""How many lines does a person read before the fault, by `faultline explain` and by each technique alone?

    bench/accuracy.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--set tune|held-out] [--techniques NAME,...]
                      [--budget SECONDS] [--jobs N] [--again SHARE] [--print] [--json FILE] [--write docs/accuracy.md]

For every seeded fault of the manifests under subjects/ (docs/subjects.md): builds it, checks that it fails and that the
faulty line is executed, records the failing run, asks, and looks for the line in the answer. What was answered is kept in
the work directory: a run that was stopped goes on where it was, and only what a new build of the tool may answer otherwise
is asked again. Budgets are seconds on the clock, so a busy machine makes answers worse: the tables say which share of a
processor the tool had, and --again 0.6 asks again where it was less. --print has the rank of each fault; --json keeps every
answer of explain. Status 1 if a fault is not what its manifest says.
"""
import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import subprocess
import sys

import accuracy_report
import manifests
import ranking
import techniques
from subject_build import BuildError, Builder
from subject_runs import Case, FaultError

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Bench:
    def __init__(self, options):
        self.options = options
        self.faultline = options.bin.resolve() / "faultline"
        self.builder = Builder(options.work, options.bin, options.sources, options.rebuild)
        self.tool = hashlib.sha256(self.faultline.read_bytes()).hexdigest()[:16]
        self.techniques = self.chosen()

    def chosen(self):
        table = techniques.table(self.faultline)
        wanted = self.options.techniques.split(",") if self.options.techniques else list(table)
        unknown = set(wanted) - set(table)
        if unknown:
            sys.exit(f"no technique {', '.join(sorted(unknown))}; there are: {', '.join(table)}")
        if any(isinstance(table[name], techniques.Ablation) for name in wanted) and "explain" not in wanted:
            wanted.insert(0, "explain")
        return {name: table[name] for name in wanted}

    def measure(self, fault):
        """The row of a fault: its places, how it fails, and by technique rank, score, seconds."""
        case = Case(self.builder, fault)
        row = {"fault": fault.id, "kind": fault.kind, "set": fault.set, "failure": case.failure,
               "origin": "a package" if fault.subject.package else "our own",
               "places": [f"{f}:{n}" for f, n in case.places], "by": {}}
        _, lines = case.lines(fault.test, "executed")
        if not any(ranking.is_fault(line, case.places) for line in lines):
            raise FaultError(f"{fault.id}: none of {', '.join(row['places'])} is executed")
        row["executed"] = len(lines)
        given = {}
        for name, technique in self.techniques.items():
            given[name] = (as_json(technique.of(given["explain"])) if isinstance(technique, techniques.Ablation)
                           else self.answer(case, name, technique))
            row["by"][name] = position_of(given[name], case, row["executed"])
        return row

    def answer(self, case, name, technique):
        # What concerns only coverage does not change with the tool.
        version = "" if technique is techniques.ochiai else self.tool + str(self.options.budget)
        built = hashlib.sha256(case.program.read_bytes()).hexdigest()
        key = hashlib.sha256(f"{version} {name} {built}".encode()).hexdigest()[:20]
        kept = case.folder / "answers" / f"{key}.json"
        answer = json.loads(kept.read_text()) if kept.exists() else None
        of_tool = technique is not techniques.ochiai
        if not answer or (of_tool and (share_of_core(answer) or 0) < self.options.again):
            asker = techniques.Asker(case, self.faultline, self.tool, self.options.budget, 1 if self.options.jobs > 1 else 2)
            answer = as_json(technique(asker))
            kept.parent.mkdir(exist_ok=True)
            kept.write_text(json.dumps(answer))
        return answer


def as_json(answer):
    return {"groups": answer.groups, "seconds": answer.seconds, "cpu": answer.cpu, "note": answer.note, "document": answer.document}


def position_of(answer, case, executed):
    groups = [[tuple(line) for line in group] for group in answer["groups"]]
    position = ranking.rank(groups, case.places)
    return {"share": share_of_core(answer), "rank": position, "score": ranking.score(position, executed), "seconds": answer["seconds"],
            "lines": len({line for group in groups for line in group}), "note": answer["note"], "document": answer["document"]}


def share_of_core(answer):
    """How much of a processor the tool had; None if that is not known. What takes no time worth speaking of had enough."""
    if answer["seconds"] < 1:
        return 1.0
    if answer.get("cpu") is None:
        return None
    return min(1.0, answer["cpu"] / answer["seconds"])


def chosen_faults(options):
    only = [o for o in options.only.split(",") if o]
    for subject in manifests.load_all(options.manifest):
        for fault in subject.faults:
            if only and not {fault.id, fault.name, subject.name} & set(only):
                continue
            if not options.set or fault.set == options.set:
                yield fault


def measure_all(bench, faults):
    rows, wrong = [], []
    with concurrent.futures.ThreadPoolExecutor(bench.options.jobs) as pool:
        waiting = {pool.submit(bench.measure, fault): fault for fault in faults}
        for number, done in enumerate(concurrent.futures.as_completed(waiting)):
            fault = waiting[done]
            try:
                rows.append(done.result())
                words = ", ".join(f"{n} {accuracy_report.position(a['rank'])}" for n, a in rows[-1]["by"].items())
            except (FaultError, BuildError, manifests.ManifestError, subprocess.CalledProcessError) as error:
                wrong.append(fault.id)
                words = f"WRONG: {error}"
            print(f"{number + 1}/{len(waiting)} {fault.id}: {words}", file=sys.stderr, flush=True)
    order = [f.id for f in faults]
    return sorted(rows, key=lambda r: order.index(r["fault"])), wrong


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", nargs="*", type=pathlib.Path, help="manifests (default: those under subjects/)")
    parser.add_argument("--work", default=str(ROOT / "build/accuracy"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where Debian's sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="subjects or faults (NAME or SUBJECT/NAME), separated by commas")
    parser.add_argument("--set", choices=manifests.SETS)
    parser.add_argument("--techniques", default="", help="separated by commas (default: all)")
    parser.add_argument("--budget", type=float, default=20, help="seconds that the tool has for an answer")
    parser.add_argument("--jobs", type=int, default=1, help="faults at a time")
    parser.add_argument("--again", type=float, default=0, metavar="SHARE",
                        help="ask again what was answered with less than this share of a processor, e.g. 0.6")
    parser.add_argument("--rebuild", action="store_true", help="build again what is built already")
    parser.add_argument("--print", action="store_true", help="the rank of every fault")
    parser.add_argument("--json", type=pathlib.Path, help="keep rows and documents there")
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there; beside it, a plot")
    return parser.parse_args()


def main():
    options = parse()
    faults = list(chosen_faults(options))
    if not faults:
        sys.exit("no such fault")
    bench = Bench(options)
    rows, wrong = measure_all(bench, faults)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    print(accuracy_report.summary(rows))
    if options.print:
        print(accuracy_report.ranks(rows))
    if options.write:
        accuracy_report.write(options.write, rows)
    for fault in wrong:
        print(f"not measured: {fault}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
