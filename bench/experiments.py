#!/usr/bin/env python3
"""Experiments per second and core: in one process that goes back, against fork + exec and fork at the point.

    ninja -C build/release faultline faultline-cc bench_experiments
    bench/experiments.py [--work DIR] [--bin DIR] [--turns N] [--write docs/figures.md]

A program of our own fills 1 or 200 MB, and then does about 10^4 instructions of work that write 16 pages far from each
other. An experiment switches one decision in it and runs to the end: in our one process (from a point of its own each, or
several from the same point, compared with the recording as always), by posix_spawn of the ordinary program, and by a fork
of the ordinary program where the work begins. Ordinary programs are -O2 without instrument, and alter nothing: what is
compared is the cost of one more run. What is done once, starting and walking to the first point, is told apart from the
rate. Interleaved, medians of the turns.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

SOURCE = r"""
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned char *memory;
static size_t size;

/* About 25 instructions a round. */
static unsigned work(unsigned h) {
  for (unsigned i = 0; i < 600; i++) {
    h = (h ^ i) * 16777619u;
    if (h & 64) h ^= 0x5bd1e995u;
    memory[size / 16 * (i % 16) + (h & 4095)] += (unsigned char)h;
  }
  return h;
}

static int finish(void) {
  unsigned h = work(2166136261u);
  printf("%u\n", h);
  return h & 1;
}

int main(int argc, char **argv) {
  size = (size_t)atoi(argv[1]) << 20;
  int forks = argc > 2 ? atoi(argv[2]) : 0;
  memory = malloc(size + 4096);
  for (size_t k = 0; k < size; k += 4096) memory[k] = (unsigned char)(k >> 12);
  if (forks == 0) return finish();
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int k = 0; k < forks; k++) {
    int status;
    pid_t child = fork();
    if (child == 0) {
      freopen("/dev/null", "w", stdout);
      exit(finish());
    }
    waitpid(child, &status, 0);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  printf("%.1f\n", forks / (end.tv_sec - begin.tv_sec + 1e-9 * (end.tv_nsec - begin.tv_nsec)));
  return 0;
}
"""

MUST = {1: (3000, 20000), 200: (1000, 8000)}


def report(results):
    lines = ["| way | 1 MB, a second | 200 MB, a second | once, 1 MB, ms | once, 200 MB, ms |", "| --- | --- | --- | --- | --- |"]
    ways = {"one_process": "one process, each from its own point", "one_process_same_point": "the same, several from one point",
            "fork": "fork at the point", "spawn": "posix_spawn, the whole run"}
    for key, name in ways.items():
        small, large = results[1][key], results[200][key]
        lines.append(f"| {name} | {small['a_second']:,.0f} | {large['a_second']:,.0f} | {small['start_seconds'] * 1e3:,.0f} | "
                     f"{large['start_seconds'] * 1e3:,.0f} |")
    lines += ["", "| figure | reached | must | aim |", "| --- | --- | --- | --- |"]
    for size, (must, aim) in MUST.items():
        r = results[size]
        rate = r["one_process"]["a_second"]
        lines.append(f"| experiments a second, {size} MB | {rate:,.0f} | ≥ {must:,} | ≥ {aim:,} |")
        lines.append(f"| against fork + exec, {size} MB | {rate / r['spawn']['a_second']:,.1f}× | ≥ 5× | ≥ 20× |")
    each = ", ".join(f"{results[s]['pages_restored_each']:.0f} at {s} MB" for s in MUST)
    return "\n".join(lines) + f"\n\nPages brought back after an experiment, memory and shadow: {each}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/bench")
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--write", type=pathlib.Path, help="replace what is between the marks of this script there")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    tool = options.bin / "bench_experiments"
    if not tool.exists():
        sys.exit(f"{tool} is not there: ninja -C build/release bench_experiments")
    environment = dict(os.environ, XDG_CACHE_HOME=str(options.work / "cache"))
    file, program = options.work / "experiments.c", options.work / "experiments"
    file.write_text(SOURCE)
    subprocess.run([options.bin / "faultline-cc", "-O2", "-g", file, "-o", program], check=True)
    results = {}
    for size in MUST:
        run = subprocess.run([tool, program, str(size), str(options.turns)], env=environment, stdout=subprocess.PIPE, check=True)
        results[size] = json.loads(run.stdout)
    answer = report(results)
    print(answer)
    if options.write:
        mark, end = "<!-- bench/experiments.py -->", "<!-- end of bench/experiments.py -->"
        before, _, rest = options.write.read_text().partition(mark)
        _, _, behind = rest.partition(end)
        options.write.write_text(f"{before}{mark}\n\n{answer}\n{end}{behind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
