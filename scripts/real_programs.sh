#!/usr/bin/env bash
# Builds programs from Debian's sources with clang and with our compilers, runs their own tests with clang's
# executable, with our ordinary one and again with a recorder in its place, replays what was recorded, and does the
# same with a crash that one changed line brings in. Ends with a table; status 1 if something in it is not as it
# should be.
#
#   scripts/real_programs.sh [--work DIR] [--bin DIR] [--sample N] [--epochs N] [PACKAGE...]
#
# --work    where all of it goes (build/real)
# --bin     where faultline and its compilers are (build/release/bin)
# --sample  how many of a package's recordings to replay (60; 0: all)
# --epochs  runs with more epochs than this are not replayed (100000000; about 1 s for 10^7)
#
# Needs what Debian's build of these packages needs: see `tools` below; it says what is missing.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

all="bc bzip2 gzip grep sed lua5.4 sqlite3 leveldb tinyxml2 pbzip2 jq"
tools="bc dc dpkg-dev flex bison ed texinfo autoconf automake libtool libtool-bin tcl-dev libonig-dev libbz2-dev \
libgtest-dev libgmock-dev libbenchmark-dev cmake ninja-build make"
work=$root/build/real bin=$root/build/release/bin sample=60 epochs=100000000
while [[ ${1-} == --* ]]; do
  case $1 in
  --work) mkdir -p "$2" && work=$(cd "$2" && pwd) ;;
  --bin) bin=$(cd "$2" && pwd) ;;
  --sample) sample=$2 ;;
  --epochs) epochs=$2 ;;
  *) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" | sed '$d' >&2; exit 2 ;;
  esac
  shift 2
done
packages=${*:-$all}
[[ -x $bin/faultline ]] || { echo "no faultline in $bin: build it first, or name the place with --bin" >&2; exit 2; }
missing=$(for t in $tools; do dpkg-query -W -f '${db:Status-Status}' "$t" 2>/dev/null | grep -qx installed || echo "$t"; done)
[[ -z $missing ]] || { echo "missing packages; as root run: apt-get install" $missing >&2; exit 2; }

export PATH=$bin:$PATH CC=faultline-cc CXX=faultline-c++ XDG_CACHE_HOME=$work/cache XDG_DATA_HOME=$work/data
export LC_ALL=C
unset MAKEFLAGS CFLAGS CXXFLAGS LD_LIBRARY_PATH
mkdir -p "$work/downloads"
table=$work/table.tsv

# ---- sources -------------------------------------------------------------------------------------------------

# apt with lists of its own: needs no rights and no deb-src in the machine's configuration.
apt_source() {
  local apt=$work/apt
  if [[ ! -e $apt/ready ]]; then
    mkdir -p "$apt/lists/partial"
    local key=/usr/share/keyrings/debian-archive-keyring.gpg
    printf 'deb-src [signed-by=%s] http://deb.debian.org/debian bookworm main\n' $key >"$apt/sources.list"
    apt-get "${apt_options[@]}" -qq update && touch "$apt/ready" || return
  fi
  apt-get "${apt_options[@]}" -qq source --download-only "$@"
}
apt_options=(-o "Dir::Etc::SourceList=$work/apt/sources.list" -o Dir::Etc::SourceParts=- -o "Dir::State::Lists=$work/apt/lists"
  -o "Dir::Cache::srcpkgcache=" -o "Dir::Cache::pkgcache=" -o APT::Sandbox::User= -o Debug::NoLocking=1)

# fetch PACKAGE DIRECTORY: unpacked, patched as Debian does.
fetch() {
  (
    cd "$work/downloads" || exit
    ls "$1"_*.dsc >/dev/null 2>&1 || apt_source "$1" || exit
    rm -rf "$2"
    dpkg-source --no-check -q -x "$(ls "$1"_*.dsc | tail -n 1)" "$2"
  ) || return
  # Debian's patches are younger than what was generated from the files they change.
  (cd "$2" && for f in aclocal.m4 config.h.in config.hin configure; do [[ -e $f ]] && touch "$f"; done
    sleep 0.05
    find . -name Makefile.in -exec touch {} +)
}

# ---- the recorder in place of a program ------------------------------------------------------------------------

# put_recorder FILE...: each moves to .recorded/ beside it. Its name stays, since programs print it.
put_recorder() {
  local file folder name
  for file; do
    folder=$(cd "$(dirname "$file")" && pwd) name=$(basename "$file")
    mkdir -p "$folder/.recorded" "$recordings"
    mv "$file" "$folder/.recorded/$name"
    clang-19 -O1 -o "$file" "$root/scripts/real_recorder.c" -DNAME="\"$name\"" -DPROGRAM="\"$folder/.recorded/$name\"" \
      -DRECORDINGS="\"$recordings\"" -DCACHE="\"$XDG_CACHE_HOME\"" -DFAULTLINE="\"$bin/faultline\""
  done
}

# ---- the packages ------------------------------------------------------------------------------------------------
#
# build_X    in the unpacked source
# programs_X what to record, one path per line
# suite_X    runs the tests; the last line it prints is "PASSED TOTAL" (skipped ones do not count)
# crash_X    brings a crash in, builds again, and sets `crash` to the command that crashes

# Of automake's summaries, as many as there are. After a failure it prints the log with the same lines again.
automake_result() {
  awk '/^Testsuite summary/ {on = 1} !on {next} /^# TOTAL:/ {t += $3} /^# (PASS|XFAIL):/ {p += $3} /^# SKIP:/ {t -= $3}
    /^# ERROR:/ {on = 0} END {print p+0, t+0}' "$1"
}
automake_suite() { # DIRECTORY [MAKE ARGUMENTS...]
  local log=$logs/suite.out directory=$1
  shift
  make -C "$directory" -k check VERBOSE=1 "$@" >"$log" 2>&1
  grep -aE '^(FAIL|ERROR|XPASS):' "$log"
  automake_result "$log"
}
# check NAME COMMAND...: one test, between tests_begin and tests_end
tests_begin() { passed=0 total=0; }
check() {
  total=$((total + 1))
  if "${@:2}"; then passed=$((passed + 1)); else echo "FAIL: $1"; fi
}
tests_end() { echo "$passed $total"; }

# GCC 12, which Debian uses, warns where clang stops: hence a flag here and there.
build_bc() { ./configure -q CFLAGS="-g -O2 -Wno-implicit-function-declaration" && make; }
programs_bc() { printf '%s\n' bc/bc dc/dc; }
suite_bc() { # its scripts have no expected output: Debian's own build of it makes it
  tests_begin
  local t
  for t in array arrayp aryprm atan exp ln sine sqrt sqrt1 sqrt2 div testfn; do
    /usr/bin/bc -l Test/$t.b </dev/null >"$logs/want" 2>&1
    bc/bc -l Test/$t.b </dev/null >"$logs/have" 2>&1
    check $t cmp "$logs/want" "$logs/have"
  done
  echo '2 500 ^ p 16 o p [x]P 5 k 2 v p q' | /usr/bin/dc >"$logs/want" 2>&1
  echo '2 500 ^ p 16 o p [x]P 5 k 2 v p q' | dc/dc >"$logs/have" 2>&1
  check dc cmp "$logs/want" "$logs/have"
  tests_end
}
crash_bc() {
  sed -i 's/point5 = bc_new_num (1,1);/point5 = NULL;/' lib/number.c && make
  echo 'sqrt(2)' >crash.in
  crash=(bc/bc crash.in)
}

build_bzip2() { make CC="$CC" bzip2 bzip2recover; }
programs_bzip2() { echo bzip2; }
suite_bzip2() {
  make CC="$CC" -k check >"$logs/suite.out" 2>&1
  local ok=$?
  tests_begin
  for f in sample1 sample2 sample3; do
    check "compress $f" cmp $f.bz2 $f.rb2
    check "decompress $f" cmp $f.tst $f.ref
  done
  check "make check" [ $ok = 0 ]
  tests_end
}
crash_bzip2() {
  sed -i '/s->block             = (UChar\*)s->arr2;/d' bzlib.c && make CC="$CC" bzip2
  export LD_LIBRARY_PATH=$PWD # it links its own libbz2.so
  crash=(./bzip2 -c sample1.ref)
}

build_gzip() { ./configure -q && make; }
programs_gzip() { echo gzip; }
suite_gzip() { # list-big packs 4 GiB of zeros: minutes of recording
  automake_suite tests TESTS="$(sed -n '/^TESTS =/,/[^\\]$/p' tests/Makefile.am | tr -d '\\' | sed 's/TESTS =//; s/list-big//' | tr -s '\t\n' ' ')"
}
crash_gzip() {
  sed -i 's/ct_data near \*tree   = desc->dyn_tree;/ct_data near *tree = NULL;/' trees.c && make gzip
  crash=(./gzip -c configure)
}

# Tests that run it under Valgrind: 3.19 cannot read clang's DWARF 5.
build_grep() { ./configure -q CFLAGS="-g -gdwarf-4 -O2" && make; }
programs_grep() { echo src/grep; }
suite_grep() { automake_suite tests; }
crash_grep() {
  sed -i '/kwset->trie = obstack_alloc/d' src/kwset.c && make -C src grep
  crash=(src/grep -F -e one -e two configure)
}

build_sed() { ./configure -q CFLAGS="-g -gdwarf-4 -O2" && make; }
programs_sed() { echo sed/sed; }
suite_sed() { automake_suite . SUBDIRS=.; } # not those of gnulib
crash_sed() {
  sed -i 's/^  output_missing_newline (outf);/  outf = NULL; output_missing_newline (outf);/' sed/execute.c && make sed/sed
  crash=(sed/sed -n 1p configure)
}

build_lua5.4() { # Debian's rules write this header
  printf '#define DEB_HOST_MULTIARCH "%s"\n' "$(dpkg-architecture -qDEB_HOST_MULTIARCH)" >src/lua5.4-deb-multiarch.h
  make -C src linux V=5.4 LIBTOOL=libtool CC="$CC" CXX="$CXX" RPATH=/nowhere || return
  fetch lua-lpeg "$PWD/lpeg" && cd lpeg && # the Lua source has no tests; a large module has
    "$CC" -O2 -g -fPIC -shared -I../src -o lpeg.so lp*.c
}
programs_lua5.4() { if [[ -x src/.libs/lua5.4 ]]; then echo src/.libs/lua5.4; else echo src/lua5.4; fi; }
suite_lua5.4() {
  tests_begin
  check lpeg sh -c "cd lpeg && ../$(programs_lua5.4) test.lua 2>&1 | tail -n 1 | grep -q OK"
  local t
  for t in 'string.rep("x",1000):gsub("x","yy")' 'table.concat({1,2,3},",")' 'select("#",table.unpack({},1,200))' \
    'pcall(error,{})' 'coroutine.wrap(function() coroutine.yield(7) end)()' 'string.format("%5.2f|%q",math.pi,"a\n")' \
    'math.tointeger(2^53)' 'utf8.char(228,8364)' 'os.time{year=2020,month=1,day=1,hour=0}' '#arg' 'load("x=")'; do
    check "$t" "$(programs_lua5.4)" -e "local r = {$t}; assert(#r >= 0); print(table.unpack(r))" -
  done </dev/null
  tests_end
}
crash_lua5.4() {
  sed -i '0,/char \*p = luaL_buffinitsize(L, &b, l);/s//char *p = NULL;/' src/lstrlib.c
  make -C src linux V=5.4 LIBTOOL=libtool CC="$CC" CXX="$CXX" RPATH=/nowhere
  crash=("$(programs_lua5.4)" -e 'print(("abc"):reverse())')
}

build_sqlite3() { mkdir -p out && cd out && ../configure -q --disable-shared && make sqlite3 testfixture; }
programs_sqlite3() { printf '%s\n' out/sqlite3 out/testfixture; }
suite_sqlite3() { # a part of `make quicktest`, which takes hours
  local t log=$logs/suite.out
  : >"$log"
  for t in select1 select2 select3 insert insert2 update delete expr func1 index index2 join join2 trigger1 view \
    where where2 sort collate1 types date like printf json101 with1 window1 upsert1 trans savepoint shell1 shell2; do
    (cd out && ./testfixture ../test/$t.test) >>"$log" 2>&1
  done
  grep -a '^!Failures' "$log"
  awk '/errors out of [0-9]+ tests/ {p += $5 - $1; t += $5} END {print p+0, t+0}' "$log"
}
crash_sqlite3() {
  sed -i '/^static void hexFunc/,/^}/s/pBlob = sqlite3_value_blob(argv\[0\]);/pBlob = 0;/' src/func.c && make -C out sqlite3
  crash=(out/sqlite3 :memory: "create table t(a); insert into t values('xyz'); select hex(a) from t;")
}

build_leveldb() { cmake -S . -B out -G Ninja -DLEVELDB_BUILD_BENCHMARKS=OFF && ninja -C out; }
programs_leveldb() { find out -maxdepth 1 -name '*_test' -type f -perm -1; }
suite_leveldb() {
  (cd out && ctest --timeout 1500) >"$logs/suite.out" 2>&1
  grep -aE '\*\*\*' "$logs/suite.out"
  awk '/tests passed/ {t = $NF; p = $NF - $4} END {print p+0, t+0}' "$logs/suite.out"
}
crash_leveldb() {
  sed -i 's/char\* result = new char\[block_bytes\];/char* result = nullptr;/' util/arena.cc && ninja -C out issue200_test
  crash=(out/issue200_test)
}

build_tinyxml2() { make CXX="$CXX" xmltest; }
programs_tinyxml2() { echo xmltest; }
suite_tinyxml2() {
  ./xmltest >"$logs/suite.out" 2>&1
  grep -a '\[fail\]' "$logs/suite.out"
  awk '/^Pass [0-9]+, Fail/ {print $2 + 0, $2 + $4}' "$logs/suite.out"
}
crash_tinyxml2() {
  sed -i 's/_lastChild->_next = addThis;/_lastChild->_next->_next = addThis;/' tinyxml2.cpp && make CXX="$CXX" xmltest
  crash=(./xmltest)
}

build_pbzip2() { make CXX="$CXX" CXXFLAGS="-g -O2 -Wno-reserved-user-defined-literal"; }
programs_pbzip2() { echo pbzip2; }
suite_pbzip2() { # has no tests: there and back, with several threads
  local n
  tests_begin
  for n in 1 2 4 8; do
    head -c ${n}00000 pbzip2.cpp >plain
    ./pbzip2 -k -f -p$n -b1 plain
    check "test -p$n" ./pbzip2 -t -p$n plain.bz2
    check "decompress -p$n" sh -c "./pbzip2 -d -c -p$n plain.bz2 | cmp - plain"
    check "through pipes -p$n" sh -c "./pbzip2 -c -p$n <plain | ./pbzip2 -d -c -p$n | cmp - plain"
  done
  tests_end
}
crash_pbzip2() {
  sed -i 's/outBlock = &OutputBuffer\[outBufferPos\];/outBlock = NULL;/' pbzip2.cpp && build_pbzip2
  crash=(./pbzip2 -k -c -p4 -b1 pbzip2.cpp)
}

build_jq() { autoreconf -fi && ./configure -q --disable-shared --disable-docs --disable-valgrind --disable-maintainer-mode && make; }
programs_jq() { echo jq; }
suite_jq() { automake_suite .; }
crash_jq() {
  sed -i '0,/jvp_string\* s = jv_mem_alloc(.*/s//jvp_string* s = NULL;/' src/jv.c && make jq
  crash=(./jq -n '"a"')
}

failing() { sed -nE 's/^(FAIL|ERROR|XPASS|!Failures on these tests): *//p' "$1" | sort -u; }

# ---- one package ---------------------------------------------------------------------------------------------

# What the package's tests say of clang's own executable. For run_package, whose variables it reads.
clang_suite() {
  fetch "$package" "$folder-clang" >"$logs/fetch-clang.out" 2>&1 || { echo no-source; return; }
  mkdir -p "$logs/clang"
  (
    logs=$logs/clang CC=clang-19 CXX=clang++-19
    cd "$folder-clang" || exit
    (build_"$package") >"$logs/build.out" 2>&1
    suite_"$package" >"$logs/suite-said.out" 2>&1
    tail -n 1 "$logs/suite-said.out" | tr ' ' /
  )
  rm -rf "$folder-clang"
}

run_package() { # in a subshell: leaves its line in $table
  local package=$1 folder=$work/$1 began=$SECONDS clang=- ordinary=- recorded=- verified crashed=-
  recordings=$work/$package.recordings logs=$work/$package.logs crash=()
  rm -rf "$folder" "$folder-clang" "$recordings" "$logs"
  mkdir -p "$logs"
  line() { printf '%s\t' "$package" "$clang" "$ordinary" "$recorded" "$@" "$crashed" >>"$table"; printf '%ss\n' $((SECONDS - began)) >>"$table"; }
  echo "== $package"
  fetch "$package" "$folder" >"$logs/fetch.out" 2>&1 || { echo "cannot fetch it, see $logs/fetch.out"; line no-source -; return 1; }
  cd "$folder" || return
  clang=$(clang_suite)
  echo "   clang's:  $clang  [$((SECONDS - began)) s]"
  (build_"$package") >"$logs/build.out" 2>&1
  local program
  for program in $(programs_"$package"); do
    [[ -x $program ]] || { echo "does not build, see $logs/build.out"; line no-build -; return 1; }
  done
  suite_"$package" >"$logs/ordinary.out" 2>&1
  ordinary=$(tail -n 1 "$logs/ordinary.out" | tr ' ' /)
  echo "   ordinary: $ordinary  [$((SECONDS - began)) s]"
  put_recorder $(programs_"$package")
  suite_"$package" >"$logs/recorded.out" 2>&1
  recorded=$(tail -n 1 "$logs/recorded.out" | tr ' ' /)
  echo "   recorded: $recorded, $(find "$recordings" -name '*.flr' | wc -l) recordings  [$((SECONDS - began)) s]"
  verified=$(python3 "$root/scripts/real_verify.py" --faultline "$bin/faultline" --sample "$sample" --epochs "$epochs" \
    --details "$logs/verify.out" "$recordings")
  echo "   verified: ${verified//$'\t'/, }  [$((SECONDS - began)) s]"
  crash_"$package" >"$logs/crash.out" 2>&1
  faultline record -q -o "$logs/crash.flr" -- "${crash[@]}" >>"$logs/crash.out" 2>&1 </dev/null
  local ending
  # bzip2 has a handler for SIGSEGV, which ends it with a status
  ending=$(faultline info "$logs/crash.flr" 2>/dev/null |
    sed -nE 's/^ended *(killed by [A-Z0-9]+|exited with status [1-9][0-9]*).*/\1/p')
  if [[ -z $ending ]]; then crashed="no crash"
  elif faultline verify "$logs/crash.flr" >>"$logs/crash.out" 2>&1; then crashed="exact, $ending"
  else crashed="NOT EXACT, $ending"; fi
  echo "   crash:    $crashed"
  line $verified
  # What is inexact is kept, to be looked into.
  [[ $verified == *inexact* ]] || rm -rf "$recordings"
  local lost # a test that failed anyway (as root, or for want of a locale) is not ours
  lost=$(comm -13 <(failing "$logs/ordinary.out") <(failing "$logs/recorded.out") | tr '\n' ' ')
  [[ -z $lost ]] || echo "   fails only when recorded: $lost"
  [[ -z $lost && $ordinary != 0/* && $crashed == exact* ]]
}

: >"$table"
status=0
for package in $packages; do (run_package "$package") || status=1; done
{
  printf 'package\tclang\tordinary\trecorded\texact\tinstructions\tlog bytes\tcrash\ttime\n'
  cat "$table"
} | column -t -s $'\t'
grep -q 'inexact' "$table" && status=1
exit $status
