/* launches.c - what a launch costs: the time of many launches of a kernel of one warp a block, through the driver.
 *
 *     bench_launches [N [BLOCKS]]                                not profiled; 10,000 launches of one block
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
                           "mad.lo.u32 %r1, %r3, 32, %r1; mad.wide.u32 %q2, %r1, 4, %q1;\n"
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
    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    void *params[] = {&p};
    CUresult r = cuInit(0);
    r = r ? r : cuCtxCreate_v4(&ctx, NULL, 0, 0);
    r = r ? r : cuModuleLoadData(&module, text);
    r = r ? r : cuModuleGetFunction(&f, module, "tiny");
    r = r ? r : cuMemAlloc_v2(&p, 128 * (size_t)blocks);
    r = r ? r : cuMemsetD8_v2(p, 0, 128 * (size_t)blocks);
    r = r ? r : cuLaunchKernel(f, blocks, 1, 1, 32, 1, 1, 0, NULL, params, NULL); /* what the first one alone costs */
    r = r ? r : cuCtxSynchronize();
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (unsigned k = 0; k < n && r == CUDA_SUCCESS; k++)
        r = cuLaunchKernel(f, blocks, 1, 1, 32, 1, 1, 0, NULL, params, NULL);
    r = r ? r : cuCtxSynchronize();
    if (r != CUDA_SUCCESS)
        return fprintf(stderr, "bench_launches: CUDA error %d\n", (int)r), 1;
    printf("%u launches: %.3f s, %.3f s of processor time, %.1f us a launch\n", n, seconds(CLOCK_MONOTONIC) - wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, (seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (n ? n : 1) * 1e6);
    return 0;
}
