#!/usr/bin/env bash
# l1_places.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: l1_places.cu as OUT/l1-places.csv, joined_reads.cu as OUT/joined-reads.csv.
# Half a minute.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
for p in l1_places joined_reads; do
    nvcc -O3 -arch=sm_90 -o "$work/$p" "$here/$p.cu" || exit 1
done
export CUDA_MODULE_LOADING=EAGER
m=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
m+=,lts__t_sectors_op_read.sum,lts__t_sectors_srcunit_tex_op_read.sum,gpu__time_duration.sum,launch__shared_mem_config_size
{
    echo "# $(machine); tests/hw/l1_places.sh: each launch with cold caches"
    echo "what,lines,parts,threads,carveout,$m"
    CASES='^(draws|rounds|chunks)' profile "$m" "$work/l1_places"
} >"$out/l1-places.csv"
echo "places: $SECONDS s"
"$work/joined_reads" >/dev/null
{
    echo "# $(machine); tests/hw/l1_places.sh: each launch with cold caches"
    echo "who,warm,gap,offset,$m"
    CASES='^(free )?[0-9]' profile "$m" "$work/joined_reads"
} >"$out/joined-reads.csv"
echo "all: $SECONDS s, $(wc -l <"$out/l1-places.csv") and $(wc -l <"$out/joined-reads.csv") lines"
