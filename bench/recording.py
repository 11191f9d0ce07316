#!/usr/bin/env python3
"""What recording and replay cost, beside other tools, on the same runs in one sitting.

    bench/recording.py [--work DIR] [--bin DIR] [--repeats N] [--programs bzip2,lua5.4,minigzip,sqlite3] [--quick]
                       [--write docs/figures.md]

Fetches the sources by the names of Debian's packages (bzip2, lua5.4, zlib, sqlite3; `apt-get source` needs a
deb-src entry, or put the .dsc and its files into --work), builds each program in every way, interleaves the repeats
and prints medians. Times are CPU seconds of a command and all that it started, since the machine is shared: for a
recording that is the program and the recorder together, more than a person waits. --quick leaves out Valgrind and
gdb. Lackey and gdb are measured on a small input, or for a while, and scaled by executed instructions.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import sys

import programs
from programs import cost, run

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = "clang-19"
GDB_SECONDS = 15


def geometric(values):
    return statistics.geometric_mean(values)


class Measurement:
    """All figures of one program."""

    def __init__(self, program, work, options):
        self.p, self.work, self.options = program, work, options
        self.env = dict(os.environ, XDG_CACHE_HOME=str(work / "cache"), XDG_DATA_HOME=str(work / "data"))
        self.recording = work / f"{program.name}.flr"
        self.cpu, self.figures = {}, {}

    def path(self, way):
        return self.work / f"{self.p.name}.{way}"

    def faultline(self, *words):
        return [self.options.bin / "faultline", *words]

    def record(self, what, output):
        arguments, stdin = what
        words = ["record", "-q", "-j1", "-o", output, "--", self.path("ours"), *arguments]
        return cost(self.faultline(*words), stdin, self.env)

    def asked(self, command, *words):
        return json.loads(run(self.faultline(command, "--json", *words), env=self.env, check=False).stdout)

    def build(self):
        p = self.p
        cost(p.command(CLANG, "-O0", self.path("O0")))
        cost(p.command(CLANG, "-O1", self.path("asan"), ["-fsanitize=address"]))
        cost(p.command(self.options.bin / "faultline-cc", "-O2", self.path("ours")))
        build = min(cost(p.command(CLANG, "-O2", self.path("O2"))).cpu for _ in range(2))
        run(["strip", "-o", self.path("stripped"), self.path("O0")])  # Valgrind 3.19 cannot read DWARF 5
        shutil.rmtree(self.work / "cache", ignore_errors=True)
        cold = self.record(p.small, self.work / "small.flr").cpu
        warm = self.record(p.small, self.work / "small.flr").cpu
        self.figures["variant build / own build"] = (cold - warm) / build

    def ways(self):
        arguments, stdin = self.p.full
        ways = {"clang -O0": [self.path("O0")], "clang -O2": [self.path("O2")],
                "faultline-cc -O2": [self.path("ours")], "ASan -O1": [self.path("asan")]}
        return {name: (command + arguments, stdin) for name, command in ways.items()}

    def repeat(self):
        times = {}
        for _ in range(self.options.repeats):
            for name, (command, stdin) in self.ways().items():
                times.setdefault(name, []).append(cost(command, stdin).cpu)
            times.setdefault("recording", []).append(self.record(self.p.full, self.recording).cpu)
        self.cpu = {name: statistics.median(t) for name, t in times.items()}
        # Noise adds, and never takes away: for a ratio near 1 the fastest of each are compared.
        self.figures["faultline-cc / clang"] = min(times["faultline-cc -O2"]) / min(times["clang -O2"])

    def replay(self):
        answer = self.work / "verify.json"
        used = cost(self.faultline("verify", "--json", self.recording), env=self.env, output=answer)
        verified = json.loads(answer.read_text())
        count = verified["stats"]["instructions"]
        self.figures.update({"instructions": count, "exact": verified["exact"],
                             "bytes / instruction": self.recording.stat().st_size / count,
                             "replay, million/s": count / used.cpu / 1e6, "replay memory, MB": used.memory / 1e6})
        draw = random.Random(1)
        jumps = [self.jump(draw.randrange(count)) for _ in range(5)]
        self.figures["jump, s"] = statistics.median(jumps)
        self.forget()
        self.figures["first jump, to the middle, s"] = self.jump(count // 2)
        self.small = self.asked("verify", self.work / "small.flr")["stats"]["instructions"]

    def jump(self, time):
        return cost(self.faultline("show", "--at", f"@{time}", self.recording), env=self.env).cpu

    def forget(self):
        """What replay keeps beside a recording to be faster the next time."""
        shutil.rmtree(f"{self.recording}.index", ignore_errors=True)

    def slow(self):
        arguments, stdin = self.p.full
        for name, words in (("valgrind none", ["--tool=none"]), ("valgrind memcheck", [])):
            self.cpu[name] = cost(["valgrind", *words, "-q", self.path("stripped"), *arguments], stdin).cpu
        self.lackey()
        self.gdb()

    def lackey(self):
        """Its trace is thrown away as it comes. Start-up is measured on its own and taken off."""
        scale = self.figures["instructions"] / self.small
        arguments, stdin = self.p.small
        tool = ["valgrind", "--tool=lackey"]
        start = cost([*tool, "--trace-mem=yes", "/bin/true"]).cpu
        used = cost([*tool, "--trace-mem=yes", self.path("stripped"), *arguments], stdin).cpu
        self.cpu["valgrind lackey, scaled"] = max(used - start, 0.0) * scale
        counted = run([*tool, self.path("stripped"), *arguments], stdin=stdin).stderr.decode()
        machine = int(re.search(r"guest instrs:\s+([\d,]+)", counted).group(1).replace(",", ""))
        self.machine_instructions = machine * scale

    def gdb(self):
        """Stopped after a while; how many instructions it had recorded by then gives the scale."""
        p = self.p
        static = self.path("static")
        run(p.command(CLANG, "-O0", static, ["-g", "-static"]))
        # It knows no AVX, which the C library chooses where it can.
        tunables = "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512F,-AVX512VL,-ERMS,-XSAVE,-XSAVEC,-BMI2"
        arguments, stdin = p.small
        words = " ".join(str(a) for a in arguments) + (f" < {stdin}" if stdin else "") + " > /dev/null"
        script = ["set confirm off", "set pagination off", f"set environment {tunables.replace('=', ' ', 1)}",
                  "break main", f"run {words}", "set record full insn-number-max unlimited", "record full",
                  "python import time; began = time.process_time()", "continue",
                  "python print('USED', time.process_time() - began)", "info record", "kill"]
        command = ["timeout", "-s", "INT", str(GDB_SECONDS), "gdb", "-nx", "-q", "-batch"]
        for line in script:
            command += ["-ex", line]
        said = run(command + [static], check=False).stdout.decode(errors="replace")
        used = re.search(r"USED ([\d.]+)", said)
        many = re.search(r"Highest recorded instruction number is (\d+)", said)
        if used and many and int(many.group(1)) > 1000:
            self.cpu["gdb record full, scaled"] = float(used.group(1)) / int(many.group(1)) * self.machine_instructions
        else:
            print(f"gdb could not record {p.name}: {said.strip().splitlines()[-1:]}", file=sys.stderr)

    def all(self):
        self.build()
        self.repeat()
        self.replay()
        if not self.options.quick:
            self.slow()
        self.forget()
        self.recording.unlink()
        self.kept().write_text(json.dumps({"cpu": self.cpu, "figures": self.figures}))
        return self

    def kept(self):
        return self.work / f"{self.p.name}.figures.json"

    def load(self):
        kept = json.loads(self.kept().read_text())
        self.cpu, self.figures = kept["cpu"], kept["figures"]
        return self


# figure, how it is put together from the programs, what it must be, what is aimed for
FIGURES = [
    ("recording ÷ clang -O0, worst", lambda m: max(x.cpu["recording"] / x.cpu["clang -O0"] for x in m), "≤ 1.5", ""),
    ("recording ÷ clang -O0, mean", lambda m: geometric([x.cpu["recording"] / x.cpu["clang -O0"] for x in m]), "",
     "≤ 0.9"),
    ("bytes per instruction, worst", lambda m: max(x.figures["bytes / instruction"] for x in m), "≤ 0.05", "≤ 0.004"),
    ("Memcheck ÷ recording, least", lambda m: min(x.cpu["valgrind memcheck"] / x.cpu["recording"] for x in m),
     "≥ 10", "≥ 20"),
    ("plain from faultline-cc ÷ clang's, worst", lambda m: max(x.figures["faultline-cc / clang"] for x in m),
     "≤ 1.02", "1.00"),
    ("variant build ÷ own -O2 build, worst", lambda m: max(x.figures["variant build / own build"] for x in m),
     "≤ 3", "≤ 1.5"),
    ("replay, million instructions/s, least", lambda m: min(x.figures["replay, million/s"] for x in m),
     "≥ 100", "≥ 1,000"),
    ("jump to a random instance, s, once replayed", lambda m: max(x.figures["jump, s"] for x in m), "≤ 2", "≤ 0.3"),
    ("first jump, to the middle of 10⁹ instructions, s",
     lambda m: max(x.figures["first jump, to the middle, s"] * 1e9 / x.figures["instructions"] for x in m),
     "≤ 2", "≤ 0.3"),
    ("memory of replay, MB, most", lambda m: max(x.figures["replay memory, MB"] for x in m), "≤ 4,295", "≤ 1,074"),
]


def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def table(rows):
    head, *body = rows
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in body])


def report(measured, options):
    names = [m.p.name for m in measured]
    ways = list(measured[0].cpu)
    times = [["CPU time ÷ clang -O0"] + names + ["geometric mean"]]
    for way in ways:
        ratios = [m.cpu[way] / m.cpu["clang -O0"] if way in m.cpu else None for m in measured]
        mean = number(geometric(ratios)) if None not in ratios else "-"
        times.append([way] + ["-" if r is None else number(r) for r in ratios] + [mean])
    times.append(["(clang -O0, s)"] + [number(m.cpu["clang -O0"]) for m in measured] + [""])
    rest = [["of each program"] + names]
    for figure in ("instructions", "bytes / instruction", "faultline-cc / clang", "variant build / own build",
                   "replay, million/s", "replay memory, MB", "jump, s", "first jump, to the middle, s"):
        rest.append([figure] + [number(m.figures[figure]) if figure in m.figures else "-" for m in measured])
    rest.append(["replay"] + ["exact" if m.figures["exact"] else "NOT EXACT" for m in measured])
    targets = [["figure", "ours", "must", "aim"]]
    for name, of, must, aim in FIGURES:
        try:
            targets.append([name, number(of(measured)), must, aim])
        except KeyError:
            continue  # --quick
    repeats = f"Medians of {options.repeats} interleaved repeats."
    return "\n\n".join([table(targets), repeats, table(times), table(rest)]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", default=str(ROOT / "build/bench"))
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--programs", default=",".join(programs.MAKERS))
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", action="store_true", help="measure only what was not measured before")
    parser.add_argument("--write", type=pathlib.Path, help="replace what stands between <!-- bench/recording.py --> and its end there")
    options = parser.parse_args()
    measured = []
    work = pathlib.Path(options.work).resolve()
    for program in programs.prepare(options.programs.split(","), work):
        measurement = Measurement(program, work, options)
        if options.keep and measurement.kept().exists():
            measured.append(measurement.load())
            continue
        print(f"measuring {program.name} ...", file=sys.stderr)
        measured.append(measurement.all())
    answer = report(measured, options)
    print(answer)
    if options.write:
        mark = "<!-- bench/recording.py -->"
        before, _, rest = options.write.read_text().partition(mark)
        end = "<!-- end of bench/recording.py -->"
        _, _, after = rest.partition(end)
        options.write.write_text(before + mark + "\n\n" + answer + "\n" + end + after)


if __name__ == "__main__":
    main()
