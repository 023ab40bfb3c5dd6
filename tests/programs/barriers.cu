/* barriers - named barriers and mbarriers as warps with roles use them, by their PTX: other thread counts phase after
 * phase, arrivals without waits, reductions, early returns, bytes that are waited for, objects that are ended and made
 * anew; and dynamic shared memory of several alignments. */
#include <cuda_runtime.h>
#include <stdint.h>

#include "program.h"

enum { TILES = 20, N = 256 * TILES };

/* ---- named barriers ---- */

__device__ void named_sync(int id, int threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ void named_arrive(int id, int threads)
{
    __threadfence_block();
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

enum { FULL = 1, EMPTY = 3 };

/* Two warps fill two buffers, two others empty them; each buffer has a barrier for either direction. */
__global__ void roles(const int *in, int *out)
{
    __shared__ int buffer[2][64];
    int t = threadIdx.x % 64, sum = 0;
    if (threadIdx.x < 64) {
        for (int k = 0; k < TILES; k++) {
            named_sync(EMPTY + k % 2, 128);
            buffer[k % 2][t] = in[k * 64 + t];
            named_arrive(FULL + k % 2, 128);
        }
        return;
    }
    named_arrive(EMPTY, 128);
    named_arrive(EMPTY + 1, 128);
    for (int k = 0; k < TILES; k++) {
        named_sync(FULL + k % 2, 128);
        sum += buffer[k % 2][63 - t] * (k + 1);
        if (k + 2 < TILES)
            named_arrive(EMPTY + k % 2, 128);
    }
    out[t] = sum;
}

/* In each round one warp fewer takes part: the last one has returned. */
__global__ void fewer_and_fewer(int *out)
{
    __shared__ int value[8];
    int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0)
        value[warp] = warp + 1;
    for (int warps = 8; warps > 1; warps--) {
        int sum = 0;
        if (warp >= warps)
            return;
        named_sync(5, warps * 32);
        for (int k = 0; k < warps; k++)
            sum += value[k];
        named_sync(6, warps * 32);
        if (threadIdx.x % 32 == 0)
            value[warp] = sum + warp;
    }
    if (threadIdx.x == 0)
        *out = value[0];
}

/* Of the whole block, and of half of it by a barrier of its own; half of the threads leave before the last round. */
__global__ void reductions(int *out)
{
    int t = threadIdx.x;
    for (int r = 0; r < 5; r++) {
        int below, all;
        asm volatile("{\n\t"
                     ".reg .pred is, every;\n\t"
                     "setp.lt.u32 is, %2, %3;\n\t"
                     "bar.red.popc.u32 %0, 2, is;\n\t"
                     "setp.lt.u32 is, %4, %5;\n\t"
                     "bar.red.and.pred every, %6, 64, is;\n\t"
                     "selp.u32 %1, 1, 0, every;\n\t"
                     "}"
                     : "=r"(below), "=r"(all)
                     : "r"(t), "r"(r * 17), "r"(t % 64), "r"(62 + r), "r"(3 + t / 64)
                     : "memory");
        int odd = __syncthreads_count(t & 1), any = __syncthreads_or(t == r * 31);
        out[r * 128 + t] = below + all * 1000 + any * 10000 + odd * 100000;
        if (r == 3 && t >= 64)
            return;
    }
}

static void named(const int *in, int *d_in, int *d_out)
{
    static int out[5 * 128];
    int bad = 0;
    roles<<<1, 128>>>(d_in, d_out);
    CHECK(cudaMemcpy(out, d_out, 64 * 4, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 64; t++) {
        int sum = 0;
        for (int k = 0; k < TILES; k++)
            sum += in[k * 64 + 63 - t] * (k + 1);
        bad += out[t] != sum;
    }
    verdict(!bad, "named barriers between warps with roles");

    int value[8];
    for (int k = 0; k < 8; k++)
        value[k] = k + 1;
    for (int warps = 8; warps > 1; warps--) {
        int sum = 0;
        for (int k = 0; k < warps; k++)
            sum += value[k];
        for (int k = 0; k < warps; k++)
            value[k] = sum + k;
    }
    fewer_and_fewer<<<1, 256>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, 4, cudaMemcpyDeviceToHost));
    verdict(out[0] == value[0], "counts that change from phase to phase");

    CHECK(cudaMemset(d_out, 0, sizeof out));
    reductions<<<1, 128>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int r = 0; r < 5; r++) {
        const int threads = r == 4 ? 64 : 128;
        for (int t = 0; t < threads; t++)
            bad += out[r * 128 + t] != (r * 17 < threads ? r * 17 : threads) + (62 + r >= 64) * 1000 +
                                           (r * 31 < threads) * 10000 + threads / 2 * 100000;
    }
    verdict(!bad, "reductions of a block and of parts of it");
}

/* ---- mbarriers ---- */

__device__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ void make(uint64_t *b, unsigned count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(count) : "memory");
}

__device__ void end(uint64_t *b)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}

__device__ uint64_t arrive(uint64_t *b)
{
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(b)) : "memory");
    return state;
}

__device__ void expect(uint64_t *b, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}

__device__ void copy(void *to, const void *from, unsigned bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

__device__ void wait_parity(uint64_t *b, unsigned parity)
{
    asm volatile("{\n\t"
                 ".reg .pred over;\n\t"
                 "AGAIN: mbarrier.try_wait.parity.shared.b64 over, [%0], %1;\n\t"
                 "@!over bra AGAIN;\n\t"
                 "}" ::"r"(shared_address(b)),
                 "r"(parity)
                 : "memory");
}

__device__ void wait_state(uint64_t *b, uint64_t state)
{
    asm volatile("{\n\t"
                 ".reg .pred over;\n\t"
                 "AGAIN: mbarrier.try_wait.shared.b64 over, [%0], %1;\n\t"
                 "@!over bra AGAIN;\n\t"
                 "}" ::"r"(shared_address(b)),
                 "l"(state)
                 : "memory");
}

/* One thread copies tiles into a ring, by one copy or two, and says how many bytes there will be before or after that.
 * Four warps read them; one lane of each gives the buffer back. */
template <int STAGES> __global__ void ring(const int *in, int *out)
{
    __shared__ alignas(128) int buffer[STAGES][256];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int sum = 0;
    for (int k = 0; k < STAGES && threadIdx.x == 0; k++) {
        make(&full[k], 1);
        make(&empty[k], 4);
    }
    __syncthreads();
    for (int k = 0; k < TILES && threadIdx.x == 128; k++) {
        int s = k % STAGES, turn = k / STAGES & 1;
        wait_parity(&empty[s], turn ^ 1);
        if (k % 2)
            expect(&full[s], 1024);
        copy(&buffer[s][0], in + k * 256, k % 3 ? 1024 : 512, &full[s]);
        if (k % 3 == 0)
            copy(&buffer[s][128], in + k * 256 + 128, 512, &full[s]);
        if (k % 2 == 0)
            expect(&full[s], 1024);
    }
    for (int k = 0; k < TILES && threadIdx.x < 128; k++) {
        int s = k % STAGES;
        wait_parity(&full[s], k / STAGES & 1);
        sum += buffer[s][threadIdx.x] - buffer[s][255 - threadIdx.x] * (k + 3);
        __syncwarp();
        if (threadIdx.x % 32 == 0)
            arrive(&empty[s]);
    }
    if (threadIdx.x < 128)
        out[threadIdx.x] = sum;
}

/* The same bytes are an mbarrier, then data, then an mbarrier again. */
__global__ void reused(int *wrong)
{
    __shared__ uint64_t words[64];
    for (unsigned r = 0; r < 4; r++) {
        if (threadIdx.x == 0)
            make(&words[0], blockDim.x);
        __syncthreads();
        for (unsigned k = 0; k <= r; k++)
            wait_state(&words[0], arrive(&words[0]));
        __syncthreads();
        if (threadIdx.x == 0)
            end(&words[0]);
        __syncthreads();
        words[threadIdx.x] = ~(uint64_t)0 * (threadIdx.x + r);
        __syncthreads();
        if (words[63 - threadIdx.x] != ~(uint64_t)0 * (63 - threadIdx.x + r))
            atomicAdd(wrong, 1);
        __syncthreads();
    }
}

/* Thread 0 ends the mbarrier, or makes it anew, as soon as its own wait is over. The manual does not allow it, and GPUs
 * do: the others wait since before the phase ended. */
__global__ void hasty(int *out, int again)
{
    __shared__ uint64_t b;
    if (threadIdx.x == 0)
        make(&b, blockDim.x);
    __syncthreads();
    wait_state(&b, arrive(&b));
    if (threadIdx.x == 0 && again)
        make(&b, blockDim.x);
    else if (threadIdx.x == 0)
        end(&b);
    __syncthreads();
    atomicAdd(out, 1);
}

template <int STAGES> static void ring_of(const int *in, int *d_in, int *d_out)
{
    int out[128], bad = 0;
    ring<STAGES><<<1, 160>>>(d_in, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 128; t++) {
        int sum = 0;
        for (int k = 0; k < TILES; k++)
            sum += in[k * 256 + t] - in[k * 256 + 255 - t] * (k + 3);
        bad += out[t] != sum;
    }
    verdict(!bad, "bulk copies into a ring of %d", STAGES);
}

static int counted(int *d_out)
{
    int n;
    CHECK(cudaMemcpy(&n, d_out, sizeof n, cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(d_out, 0, sizeof n));
    return n;
}

static void mbarriers(const int *in, int *d_in, int *d_out)
{
    ring_of<1>(in, d_in, d_out);
    ring_of<3>(in, d_in, d_out);
    ring_of<4>(in, d_in, d_out);
    CHECK(cudaMemset(d_out, 0, 4));
    reused<<<3, 64>>>(d_out);
    verdict(counted(d_out) == 0, "an mbarrier's memory in other use");
    for (int again = 0; again < 2; again++) {
        int sum = 0;
        for (int threads = 32; threads <= 256; threads *= 2) {
            hasty<<<1, threads>>>(d_out, again);
            sum += counted(d_out);
        }
        verdict(sum == 32 + 64 + 128 + 256, "an mbarrier that is %s early", again ? "made anew" : "ended");
    }
}

/* ---- dynamic shared memory ---- */

extern __shared__ char __align__(16) by_16[];
extern __shared__ char __align__(1024) by_1024[];

__device__ __noinline__ int aligned_in_a_function(void)
{
    return shared_address(by_1024) % 1024 == 0 && (uintptr_t)by_1024 % 1024 == 0;
}

__global__ void places(int *out)
{
    __shared__ char first[3];
    __shared__ alignas(256) char second[5];
    by_16[threadIdx.x] = 7;
    if (threadIdx.x < 3)
        first[threadIdx.x] = second[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = aligned_in_a_function();
        out[1] = shared_address(by_16) == shared_address(by_1024);
        out[2] = shared_address(second) % 256 == 0 && (uintptr_t)second % 256 == 0;
        out[3] = by_1024[31] + first[2];
    }
}

static void dynamic(int *d_out)
{
    int out[4];
    cudaFuncAttributes a;
    places<<<1, 32, 1024>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    CHECK(cudaFuncGetAttributes(&a, places));
    verdict(out[0] && out[1] && out[3] == 8, "dynamic shared memory at its largest alignment");
    verdict(out[2], "a static variable at its own");
    verdict(a.sharedSizeBytes == 1024, "what pads it is static shared memory");
}

int main()
{
    static int in[N];
    int *d_in, *d_out;
    for (int i = 0; i < N; i++)
        in[i] = (int)(random_bits() % 1000);
    CHECK(cudaMalloc(&d_in, sizeof in));
    CHECK(cudaMalloc(&d_out, 5 * 128 * sizeof(int)));
    CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    named(in, d_in, d_out);
    mbarriers(in, d_in, d_out);
    dynamic(d_out);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return failures;
}
