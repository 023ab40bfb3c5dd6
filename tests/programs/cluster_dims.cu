/* cluster_dims - kernels that declare their clusters with __cluster_dims__: where the word may stand, templates, what a
 * launch may say besides. */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "program.h"

namespace cg = cooperative_groups;

static __device__ void tell(uint3 *out)
{
    const dim3 n = cg::this_cluster().dim_blocks();
    if (threadIdx.x == 0)
        out[blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)] = make_uint3(n.x, n.y, n.z);
}

__global__ void __cluster_dims__(4, 2, 1) named(uint3 *out) { tell(out); }
__global__ __cluster_dims__(3) void one_number(uint3 *out) { tell(out); }
__cluster_dims__(1, 2) __global__ void two_numbers(uint3 *out) { tell(out); }
__global__ void __cluster_dims__(1, 1, 4) __launch_bounds__(64) declared_first(uint3 *out);
__global__ void declared_first(uint3 *out) { tell(out); }
__global__ void plain(uint3 *out) { tell(out); }
template <int X, int Y> __global__ void __cluster_dims__(X, Y, 1) of_template(uint3 *out) { tell(out); }

/* The sum of what the other blocks of the cluster have in their shared memory. */
extern "C" __global__ void __cluster_dims__(8, 1, 1) sum_ranks(uint3 *out)
{
    __shared__ unsigned mine;
    const cg::cluster_group c = cg::this_cluster();
    if (threadIdx.x == 0)
        mine = 1u << c.block_rank();
    c.sync();
    unsigned sum = 0;
    for (unsigned k = 0; k < c.num_blocks(); k++)
        sum += *c.map_shared_rank(&mine, k);
    c.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] = make_uint3(sum, c.num_blocks(), 0);
}

static uint3 *out;

static void expect(const char *name, void (*kernel)(uint3 *), dim3 grid, uint3 want)
{
    const unsigned blocks = grid.x * grid.y * grid.z;
    int bad = 0;
    CHECK(cudaMemset(out, 0xff, 64 * sizeof *out));
    kernel<<<grid, 64>>>(out);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (unsigned k = 0; k < blocks; k++)
        bad += out[k].x != want.x || out[k].y != want.y || out[k].z != want.z;
    verdict(!bad, "%s", name);
}

/* A launch with a cluster of its own, which must be the kernel's. */
static cudaError_t launch_with(unsigned x, unsigned y)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = x, attribute.val.clusterDim.y = y, attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(8, 2);
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, named, out);
}

int main(void)
{
    CHECK(cudaMallocManaged(&out, 64 * sizeof *out));
    expect("three numbers", named, dim3(8, 4), make_uint3(4, 2, 1));
    expect("one number", one_number, 6, make_uint3(3, 1, 1));
    expect("two numbers", two_numbers, dim3(3, 4), make_uint3(1, 2, 1));
    expect("on the first declaration", declared_first, dim3(2, 2, 8), make_uint3(1, 1, 4));
    expect("without", plain, 5, make_uint3(1, 1, 1));
    expect("a template of 2", of_template<2, 1>, 8, make_uint3(2, 1, 1));
    expect("a template of 2 and 3", of_template<2, 3>, dim3(4, 3), make_uint3(2, 3, 1));
    expect("their shared memory", sum_ranks, 16, make_uint3(255, 8, 0));
    CHECK(launch_with(4, 2));
    CHECK(cudaDeviceSynchronize());
    REFUSED(launch_with(2, 2), cudaErrorInvalidClusterSize);
    cudaGetLastError();
    named<<<dim3(6, 2), 32>>>(out); /* 4 does not divide 6 */
    REFUSED(cudaGetLastError(), cudaErrorInvalidClusterSize);
    CHECK(cudaFree(out));
    return failures;
}
