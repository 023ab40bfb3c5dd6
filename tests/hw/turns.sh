#!/usr/bin/env bash
# turns.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: whose turn it is on an SM. issue_order.cu as OUT/issue-order.csv, tile_reads.cu as
# OUT/tile-reads.csv, row_stores.cu as OUT/row-stores.csv, loop_stores.cu as OUT/loop-stores.csv, sleep.cu as OUT/sleep.csv. A minute.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
for p in issue_order tile_reads row_stores loop_stores sleep; do
    nvcc -O3 -arch=sm_90 -o "$work/$p" "$here/$p.cu" || exit 1
done
export CUDA_MODULE_LOADING=EAGER
{
    echo "# $(machine); tests/hw/turns.sh: ns"
    "$work/issue_order"
} >"$out/issue-order.csv"
m=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
m+=,lts__t_sectors_op_read.sum,lts__t_sectors_srcunit_tex_op_read.sum,gpu__time_duration.sum,launch__shared_mem_config_size
{
    echo "# $(machine); tests/hw/turns.sh: each launch with cold caches"
    echo "what,words,loads,warps,lines,products,resident,x,y,$m"
    CASES='^(tiles|grid|alone)' LAUNCHES='^w_' profile "$m" "$work/tile_reads"
} >"$out/tile-reads.csv"
m=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,lts__t_sectors_op_write.sum,lts__t_sectors_srcunit_tex_op_write.sum
m+=,gpu__time_duration.sum
{
    echo "# $(machine); tests/hw/turns.sh: each launch with cold caches"
    echo "what,width,parts,gap,work,blocks,threads,$m"
    CASES='^(row|tile)' LAUNCHES='^w_' profile "$m" "$work/row_stores"
} >"$out/row-stores.csv"
{
    echo "# $(machine); tests/hw/turns.sh: each launch with cold caches"
    echo "what,width,unroll,work,lanes,blocks,threads,$m"
    CASES='^(fill|copy)' LAUNCHES='^w_' profile "$m" "$work/loop_stores"
} >"$out/loop-stores.csv"
{
    echo "# $(machine); tests/hw/turns.sh: each launch with cold caches"
    echo "ns,n,doubles,blocks,threads,gpu__time_duration.sum"
    LAUNCHES='^w_' profile gpu__time_duration.sum "$work/sleep"
} >"$out/sleep.csv"
echo "all: $SECONDS s, $(cat "$out"/{issue-order,tile-reads,row-stores,loop-stores,sleep}.csv | wc -l) lines"
