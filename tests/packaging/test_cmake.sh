#!/usr/bin/env bash
# test_cmake.sh BUILD SOURCE CLANG: a project that says find_package(Lockstep), against an installed tree: a clean program passes, one
# with a race fails, a gate passes with its baseline and fails with another program's.
set -euo pipefail
build=$1 source=$2
export LOCKSTEP_CLANG=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad() { echo "$*"; exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; bad "failed: $*"; }; }

quiet cmake --install "$build" --prefix "$work/tree"
mkdir "$work/project"
cd "$work/project"
cp "$source/examples/vectorAdd.cu" "$source/examples/common.h" .
cp "$source/tests/check/shared_write_after_read.cu" race.cu
cp "$source/tests/check/check.h" .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(clients LANGUAGES NONE)
find_package(Lockstep 0.1 REQUIRED)
enable_testing()
lockstep_add_executable(vectorAdd vectorAdd.cu)
lockstep_add_executable(race race.cu)
lockstep_add_test(vectorAdd)
lockstep_add_test(race TOOLS racecheck)
lockstep_add_gate(vectorAdd BASELINE vectorAdd.gate)
lockstep_add_gate(race BASELINE vectorAdd.gate NAME another)
END
quiet cmake -S . -B build -DCMAKE_PREFIX_PATH="$work/tree"
quiet cmake --build build
quiet cmake --build build --target vectorAdd_gate_update
[ -s vectorAdd.gate ] || bad 'no baseline was written'
cd build
quiet ctest -R '^(vectorAdd_lockstep|vectorAdd_gate)$' --no-tests=error
for test in race_lockstep another; do
    ! ctest -R "^$test\$" --no-tests=error -V >"$work/log" 2>&1 || { cat "$work/log"; bad "$test passed"; }
done
touch -d '+5 seconds' ../common.h
cmake --build . >"$work/log" 2>&1
grep -q 'vectorAdd by lockstep cc' "$work/log" || bad 'a header that changed made nothing anew'
sed -i 's/find_package(Lockstep 0.1/find_package(Lockstep 99/' ../CMakeLists.txt
! cmake -S .. -B newer -DCMAKE_PREFIX_PATH="$work/tree" >"$work/log" 2>&1 || bad 'version 99 was found'
