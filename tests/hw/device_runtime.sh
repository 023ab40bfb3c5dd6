#!/usr/bin/env bash
# device_runtime.sh PROGRAM OUT - on a machine with an NVIDIA GPU and ncu: device_runtime.cu's cases as OUT/device-runtime.csv. Columns:
#
#     set, name, blocks, threads, lanes, n, mode, size, child_threads, ns      the case
#     event_first_ns, event_rest_ns, first_cycles, all_cycles, longest_cycles  without a profiler: a thread's first call, all of its
#     good, child_first_ns, child_last_ns, child_ended_ns, children, refused   calls, of the slowest thread; when children began and ended
#     cold_ns, inst, warm_ns                                                   by ncu, caches flushed before, and not flushed
#
#     nvcc -O3 -arch=sm_90 -rdc=true tests/hw/device_runtime.cu -o PROGRAM -lcudadevrt
set -u
program=$1 out=$2
mkdir -p "$out"
export CUDA_MODULE_LOADING=EAGER
columns=set,name,blocks,threads,lanes,n,mode,size,child_threads,ns,event_first_ns,event_rest_ns,first_cycles,all_cycles
columns+=,longest_cycles,good,child_first_ns,child_last_ns,child_ended_ns,children,refused,cold_ns,inst,warm_ns

# profiled SET CACHE METRICS - a line a launch: the metrics.
profiled() {
    timeout -k 5 60 ncu --csv --page raw --print-units base --clock-control none --cache-control "$2" --kernel-name regex:^m_ \
        --metrics "$3" --log-file "$out/$1.$2.ncu" "$program" "$out/$1.$2.rows" "$1" once >/dev/null 2>"$out/$1.$2.err"
    python3 - "$out/$1.$2.ncu" "$3" <<'END'
import csv, sys
rows = [r for r in csv.reader(open(sys.argv[1])) if len(r) > 8]
for r in rows[2:]:
    print(','.join(r[rows[0].index(m)].replace(',', '') for m in sys.argv[2].split(',')))
END
}

echo "$columns" >"$out/device-runtime.csv"
for set in launch print heap heap_large print_large; do
    timeout -k 5 60 "$program" "$out/$set.rows" "$set" >/dev/null 2>"$out/$set.err"
    profiled "$set" all gpu__time_duration.sum,smsp__inst_executed.sum >"$out/$set.cold"
    [ "$set" = launch ] && profiled "$set" none gpu__time_duration.sum >"$out/$set.warm" || : >"$out/$set.warm"
    paste -d, "$out/$set.rows" "$out/$set.cold" "$out/$set.warm" | sed "s/^/$set,/" >>"$out/device-runtime.csv"
    echo "$set: $(wc -l <"$out/$set.rows") rows, $(wc -l <"$out/$set.cold") profiled, $SECONDS s; $(tail -c 100 "$out/$set.err")"
done
