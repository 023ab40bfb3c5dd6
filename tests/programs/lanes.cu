// lanes - bulk operations that several lanes of a warp issue, without elect: each lane's is one of its own. And a second arrival at
// the cluster's barrier without a wait between: it comes to a stop until all have arrived. The expected text is an H200's.
#include <cstdint>
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>

__device__ unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Sums of ones into global memory: by a tensor map or without; all at one place, or at four.
__global__ void sums(const __grid_constant__ CUtensorMap map, unsigned *to, int what, unsigned mask)
{
    __shared__ __align__(128) unsigned ones[64];
    const int lane = threadIdx.x, at = lane % 4 * 4;
    ones[lane] = ones[lane + 32] = 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncwarp();
    if (mask >> lane & 1)
    {
        if (what < 2)
            asm volatile("cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&map),
                         "r"(what ? at : 0), "r"(shared_at(ones))
                         : "memory");
        else
            asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(to + (what == 3 ? at : 0)),
                         "r"(shared_at(ones)), "r"(what == 3 ? 16 : 128)
                         : "memory");
    }
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

// Loads of 128 bytes by some lanes: as many bytes arrive.
__global__ void loads(const __grid_constant__ CUtensorMap map, unsigned *from, int what, unsigned mask, unsigned *out)
{
    __shared__ __align__(128) unsigned memory[64];
    __shared__ uint64_t barrier;
    const unsigned bar = shared_at(&barrier), bytes = 128 * __popc(mask), lane = threadIdx.x;
    if (!lane)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;\n\t"
                     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                     "r"(bytes)
                     : "memory");
    __syncwarp();
    if (mask >> lane & 1)
    {
        if (what)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(
                             shared_at(memory)),
                         "l"(from), "r"(bar)
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2}], [%3];" ::"r"(
                             shared_at(memory)),
                         "l"(&map), "r"(0), "r"(bar)
                         : "memory");
    }
    unsigned done = 0;
    for (int k = 0; k < 1000000 && !done; k++)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    if (!lane)
        *out = done;
}

#define ARRIVE asm volatile("barrier.cluster.arrive.aligned;" ::: "memory")
#define WAIT asm volatile("barrier.cluster.wait.aligned;" ::: "memory")

// Block 0 arrives twice and waits once; block 1 arrives once and writes before it ends, which is its second arrival. With `partly`
// one warp of block 0 arrives twice, the other one once.
__global__ void __cluster_dims__(2) twice(volatile int *out, bool partly)
{
    const int rank = blockIdx.x & 1, warp = threadIdx.x / 32;
    if (rank)
    {
        ARRIVE;
        WAIT;
        for (long long from = clock64(); clock64() - from < 20000;)
            ;
        __syncthreads();
        out[0] = 1;
        __threadfence();
        return;
    }
    ARRIVE;
    if (!partly || !warp)
        ARRIVE;
    WAIT;
    if (!threadIdx.x)
        out[1] = out[0];
}

int main()
{
    static const unsigned masks[] = {0xffffffff, 1, 0x80000000, 3, 0xffff0000};
    unsigned *memory, host[64];
    CUtensorMap maps[2];
    const cuuint64_t dims[] = {64}, strides[] = {0};
    const cuuint32_t box[] = {32}, small[] = {4}, steps[] = {1};
    cudaMalloc(&memory, 4096);
    for (int k = 0; k < 2; k++)
        cuTensorMapEncodeTiled(&maps[k], CU_TENSOR_MAP_DATA_TYPE_UINT32, 1, memory, dims, strides, k ? small : box, steps,
                               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    for (int what = 0; what < 4; what++)
        for (unsigned mask : masks)
        {
            cudaMemset(memory, 0, 4096);
            sums<<<1, 32>>>(maps[what == 1], memory, what, mask);
            printf("sums %d %08x: %s", what, mask, cudaGetErrorName(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost)));
            for (int k = 0; k < 40; k += 4)
                printf(" %u", host[k]);
            printf("\n");
        }
    for (int what = 0; what < 2; what++)
        for (unsigned mask : masks)
        {
            loads<<<1, 32>>>(maps[0], memory, what, mask, memory + 512);
            printf("loads %d %08x: %s", what, mask, cudaGetErrorName(cudaMemcpy(host, memory + 512, 4, cudaMemcpyDeviceToHost)));
            printf(" %u\n", host[0]);
        }
    for (int partly = 0; partly < 2; partly++)
    {
        cudaMemset(memory, 0, 4096);
        twice<<<2, 64>>>((volatile int *)memory, partly);
        printf("twice: %s", cudaGetErrorName(cudaMemcpy(host, memory, sizeof host, cudaMemcpyDeviceToHost)));
        printf(" %u\n", host[1]);
    }
    return 0;
}
