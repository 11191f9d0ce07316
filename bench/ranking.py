"""Where is the fault in a ranking, and how much had to be read? The arithmetic of bench/accuracy.py, and nothing else.

A ranking is a list of groups; a group is the lines that come next and are equally suspicious (most techniques have one
line a group). A line is (path, number). What is counted are different lines, in the order in which they are first shown.
"""
import math
import statistics


def same_file(shown, wanted):
    """Whether a path of an answer is the file of a manifest: equal from the end on."""
    a, b = [[p for p in str(x).split("/") if p not in ("", ".")] for x in (shown, wanted)]
    short = min(len(a), len(b))
    return short > 0 and a[-short:] == b[-short:]


def is_fault(line, places):
    return any(line[1] == number and same_file(line[0], file) for file, number in places)


def rank(groups, places):
    """How many lines are read up to the first of the fault's; None if it is not there.

    In a group that has k of n lines of the fault, in no order, a person meets the first after (n + 1) / (k + 1) lines.
    """
    seen = set()
    for group in groups:
        new = [line for line in dict.fromkeys(group) if line not in seen]
        wanted = sum(is_fault(line, places) for line in new)
        if wanted:
            return len(seen) + (len(new) + 1) / (wanted + 1)
        seen.update(new)
    return None


def score(position, executed):
    """The share of the executed lines that need not be examined; nothing is saved if the fault is not in the ranking."""
    if position is None or executed <= 0:
        return 0.0
    return max(0.0, 1 - position / executed)


def within(positions, most):
    """How many of the faults are found among the first `most` lines."""
    return sum(p is not None and p <= most for p in positions)


def middle(positions):
    """The median of lines read, where what was not found counts as more than anything; None if that is the median."""
    numbers = [math.inf if p is None else p for p in positions]
    value = statistics.median_high(numbers) if numbers else math.inf
    return None if math.isinf(value) else value


def ochiai(failing, passing):
    """Groups by suspiciousness. `failing` and `passing` are sets of executed lines, one for each test."""
    scores = {}
    for line in set().union(*failing):
        met = sum(line in lines for lines in failing)
        passed = sum(line in lines for lines in passing)
        scores.setdefault(round(met / math.sqrt(len(failing) * (met + passed)), 12), []).append(line)
    return [sorted(scores[value]) for value in sorted(scores, reverse=True)]


def by_distance(statements, start):
    """The lines of a slice, the fewest dependences from the failure first; among equals, the last executed first."""
    def line(place):
        return place["file"], place["line"]

    def moment(statement):
        text = statement.get("instance", "").rpartition("@")[2].rstrip(")")
        return int(text) if text.isdigit() else 0

    users = {}
    for statement in statements:
        users.setdefault(line(statement.get("used_at") or start), []).append(statement)
    distance, front = {line(start): 0}, [line(start)]
    while front:
        following = [s for user in front for s in users.get(user, []) if line(s) not in distance]
        for statement in following:
            distance.setdefault(line(statement), distance[line(statement.get("used_at") or start)] + 1)
        front = list(dict.fromkeys(line(s) for s in following))
    far = len(statements) + 1
    ordered = sorted(statements, key=lambda s: (distance.get(line(s), far), -moment(s)))
    return [[line(s)] for s in ordered if not s.get("library")]


# By which names the evidence of a technique goes that `explain` asks; what made a decision needs both.
EVIDENCE = {"memory": ("memory", "memory-object", "memory-decision", "memory-call", "memory-address", "memory-size"), "critical": ("critical", "feeds", "under"),
            "causes": ("causes", "feeds", "stack", "guard", "complaint", "ignored", "origin"), "slice": ("slice", "text")}


def fused_without(document, left_out):
    """The suspects of `explain` in the order that they would have without the evidence of some techniques."""
    gone = {name for part in left_out for name in EVIDENCE.get(part, (part,))}
    scored = []
    for suspect in document.get("suspects", []):
        weights = {e["technique"]: e["weight"] for e in suspect["evidence"]}
        kept = sum(weight for name, weight in weights.items() if name not in gone)
        if kept:
            # The line that failed has a share of its weights.
            scored.append((-kept * suspect["score"] / sum(weights.values()), suspect["rank"], suspect["place"]))
    return [[(place["file"], place["line"])] for _, _, place in sorted(scored, key=lambda s: s[:2])]


def tree_order(document):
    """The lines of a cause tree in the order in which `faultline causes` says to read them."""
    return [[(place["file"], place["line"])] for place in document.get("order", [])]
