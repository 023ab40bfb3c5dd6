#!/bin/sh
# nvidia-smi as scripts call it: test_smi.sh LOCKSTEP
lockstep=$1
failed=0
LOCKSTEP_DEVICES=2
LOCKSTEP_DEVICE_MEMORY=4G
LOCKSTEP_GPU=h200
export LOCKSTEP_DEVICES LOCKSTEP_DEVICE_MEMORY LOCKSTEP_GPU
# says STATUS TEXT ARGUMENT...: all that is printed
says() {
    status=$1
    want=$2
    shift 2
    got=$("$lockstep" run nvidia-smi "$@" 2>/dev/null)
    code=$?
    [ $code = "$status" ] && [ "$got" = "$want" ] && return
    printf 'FAILED: %s: status %s\n%s\nnot\n%s\n' "$*" $code "$got" "$want"
    failed=1
}
says 0 'GPU 0: NVIDIA H200 (UUID: GPU-4c536832-3030-0000-0000-000000000000)
GPU 1: NVIDIA H200 (UUID: GPU-4c536832-3030-0000-0000-000000000001)' -L
says 0 'name, memory.total [MiB], driver_version, compute_cap, index
NVIDIA H200, 4096 MiB, 580.0, 9.0, 0
NVIDIA H200, 4096 MiB, 580.0, 9.0, 1' --query-gpu=name,memory.total,driver_version,compute_cap,index --format=csv
says 0 '4096, [N/A], 1' --query-gpu=memory.free,utilization.gpu,index --format=csv,noheader,nounits -i 1
says 6 '' -L -i 2
says 2 '' --query-gpu=nothing --format=csv
says 2 '' --query-gpu=name
says 2 '' --query-gpu= --format=csv
says 2 '' --format=csv
says 2 '' --query-gpu=name --format=xml
says 2 '' word
# tells TEXT ARGUMENT...: stderr has it
tells() {
    want=$1
    shift
    "$lockstep" run nvidia-smi "$@" 2>&1 >/dev/null | grep -qF -- "$want" || { echo "FAILED: $*: nothing has: $want"; failed=1; }
}
tells "unrecognized option '--lisd-gpus'; the nearest is '--list-gpus'" --lisd-gpus
tells "there is no field 'memory.totl' to query; the nearest is 'memory.total'" --query-gpu=memory.totl --format=csv
tells "--query-gpu needs --format=csv" --query-gpu=name
tells "--id requires an argument" -i
LOCKSTEP_DEVICES=many "$(dirname "$lockstep")/nvidia-smi" 2>&1 | grep -q 'LOCKSTEP_DEVICES' || { echo "FAILED: a setting that is none"; failed=1; }
LOCKSTEP_GPU=h20 "$(dirname "$lockstep")/nvidia-smi" 2>&1 | grep -q "no GPU is called 'h20'" || { echo "FAILED: a GPU that is none"; failed=1; }
"$lockstep" run sh -c nvidia-smi | grep -q '^|   0  NVIDIA H200  *00000000:00:00.0  *0MiB/4096MiB  *9.0 ' || { echo "FAILED: the table"; failed=1; }
[ "$("$lockstep" run sh -c nvidia-smi | awk '{ print length }' | uniq | wc -l)" = 1 ] || { echo "FAILED: the table's edge"; failed=1; }
"$lockstep" run nvidia-smi -q | grep -q 'Total  *: 4096 MiB' || { echo "FAILED: -q"; failed=1; }
LOCKSTEP_GPU=nothing "$lockstep" run nvidia-smi >/dev/null 2>&1
[ $? = 9 ] || { echo "FAILED: a GPU that is not known"; failed=1; }
[ $failed = 0 ] && echo "test_smi: all well"
exit $failed
