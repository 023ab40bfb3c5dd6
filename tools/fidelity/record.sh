#!/usr/bin/env bash
# record.sh LOCKSTEP OUT [FAMILY...] - on a machine with an NVIDIA GPU: every rung once under Nsight Compute, at the default
# sizes. Writes OUT/ladders.csv, which tests/hw/<gpu>/ladders.csv is a copy of; and OUT/<family>.{ncu,climb}.csv, what it was
# made of. Families that fail are named at the end, the others are still recorded.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lockstep=$1 out=$2
shift 2
families=("$@")
mkdir -p "$out"
if [ ${#families[@]} = 0 ]; then
    mapfile -t families < <(sed -n 's/^FAMILY(\([a-z0-9]*\),.*/\1/p' "$here/../../kernels/families.def")
fi
metrics=$(tr -d ' \n' <"$here/recorded.txt" | sed 's/,$//')
failed=()

for family in "${families[@]}"; do
    # Clocks and caches are left as they are: counters of instructions and addresses do not depend on them.
    if ! ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics "$metrics" \
        --log-file "$out/$family.ncu.csv" "$lockstep" climb "$family" --on gpu --quick --no-time --csv \
        >"$out/$family.climb.csv" 2>"$out/$family.err"; then
        failed+=("$family")
    fi
done

first=1
: >"$out/ladders.csv"
for family in "${families[@]}"; do
    awk -v header=$first -v metrics="$metrics" -f "$here/merge.awk" "$out/$family.climb.csv" "$out/$family.ncu.csv" \
        >>"$out/ladders.csv" 2>>"$out/merge.err" && first=0
done
[ ${#failed[@]} = 0 ] || { echo "not all well: ${failed[*]}"; exit 1; }
