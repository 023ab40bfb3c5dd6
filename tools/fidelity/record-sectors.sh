#!/usr/bin/env bash
# record-sectors.sh OUT [KIND...] - on a machine with an NVIDIA GPU, nvcc and ncu: the sectors of L2 of each case of the corpus and size in two
# launches more, which are the second and the third (record-corpus.sh has the first): a GPU has some that are not the launch's, and another
# number each time. Writes OUT/corpus-sectors.csv; five minutes. NVCC and NCU name the programs.
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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
ops=lts__t_sectors.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum
export CUDA_MODULE_LOADING=EAGER

# again KIND N - a line a launch: the kernel and the metrics, of which each has a name that ends in " N".
again() {
    local table=$work/$1.$2.ncu
    timeout -k 5 300 "${NCU:-ncu}" --csv --page raw --print-units base --print-kernel-base function --clock-control none \
        --cache-control all --metrics $ops --log-file "$table" "$work/$1" --all >"$table.out" 2>&1
    awk -v metrics=$ops -f "$here/ncu.awk" -f "$here/launches.awk" "$table" | sed 's/^"[^"]*","[^"]*",//'
}

{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $("${NVCC:-nvcc}" --version |
        sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'), ncu $("${NCU:-ncu}" --version | sed -n 's/^Version \([0-9.]*\).*/\1/p');" \
        "tools/fidelity/record-sectors.sh: each launch with cold caches."
    echo "kind,case,size,$(sed 's/[^,]*/& 2/g' <<<$ops),$(sed 's/[^,]*/& 3/g' <<<$ops)"
} >"$out/corpus-sectors.csv"
for kind in "${kinds[@]}"; do
    flags=$(sed -n "s/^$kind //p" "$corpus/flags.txt")
    # shellcheck disable=SC2086 # several words
    "${NVCC:-nvcc}" -O3 -arch=sm_90 -cudart shared $flags "$corpus/$kind.cu" -o "$work/$kind" || { echo "$kind does not compile"; continue; }
    "$work/$kind" | awk -v kind="$kind" '{ for (size = 0; size < 3; size++) print kind "," $1 "," size }' >"$work/cases"
    again "$kind" 2 >"$work/2"
    again "$kind" 3 >"$work/3"
    if [ "$(wc -l <"$work/2")" != "$(wc -l <"$work/cases")" ] || [ "$(wc -l <"$work/3")" != "$(wc -l <"$work/cases")" ]; then
        echo "$kind: not a launch for each case"
        continue
    fi
    paste -d, "$work/cases" <(cut -d, -f2- "$work/2") <(cut -d, -f2- "$work/3") >>"$out/corpus-sectors.csv"
done
