#!/bin/sh
# Fuzzes one kind of file with libFuzzer. The seeds are made by a release build, the fuzzer by the preset fuzz:
#
#   cmake --preset fuzz && cmake --build build/fuzz --target fuzz_recording fuzz_image fuzz_program
#   scripts/fuzz.sh recording|image|program [SECONDS]
#
# What it finds is kept in build/fuzz/corpus; give a crash to the fuzzer as its only argument.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
kind=$1 seconds=${2:-60}
release=${FAULTLINE_RELEASE:-$root/build/release} fuzz=${FAULTLINE_FUZZ:-$root/build/fuzz}
work=${FAULTLINE_FUZZ_WORK:-$root/build/fuzz/corpus}
mkdir -p "$work/$kind"
[ -d "$work/seeds" ] ||
  FAULTLINE_KEEP=$work/seeds "$release/bin/test_cli" --gtest_filter=MutatedFiles.TheGoodOnesAreRead >/dev/null
cd "$work"
FAULTLINE_FIR=$work/seeds/image exec "$fuzz/bin/fuzz_$kind" -max_total_time="$seconds" -timeout=20 \
  -rss_limit_mb=3000 -max_len=1000000 -len_control=0 -artifact_prefix="$work/$kind-" "$work/$kind" "$work/seeds/$kind"
