#!/usr/bin/env bash
# heap_fences.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: makes and runs heap_fences.cu, writes OUT/heap-fences.csv. Half a minute.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch=sm_90 -o "$work/heap_fences" "$here/heap_fences.cu" || exit 1
m=gpu__time_duration.sum,lts__t_sectors.sum,lts__t_sectors_op_membar.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
m+=,lts__t_sectors_op_atom.sum
export CUDA_MODULE_LOADING=EAGER
{
    echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(nvcc --version |
        sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'), ncu $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p'); tests/hw/heap_fences.sh"
    echo "blocks,threads,lanes,bytes,$m"
    timeout -k 5 120 ncu --csv --page raw --print-units base --print-kernel-base function --clock-control none --cache-control all \
        --metrics "$m" --log-file "$work/table" "$work/heap_fences" | grep '^[0-9]' >"$work/cases"
    awk -v metrics="$m" -f "$here/../../tools/fidelity/ncu.awk" -f "$here/../../tools/fidelity/launches.awk" "$work/table" |
        sed 's/^"[^"]*","[^"]*",[^,]*,//' | paste -d, "$work/cases" -
} >"$out/heap-fences.csv"
