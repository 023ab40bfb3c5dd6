/* annotated - a program with NVTX ranges, marks and names and the profiler's switch, run without a profiler: all of it
 * does nothing, and says nothing. */
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <nvtx3/nvToolsExt.h>

#include "program.h"

__global__ void count(int *n)
{
    atomicAdd(n, 1);
}

static nvtxEventAttributes_t event_of(const char *text)
{
    nvtxEventAttributes_t e;
    memset(&e, 0, sizeof e);
    e.version = NVTX_VERSION;
    e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    e.colorType = NVTX_COLOR_ARGB;
    e.color = 0xff00ff00;
    e.messageType = NVTX_MESSAGE_TYPE_ASCII;
    e.message.ascii = text;
    return e;
}

int main()
{
    int *device, host = 0;
    CHECK(cudaMalloc(&device, sizeof *device));
    CHECK(cudaMemset(device, 0, sizeof *device));
    nvtxNameOsThreadA(1, "main");
    nvtxDomainHandle_t domain = nvtxDomainCreateA("program");
    const nvtxRangeId_t whole = nvtxRangeStartA("whole");
    CHECK(cudaProfilerStart());
    for (int i = 0; i < 3; i++) {
        const nvtxEventAttributes_t e = event_of("step");
        nvtxRangePushA("outer");
        nvtxDomainRangePushEx(domain, &e);
        count<<<2, 64>>>(device);
        nvtxDomainRangePop(domain);
        nvtxMarkA("launched");
        nvtxRangePop();
    }
    CHECK(cudaProfilerStop());
    nvtxRangeEnd(whole);
    nvtxDomainDestroy(domain);
    CHECK(cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost));
    verdict(host == 3 * 2 * 64, "a program with ranges of NVTX");
    CHECK(cudaFree(device));
    return failures;
}
