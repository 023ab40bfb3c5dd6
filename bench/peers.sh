#!/bin/sh
# peers.sh [BUILD] [--kernels a,b] [--rounds N] [--warm S] [--quick] [--only one|all|first] [--markdown] - the kernels of bench/peers/ by
# Lockstep, by its interpreter alone, by PoCL (OpenCL on the processor) and as plain C with OpenMP: steady and first launch, one
# thread and all cores, with PoCL's time by ours. BUILD is a release build folder (build/release). PoCL and OpenMP are optional:
# what is not there is told of and left out. What is measured, and how: bench/README.md.
set -eu
cd "$(dirname "$0")/.."
build=build/release
case ${1:-} in
'' | -*) ;;
*) build=$1 && shift ;;
esac

say() { printf 'bench/peers.sh: %s\n' "$*" >&2; }

if ! [ -x "$build/bench/bench_peers_cuda" ]; then
    say "$build/bench/bench_peers_cuda is not built: cmake --preset release && cmake --build --preset release"
    exit 1
fi
if ! [ -x "$build/bench/bench_peers_openmp" ]; then
    say 'OpenMP is left out: the C compiler of this build does not take -fopenmp -march=native (gcc does)'
fi
if ! [ -x "$build/bench/bench_peers_opencl" ]; then
    say 'PoCL is left out: its program is not built, as CL/cl.h or libOpenCL.so was not found.' \
        'scripts/setup.sh --peers installs them and PoCL; then configure and build again'
elif ! "$build/bench/bench_peers_opencl" --about >/dev/null; then
    say 'PoCL is left out: it is not installed: scripts/setup.sh --peers'
fi
exec python3 bench/peers/compare.py --build "$build" "$@"
