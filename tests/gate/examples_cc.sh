#!/bin/sh
# examples_cc.sh LOCKSTEP ROOT - compiles the programs of examples/ by `lockstep cc` and checks them against their baseline: with
# the compiler that it was recorded with not even what is told may differ. With BLESS=1 it records the baseline.
set -e
lockstep=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_WORKERS
for name in $(sed -n 's/^run \([A-Za-z]*\).*/\1/p' tests/gate/examples.sh); do
    "$lockstep" cc -arch=sm_90 -lineinfo "examples/$name.cu" -o "$work/$name"
done
if [ "${BLESS:-0}" = 1 ]; then
    "$lockstep" gate record --model no -o "$work/new" -- tests/gate/examples.sh "$work"
    sed 's|^command .*|command "tests/gate/examples.sh" "."|' "$work/new" >tests/gate/examples.gate
    exit 0
fi
"$lockstep" gate check tests/gate/examples.gate -- tests/gate/examples.sh "$work" | tee "$work/said"
if grep -q 'compiler "clang 19' tests/gate/examples.gate && ! grep -q 'is of compiler' "$work/said"; then
    ! grep 'note:' "$work/said" # of another patch of clang something may
fi
