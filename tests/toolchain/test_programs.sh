#!/bin/sh
# test_programs.sh LOCKSTEP - the programs of programs/, compiled by `lockstep cc` with several sets of options and run;
# each prints the number of its failures. Then a library that a C program uses, one written for nvcc's rules and run
# with -run, and the kernel that calls every function of clang's mathematics.
set -u
lockstep=$1
here=$(cd "$(dirname "$0")" && pwd)
failed=0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset LOCKSTEP_GPU LOCKSTEP_SESSION LOCKSTEP_SEED LOCKSTEP_MEMORY
LOCKSTEP_WORKERS=1
export LOCKSTEP_WORKERS
cd "$tmp" || exit 1

complain() {
    echo "$*"
    failed=1
}

# runs NAME OPTION...
runs() {
    name=$1
    shift
    if ! "$lockstep" cc "$@" "$here/programs/$name.cu" -o "$name" >log 2>&1; then
        complain "$name $*: does not compile"
    else
        timeout -k 5 100 "$lockstep" run "./$name" >log 2>&1 && grep -qx '0 failures' log && return
        complain "$name $*: fails"
    fi
    head -20 log
}
runs math
runs intrinsics -arch=sm_75 -Xcompiler -Wall -Werror all-warnings
runs intrinsics -arch=sm_90 -use_fast_math
runs language -arch=sm_90 --extended-lambda
runs language -rdc=true -lineinfo -std=c++20 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90
runs language -G -g -maxrregcount=64

# An object, a dependency file, a static library, and C and C++ that only use the runtime.
cat >lib.cu <<'END'
__global__ void add(int *x) { atomicAdd(x, 5); }
extern "C" int answer(void)
{
    int *x, y = 37;
    cudaMalloc(&x, sizeof *x);
    cudaMemcpy(x, &y, sizeof y, cudaMemcpyHostToDevice);
    add<<<1, 1>>>(x);
    cudaMemcpy(&y, x, sizeof y, cudaMemcpyDeviceToHost);
    return y;
}
END
cat >main.c <<'END'
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
int answer(void);
int devices(void);
int main(void) { return printf("%d %d\n", answer(), devices()) < 0; }
END
cat >more.cpp <<'END'
#include <cuda_runtime.h>
#include <memory>
#include <sstream>
extern "C" int devices(void)
{
    int n = 0;
    cudaDeviceProp prop;
    return cudaGetDeviceCount(&n) || cudaGetDeviceProperties(&prop, 0) ? -1 : n;
}
END
"$lockstep" cc -c -MMD lib.cu && grep -q '^lib.o: lib.cu' lib.d && "$lockstep" cc -lib lib.o -o libone.a &&
    "$lockstep" cc main.c more.cpp -L. -lone -run >out && [ "$(cat out)" = '42 1' ] || complain "a library: $(cat out)"
"$lockstep" cc -shared -Xcompiler -fPIC lib.cu -o libtwo.so && "$lockstep" cc main.c more.cpp -L. -ltwo -Xlinker -rpath=. \
    -o two && [ "$("$lockstep" run ./two)" = '42 1' ] || complain "a shared library"

# Device code in a library, found by -l: what of it is not used registers nothing. Managed variables across files.
cat >use.cu <<'END'
#include <cstdio>
extern __device__ int base;
__device__ int tenfold(int);
extern __managed__ int total;
void touch();
__global__ void k(int *o)
{
    *o = tenfold(3) + base;
    total += 1;
}
int main()
{
    int *o;
    cudaMallocManaged(&o, sizeof *o);
    total = 5;
    k<<<1, 1>>>(o);
    cudaDeviceSynchronize();
    touch();
    cudaDeviceSynchronize();
    printf("%d %d\n", *o, total);
}
END
cat >part.cu <<'END'
__device__ int base = 7;
__device__ int tenfold(int x) { return x * 10; }
__managed__ int total;
static __global__ void k() { total += 100; }
void touch() { k<<<1, 1>>>(); }
END
echo '__global__ void nobody() {} void never() { nobody<<<1, 1>>>(); }' >rest.cu
"$lockstep" cc -dc use.cu part.cu rest.cu && "$lockstep" cc -lib part.o rest.o -o libpart.a &&
    "$lockstep" cc -rdc=true use.o -L. -lpart -run >out && [ "$(cat out)" = '37 106' ] || complain "separate code: $(cat out)"

# Every __nv_ function that clang's headers declare has a body in the driver.
declares=$(clang-19 -print-resource-dir)/include/__clang_cuda_libdevice_declares.h
awk -f "$here/nv_calls.awk" "$declares" >nv.cu
count=$(sed -n 's,^// functions: ,,p' nv.cu)
[ "$count" -ge 400 ] || complain "only $count functions are declared in $declares"
clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib --cuda-path=/nonexistent \
    --cuda-feature=+ptx80 -O1 -S nv.cu -o nv.ptx || complain "the calls of all functions do not compile"
[ "$(grep -c '^\.extern \.func' nv.ptx)" = "$count" ] || complain "not all functions are called"
"$lockstep" launch nv.ptx --arg buf:4096 --arg buf:16384 >log 2>&1 || complain "a function has no body: $(head -3 log)"
exit $failed
