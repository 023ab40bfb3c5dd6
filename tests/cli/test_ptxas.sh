#!/bin/sh
# lockstep-ptxas in ptxas's place: options, messages, exit status. test_ptxas.sh LOCKSTEP-PTXAS LOCKSTEP
ptxas=$1
lockstep=$2
failed=0
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
cat >good.ptx <<'END'
.version 8.0
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<3>;
    .shared .b32 s[4];
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [%rd1];
    add.u32 %r2, %r1, 1;
    bar.sync 0;
    st.global.u32 [%rd1], %r2;
    ret;
}
END
sed 's/%r1, 1/%r9, 1/; s/st.global.u32/st.globl.u32/' good.ptx >bad.ptx

# try STATUS ARGUMENT...
try() {
    want=$1
    shift
    said=$("$ptxas" "$@" 2>&1)
    got=$?
    [ $got = "$want" ] || { echo "FAILED: $*: status $got, not $want"; printf '%s\n' "$said"; failed=1; }
}
# has TEXT: what was said has it
has() {
    printf '%s\n' "$said" | grep -qF -- "$1" || { echo "FAILED: nothing has: $1"; printf '%s\n' "$said"; failed=1; }
}
try 0 --version
has 'release 13.0, V13.0.0'
try 0 --help
has '--gpu-name VALUE (-arch)'
try 0 -v -lineinfo --fmad=false -O3 --opt-level 0 -m64 -arch sm_90a good.ptx -o good.o
has "ptxas info    : Compiling entry function 'k' for 'sm_90a'"
has '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'
has 'used 1 barriers, 16 bytes smem'
"$lockstep" ptx good.o | grep -q 'kernel  k ' || { echo "FAILED: good.o does not hold the kernel"; failed=1; }
try 0 --gpu-name=sm_90a good.ptx
[ -s elf.o ] || { echo "FAILED: no elf.o"; failed=1; }
try 0 -arch=compute_90a good.ptx -o none.o
[ ! -e none.o ] || { echo "FAILED: an object for no GPU"; failed=1; }
try 0 -arch=sm_90a --input-as-string "$(cat good.ptx)" -o text.o
try 255 -arch=sm_90a bad.ptx -o bad.o
has 'ptxas bad.ptx, line 11; error   : '
has 'ptxas bad.ptx, line 13; error   : '
has 'ptxas fatal   : '
[ ! -e bad.o ] || { echo "FAILED: an object of bad PTX"; failed=1; }
try 255 -arch=sm_90 good.ptx
has 'sm_90a cannot be made for sm_90'
try 255 good.ptx
has 'sm_90a cannot be made for sm_75'
try 255 -arch=sm_90a --outputfile x good.ptx
has "unknown option '--outputfile'; the nearest is '--output-file'"
try 255 -arch=sm_9x good.ptx
has "'sm_9x' is no GPU"
try 255 -fmad=maybe -arch=sm_90a good.ptx
has 'true or false'
try 255 -arch=sm_90a
has 'which file'
try 255 -arch=sm_90a ''
has 'which file'
try 255 -arch=sm_90a --input-as-string ' '
has '--input-as-string: the text is empty'
try 255 -arch=sm_90a good.ptx -o ''
has '--output-file needs the name of a file'
: >empty.ptx
try 255 -arch=sm_90a empty.ptx
has 'empty.ptx: the file is empty'
try 255 -arch=sm_90a .
has 'Is a directory'
try 255 -arch=sm_90a good.ptx -o .
has 'cannot be written: Is a directory'
try 255 -arch=sm_90a missing.ptx
has 'missing.ptx: the file cannot be read'
try 255 -arch=sm_90a good.ptx -o missing/x.o
has 'missing/x.o cannot be written'
[ $failed = 0 ] && echo "test_ptxas: all well"
exit $failed
