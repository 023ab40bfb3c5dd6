#!/usr/bin/env bash
# heap_use.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: makes and runs heap_use.cu with heaps of 8 and 256 MiB, writes
# OUT/heap-use.csv; and the shapes of heap_shapes.cu three times, for the operations of L2's sectors: OUT/heap-shapes-sectors.csv. Five minutes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cases.sh"
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch=sm_90 -o "$work/heap_use" "$here/heap_use.cu" || exit 1
nvcc -O3 -arch=sm_90 -o "$work/heap_shapes" "$here/heap_shapes.cu" || exit 1
m=lts__t_sectors.sum,lts__t_sectors_op_membar.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,lts__t_sectors_op_atom.sum
export CUDA_MODULE_LOADING=EAGER LAUNCHES='^(w_|scratch|lanes)' CASES='^[a-z_]+,[0-9]'
{
    echo "# $(machine); tests/hw/heap_use.sh"
    echo "kernel,heap_mib,blocks,threads,lanes,bytes,n,rounds,wait_us,gpu__time_duration.sum,$m"
    for heap in 8 256; do
        profile "gpu__time_duration.sum,$m" "$work/heap_use" "$heap"
    done
} >"$out/heap-use.csv"
{
    echo "# $(machine); tests/hw/heap_use.sh"
    echo "shape,heap_mib,blocks,threads,n,bytes,$m"
    for shape in $("$work/heap_shapes" list); do
        for _ in 1 2 3; do
            profile "$m" "$work/heap_shapes" run "$shape" 256
        done
    done
} >"$out/heap-shapes-sectors.csv"
