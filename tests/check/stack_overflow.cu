/* stack_overflow - a recursion that is as deep as its tree, in a tree that is a list, with the stack that CUDA gives
 * unless asked for more. */
// TOOL: memcheck
// EXPECT: stack-overflow
// ALSO: api-error
#include "check.h"

__device__ __noinline__ int deepest(const int *left, const int *right, int node, int *path)
{
    int mine[32]; // the ends of the longest way below
    for (int i = 0; i < 32; i++)
        mine[i] = path[i] + 1;
    if (node < 0)
        return 0;
    int l = deepest(left, right, left[node], mine);
    int r = deepest(left, right, right[node], mine);
    path[node % 32] = mine[(l + r) % 32];
    return 1 + (l > r ? l : r);
}

__global__ void depth(const int *left, const int *right, int *out)
{
    int path[32] = {0};
    *out = deepest(left, right, 0, path) + (path[1] < 0);
}

int main()
{
    enum { N = 200 };
    int host[N], *left, *right, *out, found;
    CHECK(cudaMalloc(&left, sizeof host));
    CHECK(cudaMalloc(&right, sizeof host));
    CHECK(cudaMalloc(&out, sizeof *out));
    for (int i = 0; i < N; i++)
        host[i] = i + 1 < N ? i + 1 : -1;
    CHECK(cudaMemcpy(left, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(right, 0xff, sizeof host)); // nothing to the right anywhere
    depth<<<1, 1>>>(left, right, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&found, out, sizeof found, cudaMemcpyDeviceToHost));
    printf("depth %d\n", found);
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
    CHECK(cudaFree(out));
    return 0;
}
