#!/usr/bin/env python3
"""How fast, and how small: `faultline minimize` beside afl-tmin, delta and cvise on the same reductions.

    bench/minimize.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--limit SECONDS] [--repeats N]
                      [--write docs/figures.md]

Builds bc, lua5.4, sqlite3 and zlib's minigzip from Debian's sources with one line changed, so that they crash on a
certain part of their input, each with faultline-cc, with afl-clang-fast (for afl-tmin) and with clang (for delta and
cvise, whose test is a shell script). Each tool gets the same input and is to leave what still crashes. Seconds are those
on the clock; ours have the recording in them. delta works by lines, as its users run it; cvise with its passes for
what is no C. Each is repeated, in turn with the others, as long as it takes less than 20 s; the table has medians, and how
long and how many runs it took us to have as little as the other tool had at its end (`stats.timeline`, and what it takes to
load and to end the program, as `faultline --version` takes it). Status 1 if our result is larger than another's, or does
not crash.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

import manifests
import programs
from subject_build import PLAIN, Builder, Flavour, shell

ROOT = pathlib.Path(__file__).resolve().parent.parent


def bc_program(count=150):
    lines = ["scale = 6", "define f(n) {", "  auto i, s", "  s = 0", "  for (i = 1; i <= n; i++) {", "    s += i * i", "  }",
             "  return (s)", "}"]
    for k in range(count):
        lines += [f"v[{k}] = f({k % 7}) + {k} * 3.25 - (2 ^ {k % 9})", f"if (v[{k}] > 100) {{", f"  v[{k}] / 7 + ({k} % 5)",
                  "} else {", f"  v[{k}] * 2", "}"]
        if k == count * 13 // 20:
            lines += [f"w = (v[3] + sqrt(v[{k}] + 2)) * 4"]
    return "\n".join(lines) + "\n"


def lua_program():
    out = ["local t = {}", "local function add(name, value)", "  t[#t + 1] = {name = name, value = value}", "end"]
    for k in range(200):
        out += [f"add('item{k}', {{ {k}, {k * 2}, 'text {k}' }})",
                f"if #t % {k % 5 + 2} == 0 then print(#t, t[#t].name:upper()) end"]
        if k == 120:
            out += ["local words = { first = ('abc'):rep(2), second = (t[1].name .. 'x'):reverse(), third = #t }"]
    return "\n".join(out + ["print(#t)"]) + "\n"


def sql_program(count=300):
    out = ["create table item(id integer primary key, name text, price real);", "begin;"]
    for k in range(count):
        out.append(f"insert into item(name, price) values('item {k}', {k * 1.5});")
        if k % 50 == 49:
            out += ["select count(*), avg(price)", "  from item", f" where id > {k // 2} and name like '%{k % 10}%';"]
        if k == count * 3 // 5:
            out += ["select id, upper(name), length(name), hex(substr(name, 2, 3)), round(price, 1)", "  from item",
                    " where price > 20 order by name limit 3;"]
    return "\n".join(out + ["commit;", "select count(*) from item;"]) + "\n"


def packed_text(count=6000):
    draw = random.Random(1)
    words = "the quick brown fox jumps over a lazy dog while numbers like 1234 and names stay as they are".split()
    text = " ".join(draw.choice(words) for _ in range(count))
    return gzip.compress((text[:count * 8 // 3] + " QUOTE " + text[count * 8 // 3:]).encode(), mtime=0)


class Reduction:
    """One faulty program, its input, and how it is given it."""

    def __init__(self, package, fault, arguments, data, file=None, more=""):
        self.package, self.fault, self.arguments = package, fault, arguments
        self.data = data if isinstance(data, bytes) else data.encode()
        self.file = file  # the name under which the program is given it; None: standard input
        self.name = f"{package}: {fault}{more}"

    def words(self, file):
        return [*self.arguments, *([file] if self.file else [])]

    def build(self, builder, flavour):
        fault = next(f for s in manifests.load_all() if s.name == self.package for f in s.faults if f.name == self.fault)
        return builder.faulty(fault, flavour)


class Minigzip(Reduction):
    """zlib's own example; it stands in no manifest."""

    OLD = "*out++ = (unsigned char)(here->val);"
    NEW = "if (here->val == 'Q') *(volatile char *)0 = 1; else " + OLD

    def build(self, builder, flavour):
        folder = builder.work / "trees" / f"zlib.{flavour.name}"
        if not (folder / "minigzip").exists():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(programs.source(builder.sources, "zlib"), folder, symlinks=True)
            text = (folder / "inffast.c").read_text()
            if self.OLD not in text:
                sys.exit(f"{folder}/inffast.c has no {self.OLD}")
            (folder / "inffast.c").write_text(text.replace(self.OLD, self.NEW, 1))
            shell(f"$CC {PLAIN} -DHAVE_UNISTD_H -I. *.c test/minigzip.c -o minigzip", folder, builder.environment(flavour))
        return folder / "minigzip"


def reductions():
    return [Reduction("bc", "root", ["-q"], bc_program()),
            Reduction("lua5.4", "reverse", [], lua_program(), "script.lua"),
            Reduction("sqlite3", "hex", [":memory:"], sql_program()),
            Minigzip("zlib", "literal", ["-d"], packed_text()),
            Reduction("bc", "root", ["-q"], bc_program(2000), more=", long"),
            Reduction("sqlite3", "hex", [":memory:"], sql_program(4000), more=", long"),
            Minigzip("zlib", "literal", ["-d"], packed_text(60000), more=", long")]


class Tools:
    def __init__(self, options):
        self.options, self.known = options, set()
        self.builder = Builder(options.work, options.bin, options.sources)
        self.work = self.builder.work
        self.flavours = {"ours": self.builder.ours, "afl": Flavour("afl", "afl-clang-fast", "afl-clang-fast++"),
                         "clang": Flavour("clang", "clang-19", "clang++-19")}
        # afl's compiler asks for nothing; what is built by it must not wait for a fuzzer.
        os.environ.update(AFL_NO_UI="1", AFL_SKIP_CPUFREQ="1", AFL_NO_AFFINITY="1", AFL_QUIET="1",
                          AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1", LC_ALL="C")
        self.builder.env.update(os.environ, XDG_CACHE_HOME=self.builder.env["XDG_CACHE_HOME"],
                                XDG_DATA_HOME=self.builder.env["XDG_DATA_HOME"])
        self.programs = {}

    def program(self, which, reduction):
        key = which, reduction.name
        if key not in self.programs:
            self.programs[key] = reduction.build(self.builder, self.flavours[which])
        return self.programs[key]

    def folder(self, tool, reduction):
        folder = self.work / "minimize" / re.sub(r"\W+", "-", reduction.name) / tool
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / (reduction.file or "input")).write_bytes(reduction.data)
        return folder

    def timed(self, command, folder, env=None):
        began = time.perf_counter()
        try:
            done = subprocess.run([str(c) for c in command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=env, timeout=self.options.limit)
            output = done.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired:
            output = None
        return output, time.perf_counter() - began

    def crashes(self, reduction, data):
        file = self.work / "check.in"
        file.write_bytes(data)
        with open(os.devnull if reduction.file else file, "rb") as source:
            done = subprocess.run([self.program("clang", reduction), *reduction.words(file)], stdin=source,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return done.returncode < 0

    def ours(self, reduction, *words):
        folder, program = self.folder("faultline" + "".join(words), reduction), self.program("ours", reduction)
        env = self.builder.env
        file = reduction.file or "input"
        given = ["--", program, *reduction.words(file)] if reduction.file else ["--stdin", file, "--", program, *reduction.words(file)]
        command = [self.options.bin.resolve() / "faultline", "minimize", "-q", "--json", "--no-cache", *words, *given]
        # Variants are made once for a program, as afl's build is.
        if program not in self.known:
            subprocess.run([str(c) for c in command], cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            self.known.add(program)
        answer, seconds = self.timed(command, folder, env)
        if answer is None:
            return None, seconds, None, {}
        found = json.loads(answer)
        return found["runs"], seconds, pathlib.Path(found["input"]["written"]).read_bytes(), found

    def afl(self, reduction):
        folder, program = self.folder("afl", reduction), self.program("afl", reduction)
        file = reduction.file or "input"
        words = reduction.words("@@")
        output, seconds = self.timed(["afl-tmin", "-i", file, "-o", "out", "-m", "none", "-t", "5000", "--", program, *words], folder)
        if output is None:
            return None, seconds, None
        runs = re.search(r"execs done : (\d+)", re.sub("\x1b\\[[0-9;]*m", "", output))
        return int(runs[1]) if runs else None, seconds, (folder / "out").read_bytes() if (folder / "out").exists() else None

    def script(self, folder, reduction, file):
        program = self.program("clang", reduction)
        given = " ".join(map(str, reduction.words(file))) + ("" if reduction.file else f" < {file}")
        script = folder / "test.sh"
        script.write_text(f"#!/bin/sh\necho >> {folder}/count\n{program} {given} > /dev/null 2>&1\n[ $? -gt 128 ]\n")
        script.chmod(0o755)
        return script

    def counted(self, folder):
        count = folder / "count"
        return count.stat().st_size if count.exists() else 0

    def delta(self, reduction):
        folder = self.folder("delta", reduction)
        file = reduction.file or "input"
        # singledelta gives its test the name of the file to look at.
        script = self.script(folder, reduction, '"$1"')
        output, seconds = self.timed(["singledelta", f"-test={script}", "-in_place", file], folder)
        return self.counted(folder), seconds, None if output is None else (folder / file).read_bytes()

    def cvise(self, reduction):
        folder = self.folder("cvise", reduction)
        file = reduction.file or "input"
        script = self.script(folder, reduction, file)
        output, seconds = self.timed(["cvise", "--not-c", "--n", "2", "--timeout", "10", script, file], folder)
        return self.counted(folder), seconds, None if output is None else (folder / file).read_bytes()


SLOW = 20  # seconds; what takes longer is not repeated


def loading(tools):
    """Seconds to load the program and to end it, which our own clock does not see."""
    took = [tools.timed([tools.options.bin.resolve() / "faultline", "--version"], tools.work)[1] for _ in range(7)]
    return statistics.median(took)


def same_size(found, size, extra):
    """Seconds and runs until we had as little; None: we never had."""
    for seconds, runs, left in found.get("stats", {}).get("timeline", []):
        if left <= size:
            return seconds + extra, runs
    return None


def one_round(tools, reduction, done):
    """Each tool once, unless it is slow and was measured before."""
    kinds = {"ours": lambda: tools.ours(reduction), "no slice": lambda: tools.ours(reduction, "--no-slice")[:3],
             "lines": lambda: tools.ours(reduction, "--unit=lines")[:3]}
    for tool, needs in (("afl", "afl-tmin"), ("delta", "singledelta"), ("cvise", "cvise")):
        if shutil.which(needs):
            kinds[tool] = lambda tool=tool: getattr(tools, tool)(reduction)
    for kind, run in kinds.items():
        if kind not in tools.options.tools.split(","):
            continue
        if done[kind] and done[kind][0][1] > SLOW:
            continue
        result = run()
        if result[2] is not None and not tools.crashes(reduction, result[2]):
            result = (*result[:2], None, *result[3:])
            print(f"{reduction.name}: what {kind} left does not crash", file=sys.stderr)
        done[kind].append(result)


def measure(tools, reduction):
    row = {"name": reduction.name, "size": len(reduction.data)}
    done = {kind: [] for kind, _ in TOOLS}
    for _ in range(tools.options.repeats):
        one_round(tools, reduction, done)
    extra = loading(tools)
    for kind, results in done.items():
        if not results:
            continue
        worst = max(results, key=lambda r: float("inf") if r[2] is None else len(r[2]))
        row[kind] = (worst[0], statistics.median(r[1] for r in results), worst[2])
    for kind in ("afl", "delta", "cvise"):
        if row.get(kind) and row[kind][2] is not None:
            until = [same_size(r[3], len(row[kind][2]), extra) for r in done["ours"]]
            if all(until):
                row["until " + kind] = tuple(statistics.median(u[k] for u in until) for k in (0, 1))
    return row


def cell(result):
    if result is None:
        return "not there"
    runs, seconds, data = result
    size = "no result" if data is None else f"{len(data):,} B"
    return f"{size}, {runs if runs is not None else '?':,} runs, {seconds:.2f} s" if runs is not None else f"{size}, {seconds:.2f} s"


TOOLS = (("ours", "faultline"), ("no slice", "... --no-slice"), ("lines", "... --unit=lines"), ("afl", "afl-tmin"), ("delta", "delta (lines)"), ("cvise", "cvise"))


def until(row, kind):
    """How soon we had what it had, beside how long it took."""
    found, other = row.get("until " + kind), row.get(kind)
    if not found or not other:
        return "-"
    return f"{len(other[2]):,} B in {found[0]:.2f} s, {found[1]:.0f} runs: {found[0] / other[1]:.2f}"


def table(lines):
    lines = ["| " + " | ".join(line) + " |" for line in lines]
    lines.insert(1, "| " + " | ".join("---" for _ in range(lines[0].count(" | ") + 1)) + " |")
    return "\n".join(lines) + "\n"


def report(rows):
    whole = [["reduction", "input", *[title for _, title in TOOLS]]]
    same = [["reduction", *[f"{title}: {what}" for _, title in TOOLS[3:] for what in ("time of all", "as small as its result")]]]
    for r in rows:
        whole.append([r["name"], f"{r['size']:,} B", *[cell(r.get(t)) for t, _ in TOOLS]])
        ours = r["ours"][1]
        same.append([r["name"]] + [text for t, _ in TOOLS[3:] for text in
                                   (f"{ours / r[t][1]:.2f}" if r.get(t) else "-", until(r, t))])
    return table(whole) + "\nOurs ÷ theirs:\n\n" + table(same)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/minimize"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where the sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="packages, separated by commas")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which another tool is stopped")
    parser.add_argument("--tools", default=",".join(kind for kind, _ in TOOLS), help="of these: %(default)s; ours always")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    options.tools += ",ours"
    tools, rows, bad = Tools(options), [], False
    for reduction in reductions():
        if options.only and reduction.package not in options.only.split(","):
            continue
        row = measure(tools, reduction)
        rows.append(row)
        ours = row["ours"][2]
        sizes = [len(row[t][2]) for t, _ in TOOLS[3:] if row.get(t) and row[t][2] is not None]
        larger = ours is None or any(size < len(ours) for size in sizes)
        bad = bad or larger
        print(f"{row['name']}: {ours!r:.300}{'  LARGER' if larger else ''}", file=sys.stderr)
        print(f"  {'; '.join(title + ': ' + cell(row.get(t)) for t, title in TOOLS)}", file=sys.stderr)
    answer = report(rows)
    print(answer)
    if options.write:
        mark, end = "<!-- bench/minimize.py -->", "<!-- end of bench/minimize.py -->"
        before, _, rest = options.write.read_text().partition(mark)
        _, _, behind = rest.partition(end)
        options.write.write_text(f"{before}{mark}\n\n{answer}\n{end}{behind}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
