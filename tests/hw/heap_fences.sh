#!/usr/bin/env bash
# heap_fences.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: makes and runs heap_fences.cu, writes OUT/heap-fences.csv. Half a minute.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch=sm_90 -o "$work/heap_fences" "$here/heap_fences.cu" || exit 1
m=gpu__time_duration.sum,lts__t_sectors.sum,lts__t_sectors_op_membar.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
m+=,lts__t_sectors_op_atom.sum
export CUDA_MODULE_LOADING=EAGER
{
    echo "# $(machine); tests/hw/heap_fences.sh"
    echo "blocks,threads,lanes,bytes,$m"
    profile "$m" "$work/heap_fences"
} >"$out/heap-fences.csv"
