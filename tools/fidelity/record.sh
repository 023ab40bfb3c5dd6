#!/usr/bin/env bash
# record.sh [--memory] LOCKSTEP OUT [FAMILY...] - on a machine with an NVIDIA GPU: every rung under Nsight Compute, at the
# default sizes. Writes OUT/ladders.csv, which tests/hw/<gpu>/ladders.csv is a copy of; and OUT/<family>.{ncu,climb}.csv, what it
# was made of. With --memory it writes OUT/memory.csv: caches, DRAM and time, with the caches flushed before each pass, and the
# time as the median of three runs. Families that fail are named at the end, the others are still recorded.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
recorded=recorded.txt table=ladders cache=none
if [ "$1" = --memory ]; then
    recorded=recorded-memory.txt table=memory cache=all
    shift
fi
lockstep=$1 out=$2
shift 2
families=("$@")
mkdir -p "$out"
if [ ${#families[@]} = 0 ]; then
    mapfile -t families < <(sed -n 's/^FAMILY(\([a-z0-9]*\),.*/\1/p' "$here/../../kernels/families.def")
fi
failed=()
. "$here/known.sh"

# profile METRICS FAMILY NAME - OUT/NAME.{ncu,climb}.csv. Clocks are left as they are.
profile() {
    ncu --csv --page raw --print-units base --clock-control none --cache-control "$cache" --metrics "$1" \
        --log-file "$out/$3.ncu.csv" "$lockstep" climb "$2" --on gpu --quick --no-time --csv \
        >"$out/$3.climb.csv" 2>"$out/$3.err"
}

# merge METRICS NAME HEADER - a row a rung.
merge() {
    awk -v header="$3" -v metrics="$1" -f "$here/ncu.awk" -f "$here/merge.awk" "$out/$2.climb.csv" "$out/$2.ncu.csv" 2>>"$out/merge.err"
}

metrics=$(tr -d ' \n' <"$here/$recorded" | sed 's/,$//')
[ "$table" = ladders ] || metrics=$(known "$metrics")
for family in "${families[@]}"; do
    profile "$metrics" "$family" "$family" || failed+=("$family")
done

first=1
: >"$out/$table.csv"
for family in "${families[@]}"; do
    merge "$metrics" "$family" $first >>"$out/$table.csv" && first=0
done

if [ "$table" = memory ]; then
    for run in 2 3; do
        : >"$out/time$run.csv"
        for family in "${families[@]}"; do
            profile gpu__time_duration.sum "$family" "$family.$run" || failed+=("$family, run $run")
            merge gpu__time_duration.sum "$family.$run" 0 >>"$out/time$run.csv"
        done
    done
    awk -f "$here/median.awk" "$out/memory.csv" "$out/time2.csv" "$out/time3.csv" >"$out/memory.tmp" &&
        mv "$out/memory.tmp" "$out/memory.csv"
fi
[ ${#failed[@]} = 0 ] || { echo "not all well: ${failed[*]}"; exit 1; }
