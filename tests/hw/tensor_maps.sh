#!/usr/bin/env bash
# tensor_maps.sh SAID PROGRAM KERNELS - whether each line of SAID, which a GPU said, is said here too; but for those behind a '!',
# which must not be: what is otherwise here, and not understood.
said=$1 program=$2 kernels=$3
here=$(mktemp) || exit 1
trap 'rm -f "$here"' EXIT
"$program" "$kernels" >"$here" 2>/dev/null || { echo "it failed"; exit 1; }
for mistake in $(seq 0 31); do "$program" "$kernels" fault "$mistake" 2>/dev/null; done >>"$here"
status=0
grep -v '^!' "$said" | grep -vxFf "$here" && status=1
sed -n 's/^!//p' "$said" | grep -xFf "$here" && status=1
exit $status
