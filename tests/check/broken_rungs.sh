#!/usr/bin/env bash
# broken_rungs.sh LOCKSTEP LIST KERNELS - the checks find in each broken rung of the ladders what LIST says; and LIST names
# each rung of KERNELS/*/broken.
set -u
lockstep=$1 list=$2 kernels=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_KERNEL LOCKSTEP_CHECK
status=0
fail() { echo "$*"; status=1; }

for source in "$kernels"/*/broken/*.cu; do
    rung=$(basename "$source" .cu) family=$(basename "$(dirname "$(dirname "$source")")")
    grep -q "^$family/$rung " "$list" || fail "$family/$rung is not in $(basename "$list")"
done

while read -r name kinds; do
    case $name in '#'*) continue ;; esac
    case $kinds in '- '?*) continue ;; esac
    size=(--n 4096 --size 64x64) # the same is found in a megabyte of data, only later
    [ "${name%/*}" != nested ] || size=()
    timeout 100 "$lockstep" check --tool all --timeout 20 --log-file /dev/null --json="$work/found" \
        "$lockstep" climb --quick "${size[@]}" --broken "${name%/*}/broken/${name#*/}" >"$work/out" 2>&1
    for kind in $kinds; do
        grep -Eq "\"kind\": ?\"$kind\"" "$work/found" || fail "$name: no $kind, but: $(grep -Eo '"kind": ?"[^"]*"' "$work/found" | sort -u | tr '\n' ' ')"
    done
done <"$list"
exit "$status"
