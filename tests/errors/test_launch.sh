#!/bin/sh
# test_launch.sh LOCKSTEP MAKE_INPUT - `lockstep launch` and `lockstep ptx` where nothing is wrong.
#
# Expected numbers: y[i] = a x[i] + y[i] for n = 1000 elements by 4 blocks of 256 threads. 1000 elements are in
# 1000 / 32, rounded up, 32 warps, which load x and y: 64 load requests, 32 store requests. 4000 bytes are 125 sectors
# of 32 bytes: 250 sectors loaded, 125 stored.
set -u
lockstep=$1
make_input=$2
here=$(dirname "$0")
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset LOCKSTEP_GPU LOCKSTEP_SESSION LOCKSTEP_KERNEL LOCKSTEP_TRACE LOCKSTEP_MAX_INSTRUCTIONS LOCKSTEP_TIMEOUT
unset LOCKSTEP_SEED LOCKSTEP_MEMORY
cp "$here"/*.ptx "$tmp"
cd "$tmp" || exit 1

# good NAME ARGUMENT...: ends well and says nothing on stderr; stdout is left in out.
good() {
    name=$1
    shift
    timeout -k 5 120 "$lockstep" "$@" >out 2>err </dev/null
    got=$?
    if [ "$got" != 0 ] || [ -s err ]; then
        echo "$name: exit status $got: $(head -c 600 err)"
        failed=1
    fi
}

# has PATTERN...: each is in the output of the last command.
has() {
    for pattern; do
        if ! grep -q -e "$pattern" out; then
            echo "$name: no '$pattern' in: $(head -c 2000 out)"
            failed=1
        fi
    done
}

ld=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
st=l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
ld_sectors=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
shape="--grid 4 --block 256"
arguments="--arg u32:1000 --arg f32:0x1p1 --arg buf:4000:iota=f32 --arg buf:4000:iota:out=f32x12"

for kind in ptx stored lz4 elf; do
    file=kernels.ptx
    [ "$kind" = ptx ] || { file=kernels.$kind && "$make_input" "$kind" kernels.ptx "$file"; }
    good "launch $kind" launch "$file" saxpy $shape $arguments
    has "^_Z5saxpyjfPKfPf (4, 1, 1)x(256, 1, 1), Lockstep's NVIDIA H200\$" "^  $ld  *request  *64 counted\$" \
        "^  $st  *request  *32 counted\$" "^  $ld_sectors  *sector  *250 counted\$" \
        '^  argument 4 (y), first 12 f32: 0 3 6 9 12 15 18 21 24 27 30 33$' 'metrics that are 0 are left out'
done

good metrics launch kernels.ptx saxpy $shape $arguments --metrics "gld_transactions,$conflicts"
has "^  $ld_sectors  *sector  *250 counted\$" "^  $conflicts .* 0 counted\$"
[ "$(grep -c counted out)" = 2 ] || { echo "metrics: $(cat out)" && failed=1; }

good all launch kernels.ptx nothing --metrics all
has "^  $conflicts .* 0 counted\$"

good csv launch kernels.ptx saxpy $shape --csv --arg u32:1000 --arg f32:2 --arg buf:4000 --arg buf:4000
has '^"Kernel Name","Device","Grid Size","Block Size","Metric Name","Metric Unit","Metric Value","Kind"$' \
    "^\"_Z5saxpyjfPKfPf\",\"NVIDIA H200\",\"(4, 1, 1)\",\"(256, 1, 1)\",\"$ld\",\"request\",\"64\",\"counted\"\$"

good json launch kernels.ptx saxpy $shape $arguments --json
has '"kernel": "_Z5saxpyjfPKfPf"' "\"$ld\": {" '"parameter": "y"' '    33.0$'

good gpu launch kernels.ptx nothing --gpu v100
has "Lockstep's .*V100"

# Values of every kind reach the kernel as they are written, and random numbers are the same in every run.
cat >store.ptx <<'END'
.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p, .param .s8 a, .param .u16 b, .param .s64 c, .param .f64 d, .param .align 4 .b8 e[4])
{
	.reg .b64 %rd<4>;
	.reg .b32 %r<4>;
	.reg .b16 %h<2>;
	.reg .f64 %d<2>;
	ld.param.u64 %rd1, [p];
	ld.param.s8 %r1, [a];
	ld.param.u16 %h1, [b];
	cvt.u32.u16 %r2, %h1;
	ld.param.s64 %rd2, [c];
	ld.param.f64 %d1, [d];
	cvt.rzi.s64.f64 %rd3, %d1;
	ld.param.u32 %r3, [e];
	st.global.s32 [%rd1], %r1;
	st.global.u32 [%rd1+4], %r2;
	st.global.u64 [%rd1+8], %rd2;
	st.global.u64 [%rd1+16], %rd3;
	st.global.u32 [%rd1+24], %r3;
	ret;
}
END
good values launch store.ptx --arg buf:32:out=i32 --arg i8:-5 --arg u16:0xffff --arg i64:-2 --arg f64:-3.9 \
    --arg hex:78563412
has '^  argument 1 (p), first 8 i32: -5 65535 -2 -1 -3 -1 305419896 0$'

for run in 1 2; do
    good random launch store.ptx --arg buf:4096:random=f32:out=f32x64 --arg i8:0 --arg u16:0 --arg i64:0 --arg f64:0 \
        --arg hex:00000000
    mv out "out$run"
done
cmp -s out1 out2 || { echo "random: two runs differ" && failed=1; }
tr ' ' '\n' <out1 | grep -c '^0\.[0-9]' >count
[ "$(cat count)" -ge 40 ] || { echo "random: $(tail -4 out1)" && failed=1; }

# More than 48 KiB of dynamic shared memory is asked for by itself; the H200 has 227 KiB a block.
good shared launch kernels.ptx nothing --shared 232448
has 'launch__shared_mem_per_block_dynamic  *byte/block  *232,448'

good summary ptx store.ptx
has '^store.ptx: PTX 8.0 for sm_90: 1 kernel, 0 device functions, 0 variables$' \
    '^  kernel  store .* 6 parameters .* 14 instructions .* 0 bytes shared .* 0 bytes local$'

# What is printed parses again to the same.
good print ptx --print kernels.ptx
cp out printed.ptx
good reprint ptx --print printed.ptx
cmp -s out printed.ptx || { echo "print: the printed module prints differently" && failed=1; }

# Weak memory: the same counts and results of a kernel without races; a word that it does not know is an error.
LOCKSTEP_MEMORY=weak
export LOCKSTEP_MEMORY
good weak launch kernels.ptx saxpy $shape $arguments
has "^  $ld  *request  *64 counted\$" "^  $ld_sectors  *sector  *250 counted\$" \
    '^  argument 4 (y), first 12 f32: 0 3 6 9 12 15 18 21 24 27 30 33$'
LOCKSTEP_MEMORY=vague
timeout 120 "$lockstep" launch kernels.ptx nothing >out 2>err
[ $? = 2 ] || { echo "vague memory: not exit status 2" && failed=1; }
grep -q 'LOCKSTEP_MEMORY=vague is neither strong nor weak$' err ||
    { echo "vague memory: $(cat err)" && failed=1; }
unset LOCKSTEP_MEMORY

# A kernel that cannot run is named, and that is the exit status.
timeout 120 "$lockstep" ptx kernels.ptx >out 2>err
[ $? = 1 ] || { echo "ptx: a kernel that cannot run is no error" && failed=1; }
name=summary
has 'cannot run, line 102: .*multimem.red'

exit $failed
