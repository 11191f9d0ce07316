"""How each technique is asked for a fault, and what ranking of lines its answer is.

A technique is a function of an `Asker` that returns groups of lines, the most suspicious first (bench/ranking.py).
"""
import json
import os
import re
import subprocess
import threading
import time

import ranking
from subject_runs import FaultError


class Answer:
    """`cpu`: processor seconds, of which a starved tool has few for its seconds on the clock; None if not measured."""

    def __init__(self, groups, seconds, document=None, note="", cpu=None):
        self.groups, self.seconds, self.document, self.note, self.cpu = groups, seconds, document, note, cpu


def explain_parts(faultline):
    """The techniques that `explain` has: what its --without takes, so that a new one is measured without a word here."""
    text = subprocess.run([faultline, "explain", "--help"], capture_output=True, text=True, check=True).stdout
    match = re.search(r"--without\s+\w+:\{([^}]*)\}", " ".join(text.split()))
    return [w.strip() for w in match[1].split(",")] if match else []


class Asker:
    """Asks the tool about one case, within a budget."""

    def __init__(self, case, faultline, key, budget, jobs):
        self.case, self.faultline, self.key, self.budget, self.jobs = case, faultline, key, budget, jobs

    def ask(self, command, *words, run=None):
        """The document, or nothing if there was no answer; what it cost; and a note."""
        call = [self.faultline, command, "-q", "--json", "--budget", str(self.budget), "-j", str(self.jobs), *words]
        call += run or [self.case.record(self.faultline, self.key)]
        out, errors = self.case.folder / "answer.out", self.case.folder / "answer.err"
        # The variant that experiments need is built outside of the budget.
        cost = timed([str(c) for c in call], self.case.folder / "run", self.case.env, out, errors, 3 * self.budget + 60)
        try:
            return json.loads(out.read_text()), cost, ""
        except (json.JSONDecodeError, UnicodeDecodeError):
            return None, cost, errors.read_text(errors="replace").strip()[-200:] or "no answer"


def timed(call, folder, env, out, errors, limit):
    """Runs it, for `limit` seconds at most; the seconds on the clock and those of the processor."""
    began = time.perf_counter()
    with open(out, "wb") as output, open(errors, "wb") as complaints:
        child = subprocess.Popen(call, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=complaints)
        alarm = threading.Timer(limit, child.kill)
        alarm.start()
        _, status, used = os.wait4(child.pid, 0)
        alarm.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
    return {"seconds": time.perf_counter() - began, "cpu": used.ru_utime + used.ru_stime}


def line(place):
    return place["file"], place["line"]


def explain(asker):
    document, cost, note = asker.ask("explain", "--suspects", "1000")
    return Answer([[line(s["place"])] for s in (document or {}).get("suspects", [])], document=document, note=note, **cost)


def causes(asker):
    document, cost, note = asker.ask("causes", "--most", "2000", "--no-experiments")
    return Answer(ranking.tree_order(document or {}), note=note, **cost)


def invariants(asker):
    """From the failure backwards."""
    document, cost, note = asker.ask("invariants")
    return Answer([[line(s)] for s in reversed((document or {}).get("steps", []))], note=note, **cost)


def critical(asker):
    document, cost, note = asker.ask("critical", "--most", "20")
    return Answer([[line(p)] for p in (document or {}).get("predicates", [])], note=note, **cost)


def slice_of(*words):
    def asked(asker):
        document, cost, note = asker.ask("slice", *words)
        if not document or "start" not in document:
            return Answer([], note=note or "no slice", **cost)
        return Answer(ranking.by_distance(document["statements"], document["start"]), note=note, **cost)
    return asked


def chop(asker):
    """The smallest input's chop, then the constants beside it; distances are not followed through the other parts."""
    case = asker.case
    words = ["--argv"] + (["--reference", case.right_program] if case.failure in ("output", "status") else [])
    if case.failure == "hang":
        words += ["--timeout", str(case.subject.timeout)]
    for name in case.fault.test.files:
        words += ["--file", name]
    document, cost, note = asker.ask("chop", *words, "--stdin", case.stdin,
                                        run=["--", case.program, *case.fault.test.arguments])
    if not document:
        return Answer([], note=note, **cost)
    start = document["failure"]["criterion"]["place"]
    groups = [ranking.by_distance(document[part], start) for part in ("statements", "constants")]
    return Answer(groups[0] + groups[1], note=note, **cost)


def ochiai(asker):
    """The peer: coverage of every test that the subject has, the failing runs of its other faults among them."""
    case, began = asker.case, time.perf_counter()
    subject, failing, passing = case.subject, [], []
    tests = [case.fault.test, *subject.tests, *(f.test for f in subject.faults if f is not case.fault)]
    tests = [t for t in tests if t.program == case.fault.program]
    for number, test in enumerate(tests):
        right = case.run(case.right_program, test, "suite.right")
        outcome, lines = case.lines(test, f"suite{number}")
        (failing if outcome.kind(right) else passing).append(lines)
    if not failing:
        raise FaultError(f"{case.fault.id} does not fail when built for coverage")
    if not passing:
        return Answer([], 0.0, note="no passing test")
    return Answer(ranking.ochiai(failing, passing), time.perf_counter() - began)


class Ablation:
    """The answer of `explain` less some of its evidence: the same experiments, and no luck with the clock."""

    def __init__(self, left_out):
        self.left_out = left_out

    def of(self, answer):
        return Answer(ranking.fused_without(answer["document"] or {}, self.left_out), 0.0, cpu=0.0)


def table(faultline):
    """Every ranking that is measured, by name: fused, without each part, each part alone, the single techniques, the peer."""
    parts = explain_parts(faultline)
    found = {"explain": explain}
    for part in parts:
        found[f"explain without {part}"] = Ablation([part])
    if len(parts) > 2:
        for part in parts:
            found[f"explain only {part}"] = Ablation([q for q in parts if q != part])
    found.update({"causes": causes, "invariants": invariants, "critical": critical, "backward slice": slice_of(),
                  "relevant slice": slice_of("--relevant"), "chop": chop, "ochiai": ochiai})
    return found
