/* atomics - every atomic function, in global and in shared memory, in all its types and scopes. */
#include <cuda_runtime.h>

#include "program.h"

enum { THREADS = 256, BLOCKS = 8, ALL = THREADS * BLOCKS };

struct results {
    int add, sub, exch, min, max, and_, or_, xor_, cas;
    unsigned int uadd, inc, dec, umin, umax;
    unsigned long long add64, min64, max64, and64, or64, xor64, exch64, cas64;
    float addf;
    double addd;
    int block, system;
};

__device__ void operate(struct results *r, int i)
{
    atomicAdd(&r->add, i);
    atomicSub(&r->sub, i);
    atomicExch(&r->exch, i);
    atomicMin(&r->min, i - 1000);
    atomicMax(&r->max, i);
    atomicAnd(&r->and_, ~(1 << (i % 16)));
    atomicOr(&r->or_, 1 << (i % 24));
    atomicXor(&r->xor_, i);
    for (int old = r->cas, seen;; old = seen) { // the classic loop: any operation out of compare-and-swap
        seen = atomicCAS(&r->cas, old, old + 3);
        if (seen == old)
            break;
    }
    atomicAdd(&r->uadd, 2u);
    atomicInc(&r->inc, 99);
    atomicDec(&r->dec, 99);
    atomicMin(&r->umin, 5u + i);
    atomicMax(&r->umax, (unsigned)i);
    atomicAdd(&r->add64, 1ull << 33);
    atomicMin(&r->min64, (1ull << 40) + i);
    atomicMax(&r->max64, (1ull << 40) + i);
    atomicAnd(&r->and64, ~(1ull << (32 + i % 8)));
    atomicOr(&r->or64, 1ull << (32 + i % 8));
    atomicXor(&r->xor64, (unsigned long long)i << 32);
    atomicExch(&r->exch64, (unsigned long long)i << 32);
    atomicCAS(&r->cas64, (unsigned long long)i, (unsigned long long)i + 1);
    atomicAdd(&r->addf, 0.25f);
    atomicAdd(&r->addd, 0.125);
    atomicAdd_block(&r->block, 1);
    atomicAdd_system(&r->system, 1);
}

__global__ void in_global(struct results *r)
{
    operate(r, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void in_shared(struct results *out, struct results start)
{
    __shared__ struct results r;
    if (threadIdx.x == 0)
        r = start;
    __syncthreads();
    operate(&r, threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = r;
}

/* What comes back from an atomic is the value before: tickets are all different. */
__global__ void tickets(int *counter, int *taken)
{
    taken[atomicAdd(counter, 1)] = 1;
}

static struct results initial(void)
{
    struct results r;
    memset(&r, 0, sizeof r);
    r.and_ = -1;
    r.umin = ~0u;
    r.min64 = ~0ull;
    r.and64 = ~0ull;
    return r;
}

static void compare(const struct results *r, int n, const char *where)
{
    int sum = n * (n - 1) / 2, x = 0;
    for (int i = 0; i < n; i++)
        x ^= i;
    verdict(r->add == sum && r->sub == -sum && r->uadd == 2u * n, "%s: add, sub", where);
    verdict(r->exch >= 0 && r->exch < n && (r->exch64 >> 32) < (unsigned)n, "%s: exch", where);
    verdict(r->min == -1000 && r->max == n - 1 && r->umin == 5 && r->umax == (unsigned)n - 1, "%s: min, max", where);
    verdict((r->and_ & 0xffff) == 0 && (unsigned)r->and_ == 0xffff0000u && r->or_ == 0xffffff && r->xor_ == x,
            "%s: and, or, xor", where);
    verdict(r->cas == 3 * n, "%s: cas in a loop", where);
    // inc counts 0 .. 99 and wraps; dec goes 0 -> 99 -> 98 ...
    verdict(r->inc == (unsigned)n % 100 && r->dec == (100u - (unsigned)n % 100) % 100, "%s: inc, dec", where);
    verdict(r->add64 == (unsigned long long)n << 33 && r->min64 == 1ull << 40 && r->max64 == (1ull << 40) + n - 1,
            "%s: 64 bits: add, min, max", where);
    verdict(r->and64 == ~(0xffull << 32) && r->or64 == 0xffull << 32 && r->xor64 == (unsigned long long)x << 32,
            "%s: 64 bits: and, or, xor", where);
    verdict(r->cas64 >= 1 && r->cas64 <= (unsigned)n, "%s: 64 bits: cas", where);
    verdict(r->addf == 0.25f * n && r->addd == 0.125 * n, "%s: float and double", where);
    verdict(r->block == n && r->system == n, "%s: block and system scope", where);
}

int main()
{
    struct results start = initial(), r, *device;
    int *counter, *taken, host_taken[ALL], bad = 0;
    CHECK(cudaMalloc(&device, sizeof r));
    CHECK(cudaMemcpy(device, &start, sizeof start, cudaMemcpyHostToDevice));
    in_global<<<BLOCKS, THREADS>>>(device);
    CHECK(cudaMemcpy(&r, device, sizeof r, cudaMemcpyDeviceToHost));
    r.block = ALL; // blocks do not see each other's additions at block scope; only one block's are promised
    compare(&r, ALL, "global");
    in_shared<<<1, THREADS>>>(device, start);
    CHECK(cudaMemcpy(&r, device, sizeof r, cudaMemcpyDeviceToHost));
    compare(&r, THREADS, "shared");

    CHECK(cudaMalloc(&counter, sizeof *counter));
    CHECK(cudaMalloc(&taken, sizeof host_taken));
    CHECK(cudaMemset(counter, 0, sizeof *counter));
    CHECK(cudaMemset(taken, 0, sizeof host_taken));
    tickets<<<BLOCKS, THREADS>>>(counter, taken);
    CHECK(cudaMemcpy(host_taken, taken, sizeof host_taken, cudaMemcpyDeviceToHost));
    for (int i = 0; i < ALL; i++)
        bad += host_taken[i] != 1;
    verdict(bad == 0, "every ticket once");
    CHECK(cudaFree(device));
    CHECK(cudaFree(counter));
    CHECK(cudaFree(taken));
    return failures;
}
