/* trace_subject.c - what test_trace.sh traces: two streams on the driver API, each copies in, runs a kernel and copies out,
 * from page-locked memory; then a fill in the default stream. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/cuda_abi.h"

static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry twice(.param .u64 p)\n{\n"
                          ".reg .b32 %r<5>; .reg .b64 %rd<4>;\n"
                          "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
                          "mad.lo.u32 %r1, %r1, %r2, %r3;\n"
                          "ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n"
                          "ld.global.u32 %r4, [%rd3]; add.u32 %r4, %r4, %r4; st.global.u32 [%rd3], %r4;\n"
                          "ret;\n}\n";

static void check(CUresult r, const char *what)
{
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, (int)r);
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

int main(void)
{
    enum { N = 65536, STREAMS = 2 };
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUstream stream[STREAMS];
    CUdeviceptr data[STREAMS];
    int *host[STREAMS];
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuModuleLoadData(&module, ptx));
    CHECK(cuModuleGetFunction(&kernel, module, "twice"));
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cuStreamCreate(&stream[s], 0));
        CHECK(cuMemAlloc_v2(&data[s], N * 4));
        CHECK(cuMemHostAlloc((void **)&host[s], N * 4, 0));
    }
    for (int s = 0; s < STREAMS; s++) {
        void *params[] = {&data[s]};
        CHECK(cuMemcpyHtoDAsync_v2(data[s], host[s], N * 4, stream[s]));
        CHECK(cuLaunchKernel(kernel, N / 256, 1, 1, 256, 1, 1, 0, stream[s], params, NULL));
        CHECK(cuMemcpyDtoHAsync_v2(host[s], data[s], N * 4, stream[s]));
    }
    CHECK(cuCtxSynchronize());
    CHECK(cuMemsetD8_v2(data[0], 0, N));
    return 7;
}
