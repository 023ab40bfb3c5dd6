#!/usr/bin/env bash
# run.sh LOCKSTEP PROGRAM, or run.sh LOCKSTEP --compile NAME cc WORD... - every case of a corpus program at its smallest size
# under `lockstep run`; in the second form after making it in a temporary folder with `LOCKSTEP cc WORD... -o NAME`.
# The programs check their own results.
set -u
lockstep=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_KERNEL
export LOCKSTEP_DEVICE_MEMORY=gpu # whatever this machine has
program=$1
if [ "$1" = --compile ]; then
    program=$work/$2
    shift 2
    "$lockstep" "$@" -o "$program" || { echo "it does not compile: $*"; exit 1; }
fi
[ -x "$program" ] || {
    echo "there is no $program: build the target 'corpus'"
    exit 1
}

"$lockstep" run "$program" --all 0 >"$work/stdout" || { cat "$work/stdout"; echo "it ends in status $?"; exit 1; }
cat "$work/stdout"
cases=$("$program" | wc -l)
right=$(grep -c ': right$' "$work/stdout")
[ "$cases" -gt 0 ] && [ "$cases" = "$right" ] || { echo "$right of $cases cases are right"; exit 1; }
