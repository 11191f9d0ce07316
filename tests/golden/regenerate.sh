#!/bin/sh
# Makes the stored .fir files again; needed when the FIR format or what the debug tables hold has changed.
#   tests/golden/regenerate.sh [BUILD_DIR]        default: build/release
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build/release}
cmake --build "$build" --target make_fir
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# As the wrappers compile (compiler/cc1_arguments.cpp), from a directory that is the same on every machine.
flags="-g -O0 -emit-llvm -c -Xclang -disable-llvm-passes -fstandalone-debug"
make() { # NAME SOURCE COMPILER [OPTION...]
  name=$1 source=$2 compiler=$3
  shift 3
  (cd "$here/$name" && $compiler $flags -fdebug-compilation-dir=/golden/$name "$source" -o "$scratch/$name.bc")
  "$build/bin/make_fir" "$scratch/$name.bc" "$here/$name/$name.fir" "$@"
}
make list list.c clang-19
make values values.cpp "clang++-19 -std=c++20" --debug-only
