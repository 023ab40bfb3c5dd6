#!/usr/bin/env bash
# nvcc_programs.sh NVCC LIB TEST - compiles one of the programs in nvcc/ with NVIDIA's compiler and runs it on our
# runtime library and driver (the folder LIB): program, linked, plugin or no_ptx.
set -euo pipefail

nvcc=$1 lib=$2 test=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/nvcc" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export LD_LIBRARY_PATH=$lib
flags=(-cudart shared -arch=sm_90 -w)

want_ok() {
    local said
    said=$(timeout 60 "$@" 2>stderr) || { echo "$1 failed: $said"; cat stderr; exit 1; }
    [ "$said" = ok ] || { echo "$1 said: $said"; cat stderr; exit 1; }
}

case $test in
program)
    "$nvcc" "${flags[@]}" -std=c++17 -o program "$here/program.cu"
    want_ok ./program
    grep -q 'CUDA_ERROR_ILLEGAL_ADDRESS' stderr || { echo "the fault was not reported"; exit 1; }
    ;;
linked)
    "$nvcc" "${flags[@]}" -rdc=true -o linked "$here/linked_main.cu" "$here/linked_part.cu" -lcudadevrt
    want_ok ./linked
    ;;
plugin)
    "$nvcc" "${flags[@]}" -default-stream per-thread -shared -Xcompiler -fPIC -o plugin.so "$here/plugin.cu"
    "${CC:-cc}" -o host "$here/plugin_host.c" -ldl
    want_ok ./host ./plugin.so
    ;;
no_ptx)
    "$nvcc" -cudart shared -gencode arch=compute_90,code=sm_90 -o no_ptx "$here/no_ptx.cu"
    said=$(timeout 60 ./no_ptx 2>stderr)
    [ "$said" = cudaErrorNoKernelImageForDevice ] || { echo "it said: $said"; exit 1; }
    grep -q 'holds no PTX, only machine code for sm_90; rebuild with' stderr || { cat stderr; exit 1; }
    [ "$(grep -c 'holds no PTX' stderr)" = 1 ] || { echo "said more than once"; cat stderr; exit 1; }
    ;;
esac
