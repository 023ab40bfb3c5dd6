/* libraries - Thrust and CUB, as nvcc's own headers have them: real clients of the runtime. */
#include <cub/cub.cuh>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "program.h"

enum { N = 5000 };

struct square_of {
    __host__ __device__ int operator()(int x) const { return x * x; }
};

static void thrust_algorithms(const thrust::host_vector<int> &host)
{
    thrust::device_vector<int> v = host;
    long long sum = 0, squares = 0;
    for (int x : host) {
        sum += x;
        squares += x * x;
    }
    verdict(thrust::reduce(v.begin(), v.end(), 0LL) == sum, "thrust::reduce");
    thrust::device_vector<int> w(N);
    thrust::transform(v.begin(), v.end(), w.begin(), square_of());
    verdict(thrust::reduce(w.begin(), w.end(), 0LL) == squares, "thrust::transform");
    thrust::sort(v.begin(), v.end());
    thrust::host_vector<int> sorted = v, want = host;
    thrust::sort(want.begin(), want.end());
    verdict(sorted == want, "thrust::sort");
}

static void cub_algorithms(const thrust::host_vector<int> &host)
{
    thrust::device_vector<int> in = host, out(N);
    int *from = thrust::raw_pointer_cast(in.data()), *to = thrust::raw_pointer_cast(out.data());
    void *temporary = NULL;
    size_t bytes = 0;
    CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, from, to, (int)N));
    CHECK(cudaMalloc(&temporary, bytes));
    CHECK(cub::DeviceScan::InclusiveSum(temporary, bytes, from, to, (int)N));
    thrust::host_vector<int> sums = out;
    int running = 0, bad = 0;
    for (int i = 0; i < N; i++)
        bad += sums[i] != (running += host[i]);
    verdict(bad == 0, "cub::DeviceScan");
    CHECK(cudaFree(temporary));
}

int main()
{
    thrust::host_vector<int> host(N);
    for (int i = 0; i < N; i++)
        host[i] = (int)(random_bits() % 10000);
    thrust_algorithms(host);
    cub_algorithms(host);
    return failures;
}
