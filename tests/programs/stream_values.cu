/* stream_values - the driver's functions by their plain names in a program of the runtime library: streams that write
 * words and wait for them, at once and in a graph. */
#include <cuda.h>
#include <cuda_runtime.h>

#include "program.h"

#define DRIVER(call) verdict((call) == CUDA_SUCCESS, "%s", #call)

int main()
{
    CUstream s;
    CUdeviceptr word;
    CUgraph graph;
    CUgraphExec exec;
    unsigned long long got = 0;
    CHECK(cudaFree(0)); // the runtime's context is the driver's
    DRIVER(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    DRIVER(cuMemAlloc(&word, 64));
    DRIVER(cuStreamWriteValue32(s, word, 5, CU_STREAM_WRITE_VALUE_DEFAULT));
    DRIVER(cuStreamWaitValue32(s, word, 5, CU_STREAM_WAIT_VALUE_EQ));
    DRIVER(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    DRIVER(cuStreamWriteValue64(s, word, 1ull << 40, CU_STREAM_WRITE_VALUE_DEFAULT));
    DRIVER(cuStreamWaitValue64(s, word, 1, CU_STREAM_WAIT_VALUE_GEQ));
    DRIVER(cuStreamEndCapture(s, &graph));
    DRIVER(cuGraphInstantiate(&exec, graph, 0));
    DRIVER(cuGraphLaunch(exec, s));
    DRIVER(cuStreamSynchronize(s));
    DRIVER(cuMemcpyDtoH(&got, word, sizeof got));
    verdict(got == 1ull << 40, "what the graph wrote");
    return failures;
}
