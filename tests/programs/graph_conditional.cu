/* graph_conditional - Newton's method for a square root in a loop of a graph that a kernel ends. */
#include <cuda_runtime.h>

#include "program.h"

__global__ void step(cudaGraphConditionalHandle go_on, double *x, double of, int *steps)
{
    double better = 0.5 * (*x + of / *x);
    ++*steps;
    if (better == *x || *steps > 100)
        cudaGraphSetConditional(go_on, 0);
    *x = better;
}

int main()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t loop, body;
    cudaGraphConditionalHandle go_on;
    double *x, of = 1024, start = 1;
    int *steps;
    CHECK(cudaMallocManaged(&x, sizeof *x));
    CHECK(cudaMallocManaged(&steps, sizeof *steps));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphConditionalHandleCreate(&go_on, graph, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = go_on;
    p.conditional.type = cudaGraphCondTypeWhile;
    p.conditional.size = 1;
    CHECK(cudaGraphAddNode(&loop, graph, NULL, NULL, 0, &p));
    void *args[] = {&go_on, &x, &of, &steps};
    cudaKernelNodeParams k;
    memset(&k, 0, sizeof k);
    k.func = (void *)step;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    CHECK(cudaGraphAddKernelNode(&body, p.conditional.phGraph_out[0], NULL, 0, &k));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        *x = start;
        *steps = 0;
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        verdict(*x == 32 && *steps > 5 && *steps < 20, "the root of 1024, in a loop on the device");
    }
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaFree(x));
    CHECK(cudaFree(steps));
    return failures;
}
