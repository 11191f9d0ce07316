# What ./check and ./demo share; to be sourced from the root of the tree.

jobs="$(nproc)"
if command -v ccache >/dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CCACHE_SLOPPINESS=pch_defines,time_macros # else nothing with precompiled headers is kept
fi

# step TITLE: says what begins, and how long we have been at it.
step() { printf '== %s  [%d:%02d]\n' "$1" $((SECONDS / 60)) $((SECONDS % 60)); }

# build PRESET TARGET [CMAKE OPTION...]: configures and builds; quiet unless it fails.
build() {
  local preset=$1 target=$2 log
  shift 2
  mkdir -p build
  log="build/$preset.log"
  if ! { cmake --preset "$preset" "$@" && cmake --build --preset "$preset" --target "$target" --parallel "$jobs"; } \
    >"$log" 2>&1 </dev/null; then
    # The first error is what one needs; Ninja's own words around it follow.
    grep -nE -m 20 'error|FAILED|CMake Error' "$log" >&2 || true
    echo "The $preset build failed; the end of $log:" >&2
    tail -n 40 "$log" >&2
    return 1
  fi
}

# run_tests PRESET [CTEST OPTION...]
# A test that fails is run once more, and the output shows both: on a busy machine one of a thousand tests with
# processes, signals and time limits in them may miss. One that needs its second chance twice wants repair.
run_tests() {
  local preset=$1
  shift
  ctest --preset "$preset" --parallel "$jobs" --no-tests=error --repeat until-pass:2 "$@" </dev/null
}
