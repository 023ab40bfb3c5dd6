#!/usr/bin/env bash
# tensor_maps.sh SAID PROGRAM KERNELS - whether each line of SAID, which a GPU said, is said here too.
said=$1 program=$2 kernels=$3
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
"$program" "$kernels" >"$here" || { echo "it failed"; exit 1; }
for mistake in $(seq 0 31); do "$program" "$kernels" fault "$mistake" 2>/dev/null; done >>"$here"
! grep -vxFf "$here" "$said"
