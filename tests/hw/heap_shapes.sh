#!/usr/bin/env bash
# heap_shapes.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: makes and runs heap_shapes.cu. Writes OUT/heap-shapes.csv (each launch under
# Nsight Compute, caches flushed before each pass), heap-shapes-calls.csv (calls of single warps, likewise) and heap-shapes-times.csv (time
# between events). Three minutes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
nvcc -O3 -arch=sm_90 -o "$work/heap_shapes" "$here/heap_shapes.cu" || exit 1
head="# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(nvcc --version |
    sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'), ncu $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p'); tests/hw/heap_shapes.sh:"
mapfile -t shapes < <("$work/heap_shapes" list)
export CUDA_MODULE_LOADING=EAGER

{
    echo "$head time between two events; what stays: how many, from the first to the lowest and on to the highest, runs of neighbours."
    echo shape,heap_mib,blocks,threads,n,bytes,kept,offset,span,runs,first_ns,rest_ns
    for s in "${shapes[@]}"; do
        timeout -k 5 20 "$work/heap_shapes" time "$s" 1024
    done
    timeout -k 5 10 "$work/heap_shapes" time pairs keep 64
    timeout -k 5 10 "$work/heap_shapes" time pairs keep 256
} >"$out/heap-shapes-times.csv"
echo "times: $SECONDS s"

m=gpu__time_duration.sum,sm__cycles_elapsed.max,smsp__cycles_active.avg,smsp__inst_executed.sum
m+=,sm__warps_active.avg.pct_of_peak_sustained_active,lts__t_sectors.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum
m+=,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum,lts__t_sector_hit_rate.pct,lts__t_sectors_srcunit_tex.sum
m+=,dram__bytes_read.sum,dram__bytes_write.sum,l1tex__t_sector_hit_rate.pct
c=$m
for o in ld st atom red; do
    c+=,l1tex__t_requests_pipe_lsu_mem_global_op_$o.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_$o.sum
done
c+=,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum
c+=,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum,smsp__thread_inst_executed.sum,smsp__inst_executed_pipe_lsu.sum

# profile METRICS ARGUMENT... - a line a launch: the case, and what ncu says of it.
profile() {
    local metrics=$1
    shift
    timeout -k 5 60 ncu --csv --page raw --print-units base --print-kernel-base function --clock-control none --cache-control all \
        --kernel-name regex:^w_ --metrics "$metrics" --log-file "$work/table" "$work/heap_shapes" "$@" | grep -v ^== | cut -d, -f1-6 >"$work/cases"
    awk -v metrics="$metrics" -f "$here/../../tools/fidelity/ncu.awk" -f "$here/../../tools/fidelity/launches.awk" "$work/table" |
        sed 's/^"[^"]*","[^"]*",[^,]*,//' | paste -d, "$work/cases" -
}
{
    echo "$head calls of a warp behind so many chunks, cold caches."
    echo "call,heap_mib,chunks,lanes,n,bytes,$c"
    profile "$c" calls 256
} >"$out/heap-shapes-calls.csv"
{
    echo "$head each launch with cold caches."
    echo "shape,heap_mib,blocks,threads,n,bytes,$m"
    for s in "${shapes[@]}"; do
        profile "$m" run "$s" 256
    done
    for heap in 8 64 1024 32 512 128 4096; do
        profile "$m" small pairs keep give "$heap"
    done
} >"$out/heap-shapes.csv"
echo "all: $SECONDS s, $(wc -l <"$out/heap-shapes.csv") lines"
