/* stages.cu - atomics of a scope, barriers and pipelines of copies (test_headers.c). What nvcc makes of barriers are
 * mbarrier objects. */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

#define KERNEL(name)                                                                                                   \
    static __device__ void name(unsigned *out, const unsigned *in);                                                    \
    extern "C" __global__ void stage_##name(unsigned *out, const unsigned *in)                                         \
    {                                                                                                                  \
        name(out + 16 * (blockIdx.x * blockDim.x + threadIdx.x), in + blockIdx.x * blockDim.x);                        \
    }                                                                                                                  \
    static __device__ void name(unsigned *out, const unsigned *in)

/* Sums, so that the order of the threads does not count. */
KERNEL(atomics)
{
    __shared__ int sum;
    __shared__ unsigned long long most;
    __shared__ float total;
    __shared__ unsigned short narrow[2];
    const unsigned i = threadIdx.x, value = in[i];
    if (i == 0) {
        sum = 0;
        most = 0;
        total = 0;
        narrow[0] = narrow[1] = 0;
    }
    __syncthreads();
    cuda::atomic_ref<int, cuda::thread_scope_block> s(sum);
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> m(most);
    cuda::atomic_ref<float> t(total);
    s.fetch_add((int)(value & 1023), cuda::std::memory_order_relaxed);
    s -= 3;
    m.fetch_max(value, cuda::memory_order_acq_rel);
    t.fetch_add((float)(value & 15));
    cuda::atomic_ref<unsigned short, cuda::thread_scope_block> u(narrow[i % 2]);
    u.fetch_add((unsigned short)(value & 255));
    int seen = s.load();
    while (!s.compare_exchange_weak(seen, seen ^ 0)) {
    }
    __syncthreads();
    out[0] = (unsigned)s.load(cuda::std::memory_order_acquire);
    out[1] = (unsigned)m.load();
    out[2] = (unsigned)(int)total;
    out[5] = narrow[0] | (unsigned)narrow[1] << 16;
    __syncthreads();
    m.fetch_and(~0ull << (value % 5));
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
    __syncthreads();
    out[3] = (unsigned)most;
    cuda::atomic<unsigned, cuda::thread_scope_thread> own(value);
    out[4] = own++ + own.exchange(5) + own.load();
}

/* A thread's own batches. */
KERNEL(primitives)
{
    __shared__ __align__(16) uint4 wide[64];
    __shared__ unsigned narrow[2][64];
    const unsigned i = threadIdx.x;
    const uint4 *from = (const uint4 *)(in - blockIdx.x * blockDim.x);
    __pipeline_memcpy_async(&wide[i], &from[i], 16);
    __pipeline_commit();
    __pipeline_memcpy_async(&narrow[0][i], &in[i], 4);
    __pipeline_memcpy_async(&narrow[1][i], &in[i], 4, 2);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[0] = wide[63 - i].y;
    __pipeline_wait_prior(0);
    __syncthreads();
    out[1] = narrow[0][i ^ 9];
    out[2] = narrow[1][i ^ 7];
    auto pipe = cuda::make_pipeline();
    unsigned sum = 0;
    for (unsigned step = 0; step < 6; step++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&narrow[step % 2][i], &in[(i + step * 3) % 64], sizeof(unsigned), pipe);
        pipe.producer_commit();
        if (step == 0)
            continue;
        cuda::pipeline_consumer_wait_prior<1>(pipe);
        sum = sum * 31 + narrow[(step - 1) % 2][i];
        pipe.consumer_release();
    }
    out[3] = sum;
}

KERNEL(barrier)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ __align__(16) unsigned data[64], copy[64];
    const unsigned i = threadIdx.x, n = blockDim.x;
    auto block = cg::this_thread_block();
    if (i == 0)
        init(&all, n);
    block.sync();
    unsigned sum = 0;
    for (unsigned step = 0; step < 5; step++) {
        data[i] = in[i] + step;
        auto token = all.arrive();
        sum += step;
        all.wait(static_cast<decltype(token) &&>(token));
        sum = sum * 31 + data[(i + step) % n];
        all.arrive_and_wait();
    }
    out[0] = sum;
    cuda::memcpy_async(block, copy, in, cuda::aligned_size_t<16>(sizeof(unsigned) * n), all);
    all.arrive_and_wait();
    out[1] = copy[n - 1 - i];
    if (i % 2)
        all.arrive_and_drop();
    else {
        all.arrive_and_wait();
        data[i] = i;
        all.arrive_and_wait();
        out[2] = data[(i + 2) % n];
    }
}

/* The object of the hardware, by its own functions. */
KERNEL(mbarrier)
{
    __shared__ __mbarrier_t all;
    __shared__ unsigned data[64];
    const unsigned i = threadIdx.x, n = blockDim.x;
    if (i == 0)
        __mbarrier_init(&all, n);
    __syncthreads();
    unsigned sum = 0;
    for (unsigned step = 0; step < 4; step++) {
        data[i] = in[i] + step;
        const __mbarrier_token_t token = __mbarrier_arrive(&all);
        while (!__mbarrier_test_wait(&all, token)) {
        }
        sum = sum * 31 + data[n - 1 - i];
        __syncthreads();
    }
    __pipeline_memcpy_async(&data[i], &in[i ^ 1], 4);
    __pipeline_arrive_on(&all);
    const __mbarrier_token_t token = __mbarrier_arrive(&all);
    while (!__mbarrier_try_wait(&all, token, 100)) {
    }
    out[0] = sum;
    out[1] = data[n - 1 - i];
    out[2] = __mbarrier_test_wait_parity(&all, false);
    __syncthreads();
    if (i == 0)
        __mbarrier_inval(&all);
}

/* Two stages that all threads fill and use; then half of the threads fill them for the other half. */
KERNEL(pipeline)
{
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state, halves;
    __shared__ __align__(16) unsigned data[2][64];
    const unsigned i = threadIdx.x, n = blockDim.x;
    auto block = cg::this_thread_block();
    {
        auto pipe = cuda::make_pipeline(block, &state);
        unsigned sum = 0;
        for (unsigned step = 0; step < 6; step++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, data[step % 2], in + step, sizeof(unsigned) * n, pipe);
            pipe.producer_commit();
            pipe.consumer_wait();
            sum = sum * 31 + data[step % 2][n - 1 - i];
            pipe.consumer_release();
        }
        out[0] = sum;
    }
    block.sync();
    auto pipe = cuda::make_pipeline(block, &halves, (size_t)(n / 2));
    unsigned sum = 0;
    for (unsigned step = 0; step < 6; step++)
        if (i < n / 2) {
            pipe.producer_acquire();
            cuda::memcpy_async(&data[step % 2][i], &in[i + step], sizeof(unsigned), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            sum = sum * 31 + data[step % 2][n - 1 - i];
            pipe.consumer_release();
        }
    out[1] = sum;
}
