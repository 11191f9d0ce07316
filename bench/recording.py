#!/usr/bin/env python3
"""What recording and replay cost, beside other tools, on the same runs in one sitting.

    bench/recording.py [--work DIR] [--repeats N] [--programs bzip2,lua,minigzip,sqlite] [--slow]

Fetches the sources of Debian's packages bzip2, lua5.4, zlib and sqlite3 (apt-get source: a deb-src entry must be
there), builds each program with clang -O0 and -O2 and with faultline-cc, and prints medians of interleaved repeats
as ratios to the -O0 build. --slow adds Valgrind (none, memcheck), which need minutes.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BIN = ROOT / "build/release/bin"
CLANG = "clang-19"


def run(command, cwd=None, stdin=None, env=None, check=True):
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run([str(c) for c in command], cwd=cwd, stdin=source, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=env)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.decode(errors='replace')[-400:]}")
    return done


def seconds(command, stdin=None):
    start = time.perf_counter()
    run(command, stdin=stdin)
    return time.perf_counter() - start


def source(work, package):
    for path in sorted(work.glob(f"{package}-*")):
        if path.is_dir():
            return path
    run(["apt-get", "source", package], cwd=work)
    return next(p for p in sorted(work.glob(f"{package}-*")) if p.is_dir())


class Program:
    """Sources, flags, and the run that is measured."""

    def __init__(self, name, folder, sources, flags, libraries, arguments, stdin=None):
        self.name, self.folder, self.sources = name, folder, sources
        self.flags, self.libraries = flags, libraries
        self.arguments, self.stdin = arguments, stdin

    def build(self, compiler, optimisation, output, extra=()):
        files = [self.folder / s for s in self.sources]
        run([compiler, optimisation, "-w", *extra, *self.flags, *files, "-o", output, *self.libraries])
        return output


def bzip2(work):
    names = "blocksort huffman crctable randtable compress decompress bzlib bzip2".split()
    data = work / "bzip2.in"
    if not data.exists():
        run(["sh", "-c", f"find /usr/include -name '*.h' | sort | xargs cat | head -c 6000000 > {data}"])
    return Program("bzip2", source(work, "bzip2"), [n + ".c" for n in names], ["-D_FILE_OFFSET_BITS=64"], [],
                   ["-k", "-c", data])


def minigzip(work):
    folder = source(work, "zlib")
    names = [p.name for p in folder.glob("*.c")]
    data = work / "minigzip.in"
    if not data.exists():
        run(["sh", "-c", f"find /usr/include -name '*.h' | sort -r | xargs cat | head -c 12000000 > {data}"])
    shutil.copy(folder / "test/minigzip.c", folder / "minigzip_main.c")
    names = sorted(set(names + ["minigzip_main.c"]))
    return Program("minigzip", folder, names, ["-DHAVE_UNISTD_H", f"-I{folder}"], [], ["-c", data])


def lua(work):
    folder = source(work, "lua5.4") / "src"
    (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
    names = sorted(p.name for p in folder.glob("*.c") if p.name != "luac.c")
    script = work / "bench.lua"
    script.write_text("""
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local t = {} for i = 1, 300000 do t[i] = (i * 7919) % 100003 end table.sort(t)
local s = 0 for i = 1, #t do s = s + t[i] end
local p = {} for i = 1, 80000 do p[#p+1] = tostring(i) .. 'x' end
print(fib(29), s, #table.concat(p))
""")
    return Program("lua", folder, names, ["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"], ["-lm", "-ldl", "-Wl,-E"], [script])


def sqlite(work):
    folder = source(work, "sqlite3")
    if not (folder / "sqlite3.c").exists():
        run(["./configure", "--disable-tcl", "--disable-readline"], cwd=folder)
        run(["make", "sqlite3.c", "shell.c"], cwd=folder)
    script = work / "bench.sql"
    script.write_text("""
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i<300000)
  insert into t select i, 'row'||(i*7919%10007), i*0.5 from n;
create index tb on t(b);
select count(*), sum(c), min(b), max(b) from t where b like 'row1%';
select b, count(*) k from t group by b order by k desc, b limit 3;
""")
    return Program("sqlite", folder, ["sqlite3.c", "shell.c"],
                   ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"], ["-lm"], [":memory:"], script)


def measure(program, work, repeats, slow):
    o0 = program.build(CLANG, "-O0", work / f"{program.name}.O0")
    o2 = program.build(CLANG, "-O2", work / f"{program.name}.O2")
    ours = program.build(BIN / "faultline-cc", "-O2", work / f"{program.name}.fl")
    asan = program.build(CLANG, "-O1", work / f"{program.name}.asan", ["-fsanitize=address"])
    recording = work / f"{program.name}.flr"
    record = [BIN / "faultline", "record", "-q", "-o", recording, "--", ours, *program.arguments]
    run(record, stdin=program.stdin)  # makes the variant
    ways = {
        "clang -O0": [o0, *program.arguments],
        "clang -O2": [o2, *program.arguments],
        "faultline-cc -O2": [ours, *program.arguments],
        "ASan -O1": [asan, *program.arguments],
    }
    if slow:
        stripped = work / f"{program.name}.stripped"
        run(["strip", "-o", stripped, o0])  # Valgrind 3.19 cannot read clang's DWARF 5
        ways["valgrind none"] = ["valgrind", "--tool=none", "-q", stripped, *program.arguments]
        ways["valgrind memcheck"] = ["valgrind", "-q", stripped, *program.arguments]
    times = {name: [] for name in ways}
    times["recording"] = []
    for k in range(repeats):
        for name, command in ways.items():
            if name.startswith("valgrind") and k > 0:
                continue
            times[name].append(seconds(command, program.stdin))
        run(record, stdin=program.stdin)
        info = json.loads(run([BIN / "faultline", "info", "--json", recording]).stdout)
        times["recording"].append(info["stats"]["seconds"])
    verified = json.loads(run([BIN / "faultline", "verify", "--json", recording], check=False).stdout)
    median = {name: statistics.median(t) for name, t in times.items() if t}
    count = verified["stats"]["instructions"]
    return {
        "program": program.name,
        "ratios": {name: t / median["clang -O0"] for name, t in median.items()},
        "seconds": median,
        "instructions": count,
        "bytes per instruction": recording.stat().st_size / count,
        "replay, million/s": count / verified["stats"]["seconds"] / 1e6,
        "exact": verified["exact"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/bench"))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--programs", default="bzip2,lua,minigzip,sqlite")
    parser.add_argument("--slow", action="store_true")
    options = parser.parse_args()
    work = pathlib.Path(options.work)
    work.mkdir(parents=True, exist_ok=True)
    makers = {"bzip2": bzip2, "lua": lua, "minigzip": minigzip, "sqlite": sqlite}
    for name in options.programs.split(","):
        result = measure(makers[name](work), work, options.repeats, options.slow)
        print(f"{result['program']}: {result['instructions']:,} instructions, "
              f"{result['bytes per instruction']:.5f} bytes each, replay {result['replay, million/s']:,.0f} million/s, "
              f"{'exact' if result['exact'] else 'NOT EXACT'}")
        for way, ratio in result["ratios"].items():
            print(f"    {way:<20} {result['seconds'][way]:8.3f} s   {ratio:7.2f} x -O0")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
