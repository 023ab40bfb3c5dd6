#!/usr/bin/env bash
# device_costs.sh OUT - on a machine with an NVIDIA GPU, nvcc and ncu: makes and runs device_heap.cu, texture.cu and zero_copy.cu. Writes
# OUT/device-heap.csv, device-heap-calls.csv, device-heap-sizes.csv, texture.csv, zero-copy.csv and what ncu says of whole images and of host memory
# (texture-ncu.csv, zero-copy-ncu.csv). Five minutes.
set -u
cd "$(dirname "$0")" || exit 2
out=$1 work=$(mktemp -d)
mkdir -p "$out"
trap 'rm -rf "$work"' EXIT
for program in device_heap texture zero_copy; do
    nvcc -O3 -arch=sm_90 -o "$work/$program" "$program.cu" &
done
wait
echo "made: $SECONDS s"

echo heap_mib,bytes,lanes,reverse,call,lane,offset,malloc_cycles,touch_cycles,free_cycles >"$out/device-heap-calls.csv"
for heap in 8 1024; do
    for bytes in 16 32 64 128 256 512 1024 1040 2048 4096 8192 16384 65536; do
        timeout 20 "$work/device_heap" calls $bytes $heap >>"$out/device-heap-calls.csv"
    done
done
{ echo bytes,apart; timeout 20 "$work/device_heap" sizes 256; } >"$out/device-heap-sizes.csv"
echo "calls: $SECONDS s"
{
    echo set,heap_mib,blocks,warps,lanes,n,bytes,mode,run,event_ns,span_ns,good,first_median,first_90,all_median,all_90,all_most
    timeout 60 "$work/device_heap" cases 8 30
    timeout 120 "$work/device_heap" cases 1024 "${HEAP_SECONDS:-80}"
    timeout 120 "$work/device_heap" rounds 256 90
    timeout 40 "$work/device_heap" alive 256 20
} >"$out/device-heap.csv"
echo "heap: $SECONDS s, $(wc -l <"$out/device-heap.csv") rows"
timeout 30 "$work/zero_copy" >"$out/zero-copy.csv"
for set in rates chains layout; do
    timeout 40 "$work/texture" $set
done >"$out/texture.csv"
echo "textures: $SECONDS s, $(wc -l <"$out/texture.csv") rows"

metrics=gpu__time_duration.sum,lts__t_sectors.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,dram__bytes_read.sum
metrics+=,dram__bytes_write.sum,lts__t_sectors_srcunit_tex.sum,l1tex__t_sector_hit_rate.pct,l1tex__t_requests_pipe_tex_mem_texture.sum
metrics+=,l1tex__t_sectors_pipe_tex_mem_texture.sum,l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum
more=,l1tex__t_set_accesses.sum,l1tex__data_pipe_tex_wavefronts.sum,l1tex__f_wavefronts.sum
more+=,lts__t_sectors_aperture_sysmem.sum,lts__t_sectors_aperture_sysmem_lookup_hit.sum

# profiled PROGRAM ARGUMENT - with the further metrics, if this ncu has them.
profiled() {
    for all in $metrics$more $metrics; do
        timeout -k 5 60 ncu --csv --page raw --print-units base --clock-control none --cache-control all --kernel-name regex:^w_ \
            --metrics "$all" --log-file "$out/$1-ncu.csv" "$work/$1" "$2" >/dev/null 2>"$work/$1.err" || cat "$work/$1.err"
        [ "$(grep -c w_ "$out/$1-ncu.csv")" -lt 3 ] || return 0
        head -5 "$out/$1-ncu.csv"
    done
}
profiled texture images
profiled zero_copy brief
echo "all: $SECONDS s"
