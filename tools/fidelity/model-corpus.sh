#!/usr/bin/env bash
# model-corpus.sh LOCKSTEP PROGRAMS OUT [--half FIT|TEST] [--sizes "0 1 2"] [KIND...] - the corpus (tests/corpus) as Lockstep models it.
# PROGRAMS is the folder in which the corpus's programs are (BUILD/tests/corpus). Writes OUT/modelled.csv, whose rows and columns
# are those of the recording (record-corpus.sh: kind,case,group,size, then recorded-corpus.txt and the stall reasons), and two more
# by which ls_intervals sorts launches. What gave no row stands in OUT/failed.txt. LIMIT is how many
# seconds the cases of a kind of one size may take together (600); what was done by then has its rows.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=$here/../../tests/corpus
[ $# -ge 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
lockstep=$1 programs=$2 out=$3 half='[A-Z]*' sizes="0 1 2"
shift 3
while [ $# -gt 1 ]; do
    case $1 in
    --half) half=$2 ;;
    --sizes) sizes=$2 ;;
    *) break ;;
    esac
    shift 2
done
kinds=("$@")
if [ ${#kinds[@]} = 0 ]; then
    mapfile -t kinds < <(sed -n "s/^KIND(\([a-z0-9]*\), $half).*/\1/p" "$corpus/corpus.def")
fi
mkdir -p "$out/runs"
: >"$out/failed.txt"
export LOCKSTEP_DEVICE_MEMORY=gpu # whatever this machine has
stalls=$(sed -n 's/^STALL([A-Z_]*, "\([a-z_]*\)",.*/\1/p' "$here/../../src/model/replay/stalls.def")
metrics=$(tr -d ' \n' <"$here/recorded-corpus.txt" | sed 's/,$//')
metrics+=,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed,lockstep__atomic_throughput.pct
for stall in $stalls; do
    metrics+=,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done
# Not all that the hardware counts is modelled: what is not stays empty.
"$lockstep" profile --query-metrics --query-metrics-mode all | awk '{ print $1 }' >"$out/runs/known"
asked=$(tr , '\n' <<<"$metrics" | grep -xF -f "$out/runs/known" | paste -sd,)

# rows KIND SIZE - a row a case: its kernel's first launch. Other kernels may run beside it.
rows() {
    awk -v metrics="$metrics" -f "$here/ncu.awk" -f "$here/launches.awk" "$out/runs/$1.$2.csv" |
        awk -v kind="$1" -v size="$2" -v cases="$out/runs/$1.cases" -v err="$out/failed.txt" '
            {
                match($0, /^"[^"]*","[^"]*",[^,]*,/) # grid, block, kernel
                kernel = substr($0, 1, RLENGTH - 1)
                sub(/.*",/, "", kernel)
                if (!(kernel in values)) values[kernel] = substr($0, RLENGTH + 1)
            }
            END {
                while ((getline line <cases) > 0) {
                    split(line, f, " ")
                    if (f[1] in values) print kind "," f[1] "," f[2] "," size "," values[f[1]]
                    else print kind, f[1], size ": not profiled" >>err
                }
            }'
}

echo "kind,case,group,size,$metrics" >"$out/modelled.csv"
for kind in "${kinds[@]}"; do
    program=$programs/$kind
    [ -x "$program" ] || { echo "$kind: there is no $program" >>"$out/failed.txt"; continue; }
    "$program" >"$out/runs/$kind.cases" 2>/dev/null || "$lockstep" run "$program" >"$out/runs/$kind.cases"
    for size in $sizes; do
        started=$SECONDS
        timeout -k 10 "${LIMIT:-600}" "$lockstep" profile -q --csv --page raw --print-units base --print-kernel-base function \
            --clock-control none --metrics "$asked" --log-file "$out/runs/$kind.$size.csv" \
            "$program" --all "$size" >"$out/runs/$kind.$size.out" 2>&1
        rows "$kind" "$size" >>"$out/modelled.csv"
        echo "$kind, size $size: $((SECONDS - started)) s" >&2
    done
done
[ ! -s "$out/failed.txt" ] || { echo "not all well: $out/failed.txt"; exit 1; }
