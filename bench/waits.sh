#!/bin/sh
# waits.sh [BUILD] - how long kernels take whose blocks wait for each other (waits.cu), with 1, 2 and 4 workers. BUILD is a
# release build folder (build/release).
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$build/bin/lockstep" cc -O2 -arch=sm_90 bench/waits.cu -o "$work/waits"
for workers in 1 2 4; do
    printf '%s workers\n' "$workers"
    LOCKSTEP_WORKERS=$workers "$build/bin/lockstep" run "$work/waits"
done
