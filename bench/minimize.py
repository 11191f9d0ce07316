#!/usr/bin/env python3
"""How fast, and how small: `faultline minimize` beside afl-tmin, delta and cvise on the same reductions.

    bench/minimize.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--limit SECONDS] [--write docs/figures.md]

Builds bc, lua5.4, sqlite3 and zlib's minigzip from Debian's sources with one line changed, so that they crash on a
certain part of their input, each with faultline-cc, with afl-clang-fast (for afl-tmin) and with clang (for delta and
cvise, whose test is a shell script). Each tool gets the same input and is to leave what still crashes. Seconds are those
on the clock; ours have the recording in them. delta works by lines, as its users run it; cvise with its passes for
what is no C. Status 1 if our result is larger than another's, or does not crash.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

import slice_faults
from programs import run
from slice_faults import Fault, Objects

ROOT = pathlib.Path(__file__).resolve().parent.parent


def zlib_sources(folder):
    shutil.copy(folder / "test/minigzip.c", folder / "minigzip_main.c")
    return sorted(p.name for p in folder.glob("*.c"))


slice_faults.PACKAGES["zlib"] = (Objects("zlib", "", zlib_sources, ["-DHAVE_UNISTD_H", "-I."], []), "")


def bc_program():
    lines = ["scale = 6", "define f(n) {", "  auto i, s", "  s = 0", "  for (i = 1; i <= n; i++) {", "    s += i * i", "  }",
             "  return (s)", "}"]
    for k in range(150):
        lines += [f"v[{k}] = f({k % 7}) + {k} * 3.25 - (2 ^ {k % 9})", f"if (v[{k}] > 100) {{", f"  v[{k}] / 7 + ({k} % 5)",
                  "} else {", f"  v[{k}] * 2", "}"]
        if k == 97:
            lines += ["w = (v[3] + sqrt(v[97] + 2)) * 4"]
    return "\n".join(lines) + "\n"


def lua_program():
    out = ["local t = {}", "local function add(name, value)", "  t[#t + 1] = {name = name, value = value}", "end"]
    for k in range(200):
        out += [f"add('item{k}', {{ {k}, {k * 2}, 'text {k}' }})",
                f"if #t % {k % 5 + 2} == 0 then print(#t, t[#t].name:upper()) end"]
        if k == 120:
            out += ["local words = { first = ('abc'):rep(2), second = (t[1].name .. 'x'):reverse(), third = #t }"]
    return "\n".join(out + ["print(#t)"]) + "\n"


def sql_program():
    out = ["create table item(id integer primary key, name text, price real);", "begin;"]
    for k in range(300):
        out.append(f"insert into item(name, price) values('item {k}', {k * 1.5});")
        if k % 50 == 49:
            out += ["select count(*), avg(price)", "  from item", f" where id > {k // 2} and name like '%{k % 10}%';"]
        if k == 180:
            out += ["select id, upper(name), length(name), hex(substr(name, 2, 3)), round(price, 1)", "  from item",
                    " where price > 20 order by name limit 3;"]
    return "\n".join(out + ["commit;", "select count(*) from item;"]) + "\n"


def packed_text():
    draw = random.Random(1)
    words = "the quick brown fox jumps over a lazy dog while numbers like 1234 and names stay as they are".split()
    text = " ".join(draw.choice(words) for _ in range(6000))
    return gzip.compress((text[:16000] + " QUOTE " + text[16000:]).encode(), mtime=0)


class Reduction:
    def __init__(self, fault, data, file=None):
        self.fault, self.data = fault, data if isinstance(data, bytes) else data.encode()
        self.file = file  # the name under which the program is given it; None: standard input
        self.name = f"{fault.package}: {fault.name}"

    def words(self, file):
        return [*self.fault.arguments, *([file] if self.file else [])]


def reductions():
    by_name = {(f.package, f.name): f for f in slice_faults.faults()}
    def crash(package, name, arguments):
        f = by_name[package, name]
        return Fault(f.name, f.package, f.kind, f.file, f.old, f.new, arguments, "", f.after)
    literal = Fault("literal", "zlib", "crash", "inffast.c", "*out++ = (unsigned char)(here->val);",
                    "if (here->val == 'Q') *(volatile char *)0 = 1; else *out++ = (unsigned char)(here->val);", ["-d"])
    return [Reduction(crash("bc", "root", ["-q"]), bc_program()),
            Reduction(crash("lua5.4", "reverse", []), lua_program(), "script.lua"),
            Reduction(crash("sqlite3", "hex", [":memory:"]), sql_program()),
            Reduction(literal, packed_text())]


class Tools:
    def __init__(self, options):
        self.options, self.work = options, pathlib.Path(options.work).resolve()
        self.builders, self.known = {}, set()
        for name, compiler in (("ours", options.bin.resolve() / "faultline-cc"), ("afl", shutil.which("afl-clang-fast")),
                               ("clang", shutil.which("clang-19"))):
            if compiler:
                builder = slice_faults.Bench(argparse.Namespace(work=self.work / name, bin=options.bin, sources=options.sources))
                builder.compiler = compiler
                self.builders[name] = builder
        # afl's compiler asks for nothing; what is built by it must not wait for a fuzzer.
        os.environ.update(AFL_NO_UI="1", AFL_SKIP_CPUFREQ="1", AFL_NO_AFFINITY="1",
                          AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES="1", LC_ALL="C")

    def program(self, which, reduction):
        path = self.work / which / f"{reduction.fault.package}.{reduction.fault.name.replace(' ', '-')}"
        if not path.exists():
            self.builders[which].build(reduction.fault)
        return path

    def folder(self, tool, reduction):
        folder = self.work / "runs" / reduction.name.replace(": ", "-") / tool
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
        env = self.builders["ours"].env
        file = reduction.file or "input"
        given = ["--", program, *reduction.words(file)] if reduction.file else ["--stdin", file, "--", program, *reduction.words(file)]
        command = [self.options.bin.resolve() / "faultline", "minimize", "-q", "--json", *words, *given]
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


def measure(tools, reduction):
    row = {"name": reduction.name, "size": len(reduction.data)}
    runs, seconds, data, found = tools.ours(reduction)
    row["ours"] = (runs, seconds, data)
    row["found"] = found
    row["no slice"] = tools.ours(reduction, "--no-slice")[:3]
    row["lines"] = tools.ours(reduction, "--unit=lines")[:3]
    for tool, needs in (("afl", "afl-tmin"), ("delta", "singledelta"), ("cvise", "cvise")):
        if shutil.which(needs):
            row[tool] = getattr(tools, tool)(reduction)
    for tool, result in row.items():
        if isinstance(result, tuple) and result[2] is not None and not tools.crashes(reduction, result[2]):
            row[tool] = (result[0], result[1], None)
            print(f"{reduction.name}: what {tool} left does not crash", file=sys.stderr)
    return row


def cell(result):
    if result is None:
        return "not there"
    runs, seconds, data = result
    size = "no result" if data is None else f"{len(data):,} B"
    return f"{size}, {runs if runs is not None else '?':,} runs, {seconds:.1f} s" if runs is not None else f"{size}, {seconds:.1f} s"


TOOLS = (("ours", "faultline"), ("no slice", "... --no-slice"), ("lines", "... --unit=lines"), ("afl", "afl-tmin"), ("delta", "delta (lines)"), ("cvise", "cvise"))


def report(rows):
    table = [["reduction", "input", *[title for _, title in TOOLS], "time ÷ fastest with a result as small"]]
    for r in rows:
        ours = r["ours"]
        rivals = [r[t][1] for t, _ in TOOLS[3:] if r.get(t) and r[t][2] is not None and ours[2] is not None
                  and len(r[t][2]) <= len(ours[2]) * 1.1 + 1]
        all_times = [r[t][1] for t, _ in TOOLS[3:] if r.get(t)]
        ratio = f"{ours[1] / min(rivals):.2f}" if rivals else f"none as small; {ours[1] / min(all_times):.2f} of the fastest"
        table.append([r["name"], f"{r['size']:,} B", *[cell(r.get(t)) for t, _ in TOOLS], ratio])
    lines = ["| " + " | ".join(t) + " |" for t in table]
    lines.insert(1, "| " + " | ".join("---" for _ in table[0]) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/minimize"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where the sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="packages, separated by commas")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which another tool is stopped")
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    tools, rows, bad = Tools(options), [], False
    for reduction in reductions():
        if options.only and reduction.fault.package not in options.only.split(","):
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
