#!/usr/bin/env bash
# call_traffic.sh PROGRAM OUT [SET...] - on a machine with an NVIDIA GPU and ncu: call_traffic.cu's cases as OUT/call-traffic.csv. Columns:
#
#     set, name, half, blocks, threads, lanes, n       the case: who calls, how often; half: fit or test
#     format, words, doubles, string                   printf: lengths of format and strings, arguments of 4 and 8 bytes
#     mode, child_blocks, child_threads                launches
#     first, bytes, step                               what the parent did before, how much each grid reads, how far the next one's is
#     event_ns                                         between events, median of three, caches as they are
#     the metrics                                      by ncu, caches flushed before
#
#     nvcc -O3 -arch=sm_90 -rdc=true tests/hw/call_traffic.cu -o PROGRAM -lcudadevrt
set -u
program=$1 out=$2
shift 2
[ $# -gt 0 ] || set -- print launch warm print_full
mkdir -p "$out"
work=$(mktemp -d)
export CUDA_MODULE_LOADING=EAGER
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__cycles_active.avg,lts__t_sectors.sum
for op in read write atom red; do
    metrics+=,lts__t_sectors_op_$op.sum,lts__t_sectors_srcunit_tex_op_$op.sum
done
metrics+=,lts__t_sectors_lookup_hit.sum,lts__t_sectors_lookup_miss.sum,lts__t_sector_hit_rate.pct,lts__t_sectors_srcunit_tex.sum
metrics+=,lts__t_sectors_srcunit_ltcfabric.sum,lts__t_sectors_aperture_sysmem.sum,dram__bytes_read.sum,dram__bytes_write.sum
for op in ld st atom red; do
    metrics+=,l1tex__t_sectors_pipe_lsu_mem_global_op_$op.sum
done
metrics+=,l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum

# A line a launch: the metrics, "" for what this GPU has not.
table() {
    python3 - "$1" "$metrics" <<'END'
import csv, sys
rows = [r for r in csv.reader(open(sys.argv[1])) if len(r) > 8]
at = {name: k for k, name in enumerate(rows[0])} if rows else {}
for r in rows[2:]:
    print(','.join(r[at[m]].replace(',', '') if m in at else '' for m in sys.argv[2].split(',')))
END
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/log.txt"
ncu --version | tail -2 >>"$out/log.txt"
echo "set,name,half,blocks,threads,lanes,n,format,words,doubles,string,mode,child_blocks,child_threads,first,bytes,step,event_ns,$metrics" \
    >"$out/call-traffic.csv"
for set in "$@"; do
    [ $SECONDS -lt "${LIMIT:-100}" ] || { echo "$set: no time was left" >>"$out/log.txt"; continue; }
    timeout -k 5 20 "$program" "$work/$set.times" "$set" times >/dev/null 2>>"$out/log.txt"
    timeout -k 5 60 ncu --csv --page raw --print-units base --print-kernel-base function --clock-control none --cache-control all \
        --kernel-name regex:^m_ --metrics "$metrics" --log-file "$work/$set.ncu" "$program" "$work/$set.rows" "$set" \
        >/dev/null 2>>"$out/log.txt"
    table "$work/$set.ncu" >"$work/$set.metrics"
    [ -s "$work/$set.metrics" ] || head -5 "$work/$set.ncu" >>"$out/log.txt"
    paste -d, "$work/$set.times" "$work/$set.metrics" >>"$out/call-traffic.csv"
    echo "$set: $SECONDS s, $(wc -l <"$work/$set.times") timed, $(wc -l <"$work/$set.rows") run, $(wc -l <"$work/$set.metrics") profiled" >>"$out/log.txt"
done
rm -rf "$work"
