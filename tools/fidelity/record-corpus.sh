#!/usr/bin/env bash
# record-corpus.sh OUT [KIND...] - on a machine with an NVIDIA GPU, nvcc and ncu: the corpus (tests/corpus) under Nsight Compute,
# every case at every size. Nothing of Lockstep needs to be built. It writes OUT/corpus.csv, a row a case and size:
#
#     kind,case,group,size,kernel,grid,block   what was launched
#     warm_time_ns                             gpu__time_duration.sum of a second launch, with warm caches
#     event_first_ns, event_rest_ns            time between two events around a launch, without a profiler: of the first launch, with
#                                              cold caches, and the median of five more
#     METRICS                                  recorded-corpus.txt and every reason of stalls.def, of one launch with cold caches
#
# What failed stands in OUT/failed.txt; its fields are empty. Clocks are left as they are. All cases of a kind are profiled in one
# run, as a profiler's start takes longer than most cases; where that gives not one launch a case, each case has its own run.
# NVCC and NCU name the programs (nvcc, ncu); JOBS is how many programs are compiled at a time.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
corpus=$here/../../tests/corpus
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
out=$1
shift
kinds=("$@")
if [ ${#kinds[@]} = 0 ]; then
    mapfile -t kinds < <(sed -n 's/^KIND(\([a-z0-9]*\),.*/\1/p' "$corpus/corpus.def")
fi
nvcc=${NVCC:-nvcc}
ncu=${NCU:-ncu}
whole_limit=240 # seconds for a run of all cases of a kind
one_limit=60    # seconds for a run of one case
mkdir -p "$out/bin" "$out/runs"
: >"$out/failed.txt"
failed() { echo "$*" | tee -a "$out/failed.txt" >&2; }
# shellcheck source=tools/fidelity/known.sh
. "$here/known.sh"

# ---- programs ----

build() {
    local flags
    flags=$(sed -n "s/^$1 //p" "$corpus/flags.txt")
    # shellcheck disable=SC2086 # several words
    "$nvcc" -O3 -arch=sm_90 -cudart shared $flags "$corpus/$1.cu" -o "$out/bin/$1" >"$out/runs/$1.build" 2>&1 || {
        rm -f "$out/bin/$1"
        failed "$1: does not compile ($out/runs/$1.build)"
    }
}

# ---- runs: each writes a line a launch ----

# profile FILE LIMIT CACHE METRICS OPTION... -- PROGRAM... - ncu's table in FILE. Status 124: it took too long.
profile() {
    local file=$1 limit=$2 cache=$3 metrics=$4 options=()
    shift 4
    while [ "$1" != -- ]; do options+=("$1"); shift; done
    shift
    timeout -k 5 "$limit" "$ncu" --csv --page raw --print-units base --print-kernel-base function --clock-control none \
        --cache-control "$cache" --metrics "$metrics" "${options[@]}" --log-file "$file" "$@" >"$file.out" 2>&1
}

launches() { awk -v metrics="$2" -f "$here/ncu.awk" -f "$here/launches.awk" "$1"; }

cold_all() { profile "$1" "$whole_limit" all "$metrics" -- "$program" --all && launches "$1" "$metrics"; }
cold_one() { profile "$1" "$one_limit" all "$metrics" -- "$program" "$2" "$3" && launches "$1" "$metrics"; }

warm=gpu__time_duration.sum
warm_all() {
    profile "$1" "$whole_limit" none $warm -- "$program" --all --twice && launches "$1" $warm | awk -F, 'NR % 2 == 0 { print $NF }'
}
warm_one() {
    profile "$1" "$one_limit" none $warm --launch-skip 1 --launch-count 1 -- "$program" "$2" "$3" --twice &&
        launches "$1" $warm | awk -F, '{ print $NF }'
}

# "CASE SIZE: right" lines are left out; of the others the first time and the median of the rest. Kernels are loaded when the
# program starts: loading one is no part of its first launch.
times() {
    awk '!/:/ {
        n = 0
        for (i = 4; i <= NF; i++) {
            for (j = n++; j > 0 && rest[j] > $i + 0; j--)
                rest[j + 1] = rest[j]
            rest[j + 1] = $i + 0
        }
        printf "%.0f,%.0f\n", $3, rest[int((n + 1) / 2)]
    }' "$1"
}
events_all() { CUDA_MODULE_LOADING=EAGER timeout -k 5 "$whole_limit" "$program" --all --time >"$1" 2>"$1.out" && times "$1"; }
events_one() { CUDA_MODULE_LOADING=EAGER timeout -k 5 "$one_limit" "$program" "$2" "$3" --time >"$1" 2>"$1.out" && times "$1"; }

# one WHAT KIND CASE SIZE - prints the line of one case; up to three tries ("Failed to profile" comes and goes).
one() {
    local try status file=$out/runs/$2.$1.$3.$4
    for try in 1 2 3; do
        "$1_one" "$file" "$3" "$4" >"$file.line"
        status=$?
        [ "$status" = 0 ] && [ "$(wc -l <"$file.line")" = 1 ] && { cat "$file.line"; return 0; }
        [ "$status" = 124 ] && break
    done
    failed "$2 $3 $4: $1: status $status, $(wc -l <"$file.line") launches seen, try $try ($file)"
    echo
    [ "$status" != 124 ]
}

# every WHAT KIND - prints a line a case and size, in the order of $out/runs/KIND.cases; an empty one for what failed. Two runs
# that never end are enough to leave the rest of the kind out.
every() {
    local file=$out/runs/$2.$1 count hung=0 case size
    count=$(wc -l <"$out/runs/$2.cases")
    for _ in 1 2; do
        "$1_all" "$file" >"$file.lines" && [ "$(wc -l <"$file.lines")" = "$count" ] && { cat "$file.lines"; return; }
    done
    echo "$2: $1: all at once gave $(wc -l <"$file.lines") of $count launches: one by one" >&2
    while IFS=, read -r _ case _ size; do
        if [ "$hung" -ge 2 ]; then
            failed "$2 $case $size: $1: left out"
            echo
        else
            one "$1" "$2" "$case" "$size" || hung=$((hung + 1))
        fi
    done <"$out/runs/$2.cases"
}

# ---- rows ----

# rows KIND - puts the lines together.
rows() {
    paste -d'\t' "$out/runs/$1.cases" "$out/runs/$1.cold.all" "$out/runs/$1.warm.all" "$out/runs/$1.events.all" |
        awk -F'\t' -v nm="$(tr , '\n' <<<"$metrics" | grep -c .)" -v err="$out/failed.txt" '{
            if (!match($2, /^"[^"]*","[^"]*",[^,]*,/)) { # not profiled
                launch = ",,"
                values = ""
                for (i = 1; i < nm; i++) values = values ","
            } else {
                launch = substr($2, 1, RLENGTH - 1)
                values = substr($2, RLENGTH + 1)
                split($1, what, ",")
                kernel = launch
                sub(/.*",/, "", kernel)
                if (kernel != what[2]) print what[1], what[2] ": its kernel is called " kernel >>err
            }
            print $1 "," launch "," $3 "," ($4 == "" ? "," : $4) "," values
        }'
}

record() {
    program=$out/bin/$1
    "$program" | awk -v kind="$1" '{ for (size = 0; size < 3; size++) print kind "," $1 "," $2 "," size }' >"$out/runs/$1.cases"
    [ -s "$out/runs/$1.cases" ] || { failed "$1: lists no cases"; return; }
    local started=$SECONDS
    for what in events cold warm; do
        every "$what" "$1" >"$out/runs/$1.$what.all"
    done
    rows "$1" >>"$out/corpus.csv"
    echo "$1: $(wc -l <"$out/runs/$1.cases") rows, $((SECONDS - started)) s" >&2
}

export -f build failed
export nvcc corpus out
printf '%s\n' "${kinds[@]}" | while read -r kind; do
    if [ -e "$corpus/$kind.cu" ]; then echo "$kind"; else failed "$kind: there is no $kind.cu"; fi
done | xargs -r -n 1 -P "${JOBS:-$(nproc)}" bash -c 'build "$0"'

stalls=$(sed -n 's/^STALL([A-Z_]*, "\([a-z_]*\)",.*/\1/p' "$here/../../src/model/replay/stalls.def")
metrics=$(tr -d ' \n' <"$here/recorded-corpus.txt" | sed 's/,$//')
for stall in $stalls; do
    metrics+=,smsp__average_warps_issue_stalled_${stall}_per_issue_active.ratio
done
metrics=$(known "$metrics" 2> >(tee -a "$out/failed.txt" >&2))

{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1), $("$nvcc" --version |
        sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'), ncu $("$ncu" --version | sed -n 's/^Version \([0-9.]*\).*/\1/p');" \
        "tools/fidelity/record-corpus.sh. Times in ns."
    echo "kind,case,group,size,grid,block,kernel,warm_time_ns,event_first_ns,event_rest_ns,$metrics"
} >"$out/corpus.csv"
for kind in "${kinds[@]}"; do
    [ ! -x "$out/bin/$kind" ] || record "$kind"
done
[ ! -s "$out/failed.txt" ] || { echo "not all well: $out/failed.txt"; exit 1; }
