"""What bench/accuracy.py measured, as tables in Markdown and as a plot."""
import statistics

import plot
import ranking

MARK, END = "<!-- bench/accuracy.py -->", "<!-- end of bench/accuracy.py -->"


def position(value):
    return "-" if value is None else f"{value:g}" if value == int(value) else f"{value:.1f}"


def markdown(table):
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in table]
    lines.insert(1, "|" + " --- |" * len(table[0]))
    return "\n".join(lines)


def names(rows):
    return list(dict.fromkeys(name for row in rows for name in row["by"]))


def summary_of(rows):
    table = [["ranking", "found", "first", "first 3", "first 5", "first 10", "lines read, median", "score, mean", "seconds, median",
              "share of a processor"]]
    for name in names(rows):
        answers = [row["by"][name] for row in rows if name in row["by"]]
        ranks = [a["rank"] for a in answers]
        share = [f"{ranking.within(ranks, most)} ({ranking.within(ranks, most) / len(ranks):.0%})" for most in (1, 3, 5, 10)]
        table.append([name, f"{sum(r is not None for r in ranks)} of {len(ranks)}", *share, position(ranking.middle(ranks)),
                      f"{statistics.mean(a['score'] for a in answers):.1%}",
                      f"{statistics.median(a['seconds'] for a in answers):.1f}",
                      share_text(answers)])
    return markdown(table)


def share_text(answers):
    known = [a["share"] for a in answers if a["share"] is not None]
    return f"{statistics.mean(known):.0%}" if len(known) == len(answers) else "not known"


def parts(rows):
    """All rows, then each set and each origin by itself, if there is more than one."""
    yield "All", rows
    for key, value, title in (("set", "tune", "Set tune"), ("set", "held-out", "Set held-out"),
                              ("origin", "our own", "Our own programs"), ("origin", "a package", "Programs from packages")):
        part = [r for r in rows if r[key] == value]
        if part and len(part) < len(rows):
            yield title, part


def summary(rows):
    if not rows:
        return "nothing was measured\n"
    return "\n\n".join(f"### {title}: {len(of)} faults\n\n{summary_of(of)}" for title, of in parts(rows)) + "\n"


def ranks(rows):
    """The rank of each fault by each technique."""
    columns = names(rows)
    table = [["fault", "set", "kind", "fails by", "fault lines", "executed lines", *columns]]
    for row in rows:
        table.append([row["fault"], row["set"], row["kind"], row["failure"], ", ".join(row["places"]), row["executed"],
                      *(position(row["by"][c]["rank"]) if c in row["by"] else "" for c in columns)])
    return markdown(table) + "\n"


def write(path, rows):
    picture = path.with_suffix(".svg")
    picture.write_text(plot.found_by_lines({n: [r["by"][n]["rank"] for r in rows if n in r["by"]] for n in names(rows)}))
    answer = (f"{summary(rows)}\n![Share of faults found after reading so many lines]({picture.name})\n\n"
              f"### Every fault: lines read up to it\n\n{ranks(rows)}")
    text = path.read_text() if path.exists() else f"{MARK}\n{END}\n"
    before, _, rest = text.partition(MARK)
    path.write_text(f"{before}{MARK}\n\n{answer}\n{END}{rest.partition(END)[2]}")
