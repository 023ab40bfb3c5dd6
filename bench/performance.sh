#!/bin/sh
# performance.sh [BUILD] > docs/performance.md - measures the engine and the parser on this machine and writes the
# document. BUILD is a release build folder (build/release). Run it on an idle machine.
# performance.sh BUILD peers [OPTION...] - the section beside PoCL alone; options are those of bench/peers.sh.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build/release}
beside_pocl()
{
    printf '## Beside PoCL and plain C\n\n'
    cat <<'TEXT'
`bench/performance.sh build/release peers` writes this section: it runs the same kernels in CUDA by Lockstep and in OpenCL C by
PoCL, with blocks of the same size; beside them Lockstep's interpreter alone and plain loops of C with OpenMP, which are the
machine's limit. `bench/README.md` says how it is measured. A ratio above 1 says that Lockstep is faster; the goals are 1 for
every kernel and 1.5 in the geometric mean, of the steady state on one thread.

TEXT
    bench/peers.sh "$build" --markdown "$@"
}

if [ "${2:-}" = peers ]; then
    shift 2
    beside_pocl "$@"
    exit
fi
kernels=$(find "$build/kernels" -name '*.ptx' | sort)
cat <<'TEXT'
# Performance

Written by `bench/performance.sh`. The goals are 300 M warp instructions a second a core without hooks and 100 M with the
meter, on the first four loops, interpreted; a warp instruction is one PTX instruction for 32 lanes. The loops are in
`bench/engine/loops.ptx`; their instructions are counted from the text and the trip count, not by our own counters.

TEXT
"$build/bench/bench_engine" --markdown bench/engine/loops.ptx
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '\n## Products of matrices\n\n'
cat <<'TEXT'
Millions of warp instructions a second of processor time, interpreted, on one core, at each instruction-set level
(`bench_engine --cpu --plain`). The loops are in `bench/engine/matrix.ptx`, and what each runs. An `mma.m16n8k16` is 2048 products,
each aligned, cut off and added as a tensor core does it. Before products were optimised (commit 8c219e8, whose `bench_engine`
was given the loops of today and the clock of processor time) f16_f32 and bf16_f32 ran at 0.44 to 0.54 at every level, with
simpler sums in f64.

TEXT
levels='x86-64-v4 x86-64-v3 portable'
for level in $levels; do
    LOCKSTEP_ISA=$level "$build/bench/bench_engine" --cpu --plain bench/engine/matrix.ptx >"$work/$level" || true
done
printf '| loop |'
for level in $levels; do printf ' %s |' "$level"; done
printf '\n| --- | ---: | ---: | ---: |\n'
sed -n 's/^[/][/] BENCH: \([a-z0-9_]*\) .*/\1/p' bench/engine/matrix.ptx | while read -r loop; do
    printf '| %s |' "$loop"
    for level in $levels; do printf ' %s |' "$(sed -n "s/^$loop //p" "$work/$level")"; done
    printf '\n'
done
printf '\n## The checks\n\n'
"$build/bin/lockstep" cc -O2 bench/check_kernels.cu -o "$work/check_kernels"
python3 bench/check_costs.py "$build/bin/lockstep" "$work/check_kernels" tests/hw/h200/check/costs.csv
printf '\n## Debugging\n\n'
cat <<'TEXT'
A program that nobody debugs has no gates: they are put into a launch's code by the agent (`src/debug/agent/launch.c`), which is
there only if `LOCKSTEP_DEBUG` is set, and what is left is one test of a pointer where a fault is recorded. `bench/debug_costs.py`
measures the rest: a `-G` program whose breakpoint's condition is asked 10^6 times, for 32 lanes each, with the goal of 3 times the
plain run; and `reverse-step` at each ladder's first and last rung at its default size, from the end of its largest launch and
from the middle, with the goal of a second. Processor time of debugger and program, so that other work matters less.

TEXT
python3 bench/debug_costs.py "$build/bin/lockstep"
printf '\n## Parsing\n\n'
printf 'Text to verified module, one core; the goal is 40 MB/s. Generated PTX, then the kernels of the ladders.\n\n'
printf '```\n'
"$build/bench/bench_parse"
# shellcheck disable=SC2086 # one argument a file
"$build/bench/bench_parse" $kernels | sed "s|^$build/kernels/ptx/||" | tail -n 3
printf '```\n'
printf '\n## Compiling\n\n'
cat <<'TEXT'
What the compiled tier takes to compile, when the examples and the ladders run once with two workers and nothing in the cache
of compiled kernels, and which part of the processor time that is; the goal is a fifth, in total. `bench/compile_share.py` makes
the table.

TEXT
python3 bench/compile_share.py --markdown "$build"
printf '\n'
beside_pocl
