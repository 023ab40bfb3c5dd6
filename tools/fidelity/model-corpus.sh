#!/usr/bin/env bash
# model-corpus.sh LOCKSTEP PROGRAMS OUT [--half FIT|TEST] [--sizes "0 1 2"] [--cases REGEX] [KIND...] - the corpus (tests/corpus) as
# Lockstep models it. PROGRAMS is the folder in which the corpus's programs are (BUILD/tests/corpus). Writes OUT/modelled.csv, whose
# rows are those of the recording (record-corpus.sh): kind, case, group, size; how many launches it is the sum of (kernels may launch
# kernels); recorded-corpus.txt and the stall reasons; and two more by which ls_intervals sorts launches. What gave no row
# stands in OUT/failed.txt. A case at a size is a run of its own, the small sizes first, JOBS at a time (one a core).
#
# LIMIT is how many seconds a case may take (300), TOTAL how many all together (no limit); what was not begun by then is
# left out. What OUT has of the same build is not run again, so a run that was cut off goes on. LOCKSTEP_PTXAS= : without ptxas.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=$here/../../tests/corpus
[ $# -ge 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
lockstep=$1 programs=$2 out=$3 half='[A-Z]*' sizes="0 1 2" cases=.
shift 3
while [ $# -gt 1 ]; do
    case $1 in
    --half) half=$2 ;;
    --sizes) sizes=$2 ;;
    --cases) cases=$2 ;;
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
export LOCKSTEP_WORKERS=1         # the cores are taken by other cases
ptxas=${LOCKSTEP_PTXAS-ptxas}
command -v "$ptxas" >/dev/null || ptxas=
how="for ${LOCKSTEP_GPU:-h200} without ptxas"
[ -z "$ptxas" ] || how="for ${LOCKSTEP_GPU:-h200} with the ptxas of $("$ptxas" --version | sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p')"
# Which compiler made the programs: they hold what it wrote of itself.
made() { grep -a -o -m 1 'Cuda compilation tools, release [0-9.]*' "$1" | head -1 | sed 's/.*release //'; }

stalls=$(sed -n 's/^STALL([A-Z_]*, "\([a-z_]*\)",.*/\1/p' "$here/../../src/model/replay/stalls.def")
metrics=$(tr -d ' \n' <"$here/recorded-corpus.txt" | sed 's/,$//')
metrics+=,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed,lockstep__atomic_throughput.pct
for stall in $stalls; do
    metrics+=,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done
# Not all that the hardware counts is modelled: what is not stays empty.
"$lockstep" profile --query-metrics --query-metrics-mode all | awk '{ print $1 }' >"$out/runs/known"
asked=$(tr , '\n' <<<"$metrics" | grep -xF -f "$out/runs/known" | paste -sd,)

# Rows of another build, or made in another way, are worth nothing.
build=$(cat "$lockstep" "$(dirname "$lockstep")"/../lib/libcuda.so.1 2>/dev/null | sha1sum)$how
if [ "$build" != "$(cat "$out/build.txt" 2>/dev/null)" ]; then
    rm -f "$out"/runs/*.row
    echo "$build" >"$out/build.txt"
fi

# model KIND CASE SIZE - its row.
model() {
    local run=$out/runs/$1.$2.$3 started=$SECONDS
    [ ! -s "$run.row" ] || return 0
    [ "$deadline" = 0 ] || [ "$(date +%s)" -lt "$deadline" ] || { echo "$1 $2 $3: no time was left" >>"$out/failed.txt"; return 0; }
    timeout -k 10 "${LIMIT:-300}" "$lockstep" profile -q --csv --page raw --print-units base --print-kernel-base function \
        --clock-control none --metrics "$asked" --log-file "$run.csv" "$programs/$1" "$2" "$3" >"$run.out" 2>&1
    local status=$?
    if [ $status != 0 ]; then
        echo "$1 $2 $3: status $status ($run.out)" >>"$out/failed.txt"
    elif awk -v kernel="$2" -v metrics="$metrics" -f "$here/ncu.awk" -f "$here/tree.awk" "$run.csv" >"$run.tmp"; then
        mv "$run.tmp" "$run.row"
    else
        echo "$1 $2 $3: its kernel was not profiled first ($run.csv)" >>"$out/failed.txt"
    fi
    rm -f "$run.tmp"
    [ $((SECONDS - started)) -lt 20 ] || echo "$1 $2 $3: $((SECONDS - started)) s" >&2
}
export -f model
deadline=0
[ -z "${TOTAL:-}" ] || deadline=$(($(date +%s) + TOTAL))
export here out lockstep programs metrics asked deadline

# list KIND - "case group" lines.
compilers=
for kind in "${kinds[@]}"; do
    rm -f "$out/runs/$kind.cases"
    [ -x "$programs/$kind" ] || { echo "$kind: there is no $programs/$kind" >>"$out/failed.txt"; continue; }
    compilers+=" $(made "$programs/$kind")"
    "$lockstep" run "$programs/$kind" | awk -v cases="$cases" '$1 ~ cases' >"$out/runs/$kind.cases"
done
every() {
    for size in $sizes; do
        for kind in "${kinds[@]}"; do
            [ ! -e "$out/runs/$kind.cases" ] || awk -v kind="$kind" -v size="$size" '{ print kind, $1, size, $2 }' "$out/runs/$kind.cases"
        done
    done
}
every | cut -d' ' -f1-3 | xargs -r -n 3 -P "${JOBS:-$(nproc)}" bash -c 'model "$0" "$1" "$2"'

{
    echo "# Modelled $how; programs by nvcc$(tr ' ' '\n' <<<"$compilers" | sort -u | tr '\n' ' ' | sed 's/ *$//');" \
        "tools/fidelity/model-corpus.sh. Times in ns."
    echo "kind,case,group,size,launches,$metrics"
    every | while read -r kind name size group; do
        [ ! -s "$out/runs/$kind.$name.$size.row" ] || echo "$kind,$name,$group,$size,$(cat "$out/runs/$kind.$name.$size.row")"
    done
} >"$out/modelled.csv"
[ ! -s "$out/failed.txt" ] || { echo "not all well: $out/failed.txt"; exit 1; }
