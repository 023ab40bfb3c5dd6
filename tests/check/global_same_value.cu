/* global_same_value - breadth-first search: whoever reaches a node marks it, and several blocks do. */
// TOOL: racecheck
// EXPECT: global-same-value line @mark other line @mark
#include "check.h"

__global__ void mark_ends(const int *ends, int *marked, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        marked[ends[i]] = 1; // @mark
}

int main()
{
    enum { EDGES = 256, NODES = 100, BLOCK = 64 };
    static int host[EDGES];
    int *ends, *marked;
    for (int i = 0; i < EDGES; i++)
        host[i] = i * 3 % NODES;
    CHECK(cudaMalloc(&ends, sizeof host));
    CHECK(cudaMalloc(&marked, NODES * sizeof *marked));
    CHECK(cudaMemcpy(ends, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(marked, 0, NODES * sizeof *marked));
    mark_ends<<<EDGES / BLOCK, BLOCK>>>(ends, marked, EDGES);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, marked, NODES * sizeof *marked, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(ends));
    CHECK(cudaFree(marked));
    return 0;
}
