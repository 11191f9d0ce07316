#!/usr/bin/env python3
"""What slices and origins cost as a run grows.

    bench/slicing.py [--work DIR] [--bin DIR] [--most INSTRUCTIONS]

Two programs of our own, one in which nearly everything influences the failure and one in which little does, are run
at lengths from 10^6 instructions on (ten times more each step, up to --most, 10^8 by default) and recorded. Asked, each
in a process of its own: the first slice, the same again, one of another value, the origin, a relevant slice. Prints processor seconds, how
that is to a plain replay of the same run, and the most memory; beside them what must be reached and what is aimed at.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

DENSE = """
#include <stdlib.h>
static unsigned table[4096];
static unsigned mix(unsigned h, unsigned v) { h ^= v; h *= 16777619u; return h; }
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  unsigned h = 2166136261u, other = 0;
  for (int i = 0; i < n; i++) {
    unsigned k = mix(h, i) & 4095;
    table[k] += i;
    if (i % 3 == 0) h = mix(h, table[k]);
    else other += table[(k + 1) & 4095];
  }
  int *p = h | 1 ? NULL : &n;
  *p = h;
  return other;
}
"""

SPARSE = """
#include <stdlib.h>
static unsigned table[4096];
static int wanted;
static void work(unsigned i) {
  for (int k = 0; k < 40; k++) table[(i * 31 + k) & 4095] += i ^ k;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  wanted = argc * 7;
  for (int i = 0; i < n; i++) work(i);
  int *p = wanted > 3 ? NULL : &n;
  *p = wanted;
  return 0;
}
"""

# With instructions a round, about, and another value to ask for.
PROGRAMS = {"dense": (DENSE, 53, "11:h"), "sparse": (SPARSE, 640, "12:i")}


def processor_seconds(command, environment):
    """Processor seconds, kilobytes, output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    output, errors = child.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if child.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, command))}: {errors.decode(errors='replace').strip()}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, output


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--most", type=float, default=1e8)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    environment = dict(os.environ, XDG_CACHE_HOME=str(options.work / "cache"), XDG_DATA_HOME=str(options.work / "data"))
    faultline = options.bin / "faultline"
    print(f"{'program':<8}{'instructions':>14}{'in slice':>10}{'replay':>9}{'first slice':>13}{'again':>12}"
          f"{'of other':>13}{'origin':>12}{'relevant':>13}   seconds of processor; x: to replay")
    for name, (source, a_round, value) in PROGRAMS.items():
        file, program = options.work / f"slice_{name}.c", options.work / f"slice_{name}"
        file.write_text(source)
        subprocess.run([options.bin / "faultline-cc", "-O2", "-g", file, "-o", program], check=True)
        length = 1e6
        while length <= options.most * 1.01:
            recording = options.work / f"slice_{name}.flr"
            subprocess.run([faultline, "remove", "-q", recording], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           env=environment)
            record = [faultline, "record", "-q", "-o", recording, "--", program, str(int(length / a_round))]
            subprocess.run(record, env=environment, stdout=subprocess.DEVNULL)
            replay, _ = processor_seconds([faultline, "verify", "-q", recording], environment)
            ask = lambda *words: processor_seconds([faultline, *words, "--json", recording], environment)
            first, answer = ask("slice")
            following, _ = ask("slice")
            other, _ = ask("slice", "--at", f"{file.name}:{value}")
            origin, _ = ask("origin")
            relevant, _ = ask("slice", "--relevant")
            stats = json.loads(answer)["stats"]
            share = stats["instances"] / max(1, stats["walked"])
            cells = "".join(f"{t:>7.2f} {t / replay:>4.1f}x" for t in (first, following, other, origin, relevant))
            print(f"{name:<8}{stats['walked']:>14,}{share:>9.1%} {replay:>8.2f}  {cells}", flush=True)
            length *= 10
    print("\n10^8 instructions: first slice must be <= 5 s (aim 1), next <= 1 (aim 0.1), origin <= 2 (aim 0.2).")
    print(f"Most memory of any of them: {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:,.0f} MiB "
          "(must 4 GiB, aim 1 GiB).")


if __name__ == "__main__":
    main()
