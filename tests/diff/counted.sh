#!/usr/bin/env bash
# counted.sh TOOLS LIBCUDA KERNELS.ptx REFERENCE.so - profiles the same random kernels interpreted, compiled, and with random
# changes between the two, with the model and without: the records must be the same.
set -uo pipefail
[ $# = 4 ] || { echo "usage: counted.sh TOOLS LIBCUDA KERNELS.ptx REFERENCE.so" >&2; exit 2; }
tools=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
unset "${!LOCKSTEP_@}" 2>/dev/null
export LOCKSTEP_TIER_CACHE=0 LOCKSTEP_PTXAS=0 LOCKSTEP_WORKERS=2

for model in 0 1; do
    for tier in off force mixed; do
        mkdir "$work/$tier$model"
        if ! LOCKSTEP_CACHES=$model LOCKSTEP_TIER=$tier LOCKSTEP_SESSION="$work/$tier$model" "$tools/diff_run" "$@"; then
            failures=$((failures + 1))
        fi
        echo "counters, LOCKSTEP_TIER=$tier, LOCKSTEP_CACHES=$model:"
        "$tools/diff_records" "$work/off$model" "$work/$tier$model" || failures=$((failures + 1))
    done
done
[ "$failures" = 0 ]
