#!/bin/sh
# test_errors.sh LOCKSTEP MAKE_INPUT GOLDEN - what the command line says to bad files, bad kernels and bad arguments.
#
# Each case must end by itself, with its exit status and no signal, with one error on stderr and nothing on stdout. What
# it says is compared with GOLDEN/<case>.txt, addresses and the temporary folder masked; BLESS=1 writes those files.
set -u
lockstep=$1
make_input=$2
golden=$3
here=$(dirname "$0")
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset LOCKSTEP_GPU LOCKSTEP_SESSION LOCKSTEP_KERNEL LOCKSTEP_TRACE LOCKSTEP_MAX_INSTRUCTIONS LOCKSTEP_TIMEOUT
unset LOCKSTEP_SEED ARGP_HELP_FMT
LOCKSTEP_PTXAS=/nonexistent
LOCKSTEP_WORKERS=1
export LOCKSTEP_PTXAS LOCKSTEP_WORKERS
cp "$here"/*.ptx "$tmp"
cd "$tmp" || exit 1

complain() {
    echo "$name: $*"
    failed=1
}

# A line that opens an error: "lockstep...: ...", or "FILE:LINE:COLUMN: error: ...".
count_errors() {
    grep -c -e '^lockstep[a-z ]*: ' -e ': error: ' "$tmp/err"
}

# bad NAME STATUS ARGUMENT...: the checks that hold for every error.
bad() {
    name=$1 want=$2
    shift 2
    timeout -k 5 120 "$lockstep" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    [ "$got" = "$want" ] || complain "exit status $got, expected $want: $(head -c 600 "$tmp/err")"
    [ -s "$tmp/out" ] && complain "stdout is not empty: $(head -c 200 "$tmp/out")"
    n=$(count_errors)
    [ "$n" = 1 ] || complain "$n errors, expected 1: $(head -c 600 "$tmp/err")"
}

# golden NAME STATUS ARGUMENT...: the same, and the text.
golden() {
    bad "$@"
    sed -e 's/0x[0-9a-f]\{6,\}/0xADDRESS/g' -e "s|$tmp|TMP|g" "$tmp/err" >"$tmp/said"
    if [ -n "${BLESS:-}" ]; then
        cp "$tmp/said" "$golden/$name.txt"
    elif ! diff -u "$golden/$name.txt" "$tmp/said"; then
        complain "not what $golden/$name.txt has"
    fi
}

# ---- kernels that end in an error ----
saxpy="--arg u32:1024 --arg f32:2 --arg buf:3000 --arg buf:4096:out=f32"
golden read_out_of_bounds 1 launch kernels.ptx saxpy --grid 4 --block 256 $saxpy
golden write_out_of_bounds 1 launch kernels.ptx saxpy --grid 1 --block 32 --arg u32:32 --arg f32:1 --arg buf:128 \
    --arg u64:0
golden source_line 1 launch kernels.ptx read_beyond --arg buf:1024
golden misaligned 1 launch kernels.ptx misaligned --arg buf:64
golden trapped 1 launch kernels.ptx trapped
golden asserted 1 launch kernels.ptx asserted --block 64
bad endless 1 launch kernels.ptx endless --timeout 0.5
grep -q 'CUDA_ERROR_LAUNCH_TIMEOUT' err && grep -q 'it ran longer than 0.5 seconds' err || complain "$(cat err)"
bad unsupported 1 launch kernels.ptx unsupported
for part in 'cannot launch unsupported' 'kernels.ptx:102' 'multimem.red'; do
    grep -q "$part" err || complain "no '$part' in: $(cat err)"
done

# ---- launches that are refused ----
golden large_block 1 launch kernels.ptx nothing --block 2048
golden large_block_xy 1 launch kernels.ptx nothing --block 64x64
golden large_grid 1 launch kernels.ptx nothing --grid 1x65536
golden bounded_block 1 launch kernels.ptx small_blocks --block 65
golden dynamic_shared 1 launch kernels.ptx nothing --shared 300000
golden static_shared 1 launch kernels.ptx large_shared
golden shared_with_own 1 launch kernels.ptx large_shared --shared 200000
golden large_buffer 3 launch kernels.ptx misaligned --arg buf:1024g

# ---- files ----
: >empty.ptx
golden empty 1 launch empty.ptx
golden empty_ptx 1 ptx empty.ptx
golden missing 3 launch missing.ptx
golden missing_ptx 3 ptx missing.ptx
golden folder 3 launch .
golden folder_ptx 3 ptx .
golden unknown_opcode 1 launch unknown_opcode.ptx
golden unknown_opcode_ptx 1 ptx unknown_opcode.ptx
golden undeclared 1 ptx undeclared.ptx
golden no_kernel 1 launch no_kernel.ptx
head -n 60 kernels.ptx >cut.ptx
golden cut 1 ptx cut.ptx

# A fat binary cut anywhere, raw, compressed and in an object.
for kind in stored lz4 elf; do
    "$make_input" "$kind" kernels.ptx "$kind.fatbin" || failed=1
    size=$(wc -c <"$kind.fatbin")
    for part in 3 15 16 40 79 80 100 $((size / 2)) $((size - 200)) $((size - 9)) $((size - 1)); do
        head -c "$part" "$kind.fatbin" >"cut.fatbin"
        bad "truncated_${kind}_$part" 1 launch cut.fatbin nothing
    done
done
head -c 200 stored.fatbin >cut.fatbin
golden truncated_fatbin 1 launch cut.fatbin nothing

for seed in 1 2 3 4 5 6 7 8; do
    "$make_input" bytes "$seed" 4096 random.ptx && bad "random_bytes_$seed" 1 launch random.ptx
    "$make_input" text "$seed" 4096 random.ptx && bad "random_text_$seed" 1 launch random.ptx
    bad "random_text_ptx_$seed" 1 ptx random.ptx
done
"$make_input" bytes 1 4096 random.ptx
golden random_bytes 1 launch random.ptx

# Words of PTX in any order have many errors: the first ones are listed, and it ends.
for seed in 1 2 3 4 5 6 7 8; do
    "$make_input" words "$seed" 400 words.ptx
    timeout -k 5 120 "$lockstep" ptx words.ptx >out 2>err </dev/null
    got=$?
    name=words_$seed
    [ "$got" = 1 ] || complain "exit status $got: $(head -c 600 err)"
    [ -s out ] && complain "stdout is not empty"
    grep -q '^words.ptx:[0-9]*:[0-9]*: error: ' err || complain "no error with a place: $(head -c 600 err)"
done

# ---- the command line ----
golden which_file 2 launch
golden which_kernel 2 launch kernels.ptx
golden unknown_kernel 2 launch kernels.ptx saxpi
golden third_word 2 launch kernels.ptx nothing more
golden few_arguments 2 launch kernels.ptx saxpy --arg u32:1
golden many_arguments 2 launch kernels.ptx trapped --arg u32:1 --arg u32:2
golden wide_argument 2 launch kernels.ptx saxpy --arg u64:1 --arg f32:1 --arg buf:64 --arg buf:64
golden narrow_argument 2 launch kernels.ptx misaligned --arg u32:1
golden argument_type 2 launch kernels.ptx nothing --arg int:5
golden argument_value 2 launch kernels.ptx nothing --arg i32:five
golden buffer_size 2 launch kernels.ptx nothing --arg buf:many
golden buffer_word 2 launch kernels.ptx nothing --arg buf:64:ones
for spec in "" : i32 i32: i32:1x u8:256 i8:128 i8:-129 u32:-1 u64:99999999999999999999 f32:abc f32: hex: hex:0 hex:0g \
    buf buf: buf:0 buf:-1 buf:64: buf:64:out= buf:64:out=f16 buf:64:out=f32x buf:64:out=f32x0 buf:64:random=x \
    buf:64:zero=f32 buf:64:iota=f32:out=i32 buf:9999999999999g nonsense; do
    bad "spec '$spec'" 2 launch kernels.ptx nothing --arg "$spec"
done
for size in 0 -1 x 1x 1x2x3x4 1x0 4294967296 32y2 ''; do
    bad "grid '$size'" 2 launch kernels.ptx nothing --grid "$size"
    bad "block '$size'" 2 launch kernels.ptx nothing --block "$size"
done
golden metric 2 launch kernels.ptx nothing --metrics gld_transactionz
golden csv_buffer 2 launch kernels.ptx misaligned --csv --arg buf:64:out=i32
golden timeout 2 launch kernels.ptx nothing --timeout soon
golden shared 2 launch kernels.ptx nothing --shared lots
golden on 2 launch kernels.ptx nothing --on tpu
golden gpu 3 launch kernels.ptx nothing --gpu voodoo
golden ptx_which_file 2 ptx
golden ptx_two_files 2 ptx kernels.ptx no_kernel.ptx

exit $failed
