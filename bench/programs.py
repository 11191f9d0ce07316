"""The four programs that bench/recording.py measures: Debian's sources of bzip2, lua5.4, zlib (minigzip) and
sqlite3, each with a run of 0.5 to 1 s at -O0 and a small one for tools that are thousands of times slower."""
import os
import pathlib
import shutil
import subprocess
import sys
import time


class Cost:
    """What a command took: CPU seconds of it and its children, seconds on the clock, peak memory in bytes."""

    def __init__(self, cpu, wall, memory):
        self.cpu, self.wall, self.memory = cpu, wall, memory


def run(command, cwd=None, stdin=None, env=None, check=True):
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run([str(c) for c in command], cwd=cwd, stdin=source, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=env)
    if check and done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.decode(errors='replace')[-400:]}")
    return done


def cost(command, stdin=None, env=None, output=os.devnull):
    """Runs it, with its standard output in a file."""
    with open(stdin or os.devnull, "rb") as source, open(output, "wb") as out:
        began = time.perf_counter()
        child = subprocess.Popen([str(c) for c in command], stdin=source, stdout=out, stderr=subprocess.DEVNULL,
                                 env=env)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - began
    if child.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, command))} ended with status {child.returncode}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss * 1024)


def source(work, package):
    """The unpacked source of a Debian package, patched as Debian does; fetched if it is not there."""
    def unpacked():
        return [p for p in sorted(work.glob(f"{package}-[0-9]*")) if p.is_dir()]

    if not unpacked():
        descriptions = sorted(work.glob(f"{package}_*.dsc"))
        if descriptions:
            run(["dpkg-source", "--no-check", "-x", descriptions[-1].name], cwd=work)
        else:
            run(["apt-get", "-qq", "source", package], cwd=work)
    return unpacked()[0]


class Program:
    """Sources and flags, the run that is measured, and a small one."""

    def __init__(self, name, folder, sources, flags=(), libraries=(), full=(), small=()):
        self.name, self.folder, self.sources = name, folder, sources
        self.flags, self.libraries = list(flags), list(libraries)
        self.full, self.small = full, small  # (arguments, standard input)

    def command(self, compiler, optimisation, output, extra=()):
        files = [self.folder / s for s in self.sources]
        return [compiler, optimisation, "-w", *extra, *self.flags, *files, "-o", output, *self.libraries]


def text(work, name, size, order=""):
    data = work / name
    if not data.exists():
        run(["sh", "-c", f"find /usr/include -name '*.h' | sort {order} | xargs cat | head -c {size} > {data}"])
    return data


def bzip2(work):
    names = "blocksort huffman crctable randtable compress decompress bzlib bzip2".split()
    return Program("bzip2", source(work, "bzip2"), [n + ".c" for n in names], ["-D_FILE_OFFSET_BITS=64"],
                   full=(["-k", "-c", text(work, "bzip2.in", 6000000)], None),
                   small=(["-k", "-c", text(work, "bzip2.small", 20000)], None))


def minigzip(work):
    folder = source(work, "zlib")
    shutil.copy(folder / "test/minigzip.c", folder / "minigzip_main.c")
    return Program("minigzip", folder, sorted(p.name for p in folder.glob("*.c")),
                   ["-DHAVE_UNISTD_H", f"-I{folder}"],
                   full=(["-c", text(work, "minigzip.in", 12000000, "-r")], None),
                   small=(["-c", text(work, "minigzip.small", 20000, "-r")], None))


LUA = """
local function fib(n) if n < 2 then return n end return fib(n-1) + fib(n-2) end
local t = {} for i = 1, %d do t[i] = (i * 7919) %% 100003 end table.sort(t)
local s = 0 for i = 1, #t do s = s + t[i] end
local p = {} for i = 1, %d do p[#p+1] = tostring(i) .. 'x' end
print(fib(%d), s, #table.concat(p))
"""


def lua(work):
    folder = source(work, "lua5.4") / "src"
    (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
    (work / "full.lua").write_text(LUA % (300000, 80000, 29))
    (work / "small.lua").write_text(LUA % (300, 80, 12))
    names = sorted(p.name for p in folder.glob("*.c") if p.name != "luac.c")
    return Program("lua5.4", folder, names, ["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"], ["-lm", "-ldl", "-Wl,-E"],
                   full=([work / "full.lua"], None), small=([work / "small.lua"], None))


SQL = """
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i+1 from n where i<%d)
  insert into t select i, 'row'||(i*7919%%10007), i*0.5 from n;
create index tb on t(b);
select count(*), sum(c), min(b), max(b) from t where b like 'row1%%';
select b, count(*) k from t group by b order by k desc, b limit 3;
"""


def sqlite3(work):
    folder = source(work, "sqlite3")
    if not (folder / "sqlite3.c").exists() or not (folder / "shell.c").exists():
        run(["./configure", "--disable-tcl", "--disable-readline"], cwd=folder)
        run(["make", "sqlite3.c", "shell.c"], cwd=folder)
    (work / "full.sql").write_text(SQL % 200000)
    (work / "small.sql").write_text(SQL % 100)
    return Program("sqlite3", folder, ["sqlite3.c", "shell.c"],
                   ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"], ["-lm"],
                   full=([":memory:"], work / "full.sql"), small=([":memory:"], work / "small.sql"))


MAKERS = {"bzip2": bzip2, "lua5.4": lua, "minigzip": minigzip, "sqlite3": sqlite3}


def prepare(names, work):
    work = pathlib.Path(work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    return [MAKERS[name](work) for name in names]
