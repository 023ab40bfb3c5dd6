/* carveouts.c - launches of one kernel with carve-outs of all kinds, none of which is waited for: each has the one that was asked for when it was
 * launched, by its function or by the launch itself. */
#include <stdio.h>

#include "driver/cuda_abi.h"

static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry nothing()\n{\nret;\n}\n";

static CUresult launch(CUfunction f, int percent, int of_launch)
{
    CUlaunchAttribute asked = {.id = CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                               .value = {.sharedMemCarveout = (unsigned)of_launch}};
    const CUlaunchConfig c = {.gridDimX = 2000,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 128,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .attrs = &asked,
                              .numAttrs = of_launch >= 0};
    const CUresult r = cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent);
    return r ? r : cuLaunchKernelEx(&c, f, NULL, NULL);
}

int main(void)
{
    static const int percents[][2] = {{-1, -1}, {50, -1}, {0, -1}, {100, -1}, {0, 60}, {50, 0}};
    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUresult r = cuInit(0);
    r = r ? r : cuCtxCreate_v4(&ctx, NULL, 0, 0);
    r = r ? r : cuModuleLoadData(&module, text);
    r = r ? r : cuModuleGetFunction(&f, module, "nothing");
    for (unsigned k = 0; k < sizeof percents / sizeof *percents; k++)
        r = r ? r : launch(f, percents[k][0], percents[k][1]);
    r = r ? r : cuCtxSynchronize();
    if (r != CUDA_SUCCESS)
        return fprintf(stderr, "carveouts: CUDA error %d\n", (int)r), 1;
    return 0;
}
