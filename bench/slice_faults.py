#!/usr/bin/env python3
"""Is the line that was broken in the slices of the failure it causes?

    bench/slice_faults.py [--work DIR] [--bin DIR] [--sources DIR] [--only NAME,...] [--write docs/figures.md]

Builds bc, grep, lua5.4 and sqlite3 from Debian's sources with faultline-cc, once as they are and once for each of the
faults below (one changed line), records the failing run and asks for its slices and origin. A fault counts as found if
the changed line is among the statements of the answer. Status 1 if a changed line that was executed is in no relevant
slice, or a fault does not make the run fail. Sources are fetched by `apt-get source` unless --sources has them unpacked.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import programs
from programs import run

ROOT = pathlib.Path(__file__).resolve().parent.parent
OMISSION = "omission"


class Fault:
    """One changed line: `old` becomes `new` where it is first met in `file`, behind the text `after`."""

    def __init__(self, name, package, kind, file, old, new, arguments=(), stdin="", after=""):
        self.name, self.package, self.kind, self.file = name, package, kind, file
        self.old, self.new, self.after = old, new, after
        self.arguments, self.stdin = list(arguments), stdin

    def place(self, text):
        at = text.find(self.old, text.find(self.after)) if self.after in text else -1
        if at < 0 or "\n" in self.old + self.new:
            sys.exit(f"{self.name}: no line of {self.file} has {self.old!r}")
        return at

    def line(self, text):
        return text.count("\n", 0, self.place(text)) + 1

    def edited(self, text):
        at = self.place(text)
        return text[:at] + self.new + text[at + len(self.old):]


LINES = "one apple\ntwo pears\nthree apples\nfour plums\nfive apples\nsix apples\nseven nuts\n"


def faults():
    number, string = "lib/number.c", "lstrlib.c"
    return [
        Fault("product", "bc", "wrong value", number, "sum = sum / BASE;", "sum = (sum - 1) / BASE;",
              stdin="123456*98765\n", after="_bc_simp_mul (bc_num"),
        Fault("compare", "bc", "off by one", number, "count = n1->n_len + MIN", "count = n1->n_len - 1 + MIN",
              stdin="1.25 < 1.26\n", after="_bc_do_compare ("),
        Fault("borrow", "bc", "wrong operator", number, "if (val < 0)", "if (val <= 0)",
              stdin="5005-1235\n", after="Now do the equal length scale"),
        Fault("carry", "bc", OMISSION, number, "if (carry == 1)", "if (carry == 2)",
              stdin="995+7\n", after="_bc_do_add ("),
        Fault("sign", "bc", OMISSION, number, "if (num->n_sign == MINUS)", "if (num->n_sign == 7)",
              stdin="3-8\n", after="bc_out_num ("),
        Fault("root", "bc", "crash", number, "point5 = bc_new_num (1,1);", "point5 = NULL;", stdin="sqrt(2)\n"),

        Fault("line number", "grep", "wrong value", "src/grep.c", "totalnl = add_count (totalnl, 1);",
              "totalnl = add_count (totalnl, 2);", ["-n", "apple"], LINES),
        Fault("byte offset", "grep", "off by one", "src/grep.c", "add_count (totalcc, beg - bufbeg)",
              "add_count (totalcc, beg - bufbeg + 1)", ["-b", "plum"], LINES),
        Fault("context", "grep", "wrong operator", "src/grep.c", "i < out_before;", "i <= out_before;",
              ["-B1", "plum"], LINES),
        Fault("next line", "grep", OMISSION, "src/grep.c", "if (lastnl < lim)", "if (lastnl < beg)",
              ["-n", "apples"], LINES),
        Fault("pending", "grep", OMISSION, "src/grep.c", "if (!out_quiet && pending > 0)",
              "if (!out_quiet && pending > 7)", ["-A1", "apple"], LINES),
        Fault("trie", "grep", "crash", "src/kwset.c", "kwset->trie = obstack_alloc", "kwset->trie = 0; obstack_alloc",
              ["-F", "-e", "plum", "-e", "nuts"], LINES),

        Fault("sub", "lua5.4", "off by one", string, "(end - start) + 1)", "(end - start))",
              ["-e", 'print(("abcdef"):sub(2, 4))']),
        Fault("insert", "lua5.4", "wrong value", "ltablib.c", "lua_geti(L, 1, i - 1);", "lua_geti(L, 1, i - 2);",
              ["-e", 'local t = {1,2,3,4} table.insert(t, 2, 9) print(table.concat(t, ","))']),
        Fault("negative", "lua5.4", "wrong operator", "lobject.c", "(neg) ? 0u - a : a", "(!neg) ? 0u - a : a",
              ["-e", 'print(tonumber("-12") + 1)'], after="l_str2int"),
        Fault("modulo", "lua5.4", OMISSION, "lvm.c", "(r ^ n) < 0", "(r ^ n) < -100",
              ["-e", "local a, b = -7, 3 print(a % b)"], after="luaV_mod ("),
        Fault("rep", "lua5.4", OMISSION, string, "if (lsep > 0)", "if (lsep > 1)",
              ["-e", 'print(("ab"):rep(3, ","))'], after="static int str_rep"),
        Fault("reverse", "lua5.4", "crash", string, "char *p = luaL_buffinitsize(L, &b, l);", "char *p = NULL;",
              ["-e", 'print(("abc"):reverse())'], after="static int str_reverse"),

        Fault("julian day", "sqlite3", "wrong value", "sqlite3.c", "B = 2 - A + (A/4);", "B = 2 - A + (A/5);",
              [":memory:", "select julianday('2023-05-06');"]),
        Fault("max", "sqlite3", "wrong operator", "sqlite3.c", "(max && cmp<0)", "(max && cmp>0)",
              [":memory:", "create table t(a); insert into t values(3),(9),(5); select max(a),min(a) from t;"]),
        Fault("instr", "sqlite3", "off by one", "sqlite3.c", "int N = 1;", "int N = 0;",
              [":memory:", "select instr('hello','l');"], after="static void instrFunc("),
        Fault("february", "sqlite3", OMISSION, "sqlite3.c", "if( M<=2 ){", "if( M<=1 ){",
              [":memory:", "select date('2023-02-10','+1 day');"], after="static void computeJD("),
        Fault("not found", "sqlite3", OMISSION, "sqlite3.c", "if( nNeedle>nHaystack )", "if( nNeedle>nHaystack+9 )",
              [":memory:", "select instr('hello','z');"], after="static void instrFunc("),
        Fault("hex", "sqlite3", "crash", "sqlite3.c", "pBlob = sqlite3_value_blob(argv[0]);", "pBlob = 0;",
              [":memory:", "create table t(a); insert into t values('xyz'); select hex(a) from t;"],
              after="static void hexFunc("),
    ]


class Make:
    """A package with its own configure and make."""

    def __init__(self, package, executable, flags=""):
        self.package, self.executable, self.flags = package, executable, flags

    def prepare(self, folder, compiler):
        if not (folder / "Makefile").exists():
            # Debian's patches are younger than what was generated from the files they change.
            for name in ("aclocal.m4", "config.h.in", "config.hin", "configure", *folder.rglob("Makefile.in")):
                if (folder / name).exists():
                    os.utime(folder / name)
            run(["./configure", "-q", f"CC={compiler}", f"CFLAGS=-g -O0 -w {self.flags}"], cwd=folder)
        run(["make", "-s"], cwd=folder)

    def build(self, folder, compiler, changed, output):
        run(["make", "-s"], cwd=folder)
        shutil.copy(folder / self.executable, output)


class Objects:
    """A package whose sources are compiled one by one; only what was changed is compiled again."""

    def __init__(self, package, under, sources, flags, libraries):
        self.package, self.under, self.sources = package, under, sources
        self.flags, self.libraries = flags, libraries

    def compile(self, folder, compiler, name):
        run([compiler, "-c", "-g", "-O0", "-w", *self.flags, name, "-o", name + ".o"], cwd=folder)

    def prepare(self, folder, compiler):
        self.names = self.sources(folder)
        for name in self.names:
            if not (folder / (name + ".o")).exists():
                self.compile(folder, compiler, name)

    def build(self, folder, compiler, changed, output):
        if changed:
            self.compile(folder, compiler, changed)
        run([compiler, *[n + ".o" for n in self.names], "-o", output, *self.libraries], cwd=folder)


def lua_sources(folder):
    (folder / "lua5.4-deb-multiarch.h").write_text('#define DEB_HOST_MULTIARCH "x86_64-linux-gnu"\n')
    return sorted(p.name for p in folder.glob("*.c") if p.name != "luac.c")


def sqlite_sources(folder):
    if not (folder / "sqlite3.c").exists() or not (folder / "shell.c").exists():
        run(["./configure", "--disable-tcl", "--disable-readline"], cwd=folder)
        run(["make", "sqlite3.c", "shell.c"], cwd=folder)
    return ["sqlite3.c", "shell.c"]


PACKAGES = {
    "bc": (Make("bc", "bc/bc", "-Wno-implicit-function-declaration"), ""),
    "grep": (Make("grep", "src/grep"), ""),
    "lua5.4": (Objects("lua5.4", "src", lua_sources, ["-DLUA_USE_LINUX", "-DLUA_COMPAT_5_3"],
                       ["-lm", "-ldl", "-Wl,-E"]), "src"),
    "sqlite3": (Objects("sqlite3", "", sqlite_sources,
                        ["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"], ["-lm"]), ""),
}


class Bench:
    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work).resolve()
        self.work.mkdir(parents=True, exist_ok=True)
        self.compiler = options.bin.resolve() / "faultline-cc"
        self.env = dict(os.environ, XDG_CACHE_HOME=str(self.work / "cache"), XDG_DATA_HOME=str(self.work / "data"),
                        LC_ALL="C")

    def folder(self, package):
        """A copy of the source that may be edited, built as it is."""
        kind, under = PACKAGES[package]
        copy = self.work / package
        if not copy.exists():
            where = pathlib.Path(self.options.sources).resolve() if self.options.sources else self.work
            shutil.copytree(programs.source(where, package), copy, symlinks=True)
        kind.prepare(copy / under, self.compiler)
        right = self.work / f"{package}.right"
        kind.build(copy / under, self.compiler, None, right)
        return kind, copy / under, right

    def build(self, fault):
        kind, folder, right = self.folder(fault.package)
        file = folder / fault.file
        text = file.read_text(errors="surrogateescape")
        faulty = self.work / f"{fault.package}.{fault.name.replace(' ', '-')}"
        try:
            file.write_text(fault.edited(text), errors="surrogateescape")
            kind.build(folder, self.compiler, fault.file, faulty)
        finally:
            file.write_text(text, errors="surrogateescape")
            if isinstance(kind, Objects):
                kind.compile(folder, self.compiler, fault.file)
        return right, faulty, fault.line(text)

    def faultline(self, command, *words):
        done = run([self.options.bin.resolve() / "faultline", command, *words], cwd=self.work, env=self.env, check=False)
        return done.returncode, done.stdout

    def ask(self, command, recording, *words):
        began = time.perf_counter()
        status, answer = self.faultline(command, "-q", "--json", *words, recording)
        seconds = time.perf_counter() - began
        try:
            return status, json.loads(answer), seconds
        except json.JSONDecodeError:
            sys.exit(f"{command} {' '.join(words)} {recording}: status {status}, no answer")

    def measure(self, fault):
        right, faulty, line = self.build(fault)
        stdin, expected = self.work / "stdin", self.work / "expected"
        stdin.write_text(fault.stdin)
        expected.write_bytes(run([right, *fault.arguments], cwd=self.work, stdin=stdin, env=self.env).stdout)
        recording = faulty.with_name(faulty.name + ".flr")
        self.faultline("record", "-q", "-o", recording, "--expect", expected, "--stdin", stdin, "--", faulty,
                       *fault.arguments)
        return self.answers(fault, recording, line)

    def answers(self, fault, recording, line):
        name = pathlib.Path(fault.file).name

        def there(entries):
            return any(e["line"] == line and pathlib.Path(e["file"]).name == name for e in entries)

        row = {"fault": fault, "line": f"{name}:{line}"}
        executed, _ = self.faultline("slice", "-q", "--at", row["line"], "--steps", "1", recording)
        row["executed"] = executed == 0
        for key, command, words in (("thin", "slice", ["--data"]), ("backward", "slice", []),
                                    ("relevant", "slice", ["--relevant"]), ("origin", "origin", [])):
            status, answer, seconds = self.ask(command, recording, *words)
            entries = answer.get("statements", answer.get("steps", []))
            row[key] = {"status": status, "size": len(entries), "there": there(entries), "seconds": seconds}
            row["traced"] = answer.get("stats", {}).get("traced", row.get("traced", 0))
            row["failure"] = (answer.get("failure") or {}).get("message", "the run did not fail")
        return row


def report(rows):
    table = [["fault", "kind", "changed line", "instructions", "values", "backward", "relevant", "origin", "seconds"]]
    for r in rows:
        found = [f"{r[k]['size']:,} {'yes' if r[k]['there'] else 'no'}" for k in ("thin", "backward", "relevant", "origin")]
        times = " / ".join(f"{r[k]['seconds']:.1f}" for k in ("thin", "backward", "relevant", "origin"))
        line = r["line"] if r["executed"] else r["line"] + " (not executed)"
        table.append([f"{r['fault'].package}: {r['fault'].name}", r["fault"].kind, line, f"{r['traced']:,}", *found, times])
    return table_text(table) + "\n\n" + summary(rows)


def summary(rows):
    executed = [r for r in rows if r["executed"]]
    plain = [r for r in executed if r["fault"].kind != OMISSION]
    def count(of, key):
        return f"{sum(r[key]['there'] for r in of)} of {len(of)}"
    return (f"Executed: {len(executed)} of {len(rows)}. In the relevant slice: {count(executed, 'relevant')}. "
            f"In the backward slice: {count(plain, 'backward')} that are no omission, "
            f"{count([r for r in executed if r not in plain], 'backward')} omissions. "
            f"In the slice of values alone: {count(executed, 'thin')}; in the origin: {count(executed, 'origin')}.\n")


def table_text(table):
    """Rows of words, the first of them the heads, as Markdown."""
    lines = ["| " + " | ".join(t) + " |" for t in table]
    lines.insert(1, "| " + " | ".join("---" for _ in table[0]) + " |")
    return "\n".join(lines)


def measure_all(doc, bench_class, report, say):
    """The command line that all scripts over these faults have: measures each, prints the report, and returns the rows."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/slice-faults"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--sources", help="where the sources are unpacked (PACKAGE-VERSION)")
    parser.add_argument("--only", default="", help="faults or packages, separated by commas")
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    only = [o for o in options.only.split(",") if o]
    bench, rows = bench_class(options), []
    for fault in faults():
        if only and fault.name not in only and fault.package not in only:
            continue
        rows.append(bench.measure(fault))
        print(f"{fault.package}: {fault.name}: {say(rows[-1])}", file=sys.stderr, flush=True)
    answer = report(rows)
    print(answer)
    if options.write:
        name = pathlib.Path(sys.argv[0]).name
        mark, end = f"<!-- bench/{name} -->", f"<!-- end of bench/{name} -->"
        before, _, rest = options.write.read_text().partition(mark)
        _, _, behind = rest.partition(end)
        options.write.write_text(f"{before}{mark}\n\n{answer}\n{end}{behind}")
    return rows


def is_missed(row):
    answered = all(row[k]["status"] == 0 for k in ("thin", "backward", "relevant"))
    return not answered or not (row["relevant"]["there"] or not row["executed"])


def main():
    rows = measure_all(__doc__, Bench, report, lambda row: row["failure"] + ("  MISSED" if is_missed(row) else ""))
    return 1 if any(map(is_missed, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
