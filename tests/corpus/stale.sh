#!/usr/bin/env bash
# stale.sh LOCKSTEP PROGRAMS - whether tests/hw/h200/corpus-modelled.csv and corpus-modelled-ptx.csv are what Lockstep models now: a few cases
# of those that may be fitted on, at the smallest size, within 1 %. Status 77: the tables were made by another compiler or ptxas
# than there are.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
kinds=(atomics chase cooperative image precision strings tree)
cases='^(histogram_shared|chase_l2|scan_warps|convolve_shared|gemm_double_shared|search_shared|binary_search)$'
unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_KERNEL
failed=0 compared=0

# way NAME TABLE - times that differ.
way() {
    local name=$1 table=$root/tests/hw/h200/$2.csv
    "$root/tools/fidelity/model-corpus.sh" "$lockstep" "$programs" "$work/$name" --sizes 0 --cases "$cases" "${kinds[@]}" ||
        { cat "$work/$name/failed.txt"; failed=1; return; }
    if [ "$(head -1 "$table")" != "$(head -1 "$work/$name/modelled.csv")" ]; then
        echo "not compared: $2.csv was made otherwise:"
        head -qn 1 "$table" "$work/$name/modelled.csv"
        return
    fi
    compared=1
    awk -F, '
        /^#/ { next }
        $1 == "kind" { for (i = 1; i <= NF; i++) if ($i == "gpu__time_duration.sum") time = i; next }
        FNR == NR { then[$1, $2, $4] = $time; next }
        {
            cases++
            was = then[$1, $2, $4]
            if (was == "" || $time > 1.01 * was || $time < 0.99 * was) {
                printf "%s/%s: %s ns, in the table %s\n", $1, $2, $time, was
                far++
            }
        }
        END { print cases " cases, " far + 0 " differ"; exit far > 0 || cases < 5 }' "$table" "$work/$name/modelled.csv" || {
        echo "$2.csv is not what is modelled now: tools/fidelity/corpus.sh, then write.sh"
        failed=1
    }
}
lockstep=$1 programs=$2
way ptxas corpus-modelled
LOCKSTEP_PTXAS='' way ptx corpus-modelled-ptx
[ $failed = 0 ] || exit 1
[ $compared = 1 ] || exit 77
