#!/bin/sh
# Damages many recordings, FIR images and programs, and reads each as the commands would: none may crash,
# hang or ask for wild amounts of memory. A failure names its mutant; run that alone with FAULTLINE_MUTANT=K.
#
#   scripts/mutate.sh [BUILD [MUTANTS]]     default: build/release 10000
set -eu
build=${1:-$(dirname "$0")/../build/release}
FAULTLINE_MUTANTS=${2:-10000} exec "$build/bin/test_cli" --gtest_filter='MutatedFiles.*'
