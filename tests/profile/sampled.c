/* sampled.c - a program that launches kernels again and again, for the test of sampled modelling.
 *
 *     sampled same N     N launches of a kernel with two buffers in turn
 *     sampled step N     the same with a number that is 0 and 1 in turn
 *     sampled grows N    what a launch does depends on how many there were: the first two alike, each further one more */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .entry same(.param .u64 p, .param .u32 k)\n{\n"
                           ".reg .b32 %r<6>; .reg .b64 %q<3>;\n"
                           "ld.param.u64 %q1, [p]; ld.param.u32 %r3, [k];\n"
                           "mov.u32 %r1, %tid.x; mov.u32 %r4, %ctaid.x; mad.lo.u32 %r1, %r4, 128, %r1;\n"
                           "mad.wide.u32 %q2, %r1, 4, %q1;\n"
                           "ld.global.u32 %r2, [%q2]; add.u32 %r2, %r2, %r3; st.global.u32 [%q2], %r2;\n"
                           "ret;\n}\n"
                           ".visible .entry grows(.param .u64 p, .param .u32 k)\n{\n"
                           ".reg .b32 %r<6>; .reg .b64 %q<3>; .reg .pred %p<2>;\n"
                           "ld.param.u64 %q1, [p];\n"
                           "ld.global.u32 %r1, [%q1]; max.u32 %r2, %r1, 1;\n"
                           "LOOP: st.global.u32 [%q1+4], %r2; sub.u32 %r2, %r2, 1;\n"
                           "setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOP;\n"
                           "add.u32 %r1, %r1, 1; st.global.u32 [%q1], %r1;\n"
                           "ret;\n}\n";

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const unsigned n = (unsigned)strtoul(argv[2], NULL, 10);
    const int step = !strcmp(argv[1], "step"), grows = !strcmp(argv[1], "grows");
    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p[2];
    CUresult r = cuInit(0);
    r = r ? r : cuCtxCreate_v4(&ctx, NULL, 0, 0);
    r = r ? r : cuModuleLoadData(&module, text);
    r = r ? r : cuModuleGetFunction(&f, module, grows ? "grows" : "same");
    for (unsigned k = 0; k < 2; k++) {
        r = r ? r : cuMemAlloc_v2(&p[k], 1 << 16);
        r = r ? r : cuMemsetD8_v2(p[k], 0, 1 << 16);
    }
    for (unsigned k = 0; k < n && r == CUDA_SUCCESS; k++) {
        unsigned number = step ? k % 2 : 0;
        void *params[] = {grows ? &p[0] : &p[k % 2], &number};
        r = cuLaunchKernel(f, grows ? 1 : 64, 1, 1, grows ? 32 : 128, 1, 1, 0, NULL, params, NULL);
    }
    r = r ? r : cuCtxSynchronize();
    if (r != CUDA_SUCCESS)
        return fprintf(stderr, "sampled: CUDA error %d\n", (int)r), 1;
    return 0;
}
