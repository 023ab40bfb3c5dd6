/* launches.c - what a launch costs, and what beginning its blocks and warps does: the time of many launches of a kernel
 * of ten instructions, through the driver.
 *
 *     bench_launches [N [BLOCKS [THREADS]]]                      not profiled; 10,000 launches of one block of a warp
 *     bench_launches 100 4096 256                                a million threads: what a warp costs
 *     LOCKSTEP_SESSION=/tmp/s bench_launches                     profiled: a record a launch in the session
 *     LOCKSTEP_SESSION=/tmp/s LOCKSTEP_CACHES=1 bench_launches   with caches, DRAM and time besides
 *     and LOCKSTEP_MODEL_LAUNCHES=sampled                        as `lockstep profile` has it: few of them modelled */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "driver/cuda_abi.h"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry tiny(.param .u64 p)\n{\n"
                           ".reg .b32 %r<4>; .reg .b64 %q<3>;\n"
                           "ld.param.u64 %q1, [p]; mov.u32 %r1, %tid.x; mov.u32 %r3, %ctaid.x;\n"
                           "mov.u32 %r2, %ntid.x; mad.lo.u32 %r1, %r3, %r2, %r1; mad.wide.u32 %q2, %r1, 4, %q1;\n"
                           "ld.global.u32 %r2, [%q2]; add.u32 %r2, %r2, 1; st.global.u32 [%q2], %r2;\n"
                           "ret;\n}\n";

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const unsigned n = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 10000;
    const unsigned blocks = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    const unsigned threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 32;
    const unsigned warps = (threads + 31) / 32 * blocks;
    const size_t bytes = 4 * (size_t)blocks * threads;
    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = {&p};
    CUresult r = cuInit(0);
    r = r ? r : cuCtxCreate_v4(&ctx, NULL, 0, 0);
    r = r ? r : cuModuleLoadData(&module, text);
    r = r ? r : cuModuleGetFunction(&f, module, "tiny");
    r = r ? r : cuMemAlloc_v2(&p, bytes);
    r = r ? r : cuMemsetD8_v2(p, 0, bytes);
    r = r ? r
          : cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL); /* what the first one alone costs */
    r = r ? r : cuCtxSynchronize();
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned k = 0; k < n && r == CUDA_SUCCESS; k++)
        r = cuLaunchKernel(f, blocks, 1, 1, threads, 1, 1, 0, NULL, params, NULL);
    r = r ? r : cuCtxSynchronize();
    if (r != CUDA_SUCCESS)
        return fprintf(stderr, "bench_launches: CUDA error %d\n", (int)r), 1;
    const double took = seconds(CLOCK_MONOTONIC) - wall, used = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    printf("%u launches: %.3f s, %.3f s of processor time, %.1f us a launch, %.1f ns a warp\n", n, took, used,
           used / (n ? n : 1) * 1e6, used / (n ? n : 1) / warps * 1e9);
    return 0;
}
