#!/bin/sh
# A program of nvcc's under `lockstep profile`: test_cuda.sh LOCKSTEP NVCC, in this folder. 64 blocks of 8 warps load two
# floats a thread and store one: 1,024 and 512 requests of 4 sectors.
lockstep=$1 nvcc=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work"
unset LOCKSTEP_GPU LOCKSTEP_SESSION LOCKSTEP_KERNEL LOCKSTEP_TRACE LOCKSTEP_SEED
fail() { echo "FAILED: $*"; cat "$work/out"; exit 1; }

"$nvcc" -cudart shared -lineinfo -arch=sm_90 vectors.cu -o "$work/vectors" || exit 1
"$lockstep" profile --csv -k add --metrics gld_transactions,gst_transactions,global_load_requests "$work/vectors" \
    >"$work/out" 2>&1 || fail "exit status $?"
grep -q '^no error$' "$work/out" || fail "the program"
for row in '"0",.*,"1","7",.*"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum","sector","4,096"' \
    '"0",.*"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum","sector","2,048"' \
    '"1",.*,"1","13",.*"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","request","1,024"'; do
    grep -q "^$row\$" "$work/out" || fail "$row"
done
[ "$(grep -cF '"void add<float>(const float *, const float *, float *, int)","1",' "$work/out")" = 6 ] || fail "names"
"$lockstep" profile -q --page source -c 1 "$work/vectors" >"$work/out" 2>&1
grep -q '^ *9 .*1,536 *6,144 *6,144 .*c\[i\] = a\[i\] + b\[i\];' "$work/out" || fail "the source page"

# The line of the barrier has the cycles of the warps that wait there, the loop those of the one that they wait for.
"$nvcc" -cudart shared -lineinfo -arch=sm_90 uneven.cu -o "$work/uneven" || exit 1
for ptxas in ptxas 0; do
    "$lockstep" profile -q --ptxas $ptxas "$work/uneven" >"$work/out" 2>&1
    grep -q 'OPT   The largest stall reason is barrier' "$work/out" || fail "the largest reason, --ptxas $ptxas"
    "$lockstep" profile -q --ptxas $ptxas --page source --csv "$work/uneven" >"$work/out" 2>&1
    grep -q '^"10","    __syncthreads();","[0-9]*","8[0-9][0-9.]*","barrier",' "$work/out" || fail "the barrier's line, --ptxas $ptxas"
    grep -q '^"8","            v = v \* 1.5f + 1.0f;","[0-9]*","1[0-9][0-9.]*","wait",' "$work/out" || fail "the loop, --ptxas $ptxas"
done

# Within 5 % of the H200's, whatever ptxas there is.
"$nvcc" -cudart shared -gencode arch=compute_90,code=compute_90 rare.cu -o "$work/rare" || exit 1
"$lockstep" profile -q --csv --print-kernel-base function --metrics smsp__inst_executed.sum "$work/rare" >"$work/out" 2>&1
for kernel in rare:360448 early:33120 search:958464; do
    n=$(sed -n "s/.*127.0.0.1\",\"${kernel%:*}\",.*\"\([0-9,]*\)\"\$/\1/p" "$work/out" | tr -d ,)
    [ "${n:-0}" -gt $((${kernel#*:} * 95 / 100)) ] && [ "$n" -lt $((${kernel#*:} * 105 / 100)) ] || fail "$kernel: $n"
done
echo "test_cuda: all well"
