/* uninitialized_global_part_clean - the fill is whole; and elements of which a part was never written, as right programs
 * have them: the padding of structs, and the neighbours of bytes that are changed by way of their word. */
#include "check.h"

struct Mark {
    int where;
    char what; // and three bytes of padding
};

__global__ void add_one(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}

__global__ void copy(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

__global__ void count(int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&in[i], 1);
}

__global__ void mark(Mark *marks)
{
    marks[threadIdx.x].where = threadIdx.x;
    marks[threadIdx.x].what = 'm';
}

__global__ void copy_marks(const Mark *from, Mark *to, int *sums)
{
    to[threadIdx.x] = from[threadIdx.x];
    sums[threadIdx.x] = from[threadIdx.x].where + from[threadIdx.x].what;
}

/* Three of each four bytes. */
__global__ void three(unsigned char *bytes)
{
    if (threadIdx.x % 4 != 3)
        bytes[threadIdx.x] = 1;
}

__device__ void add_to_byte(unsigned char *byte, unsigned value)
{
    unsigned *word = (unsigned *)((size_t)byte & ~(size_t)3), shift = ((size_t)byte & 3) * 8, old = *word, seen;
    do {
        seen = old;
        unsigned sum = ((seen >> shift) + value) & 0xff;
        old = atomicCAS(word, seen, (seen & ~(0xffu << shift)) | sum << shift);
    } while (old != seen);
}

__global__ void add_to_three(unsigned char *bytes)
{
    if (threadIdx.x % 4 != 3)
        add_to_byte(&bytes[threadIdx.x], 3);
}

int main()
{
    enum { N = 256 };
    int *in, *out;
    Mark *marks, *others;
    unsigned char *bytes;
    CHECK(cudaMalloc(&in, N * sizeof *in));
    CHECK(cudaMalloc(&out, N * sizeof *out));
    CHECK(cudaMalloc(&marks, N * sizeof *marks));
    CHECK(cudaMalloc(&others, N * sizeof *others));
    CHECK(cudaMalloc(&bytes, N));
    CHECK(cudaMemset(in, 0, N * sizeof *in));
    add_one<<<1, N>>>(in, out, N);
    CHECK(cudaGetLastError());
    copy<<<1, N>>>(in, out, N);
    CHECK(cudaGetLastError());
    count<<<1, N>>>(in, N);
    CHECK(cudaGetLastError());
    mark<<<1, N>>>(marks);
    CHECK(cudaGetLastError());
    copy_marks<<<1, N>>>(marks, others, out);
    CHECK(cudaGetLastError());
    three<<<1, N>>>(bytes);
    CHECK(cudaGetLastError());
    add_to_three<<<1, N>>>(bytes);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    CHECK(cudaFree(marks));
    CHECK(cudaFree(others));
    CHECK(cudaFree(bytes));
    return 0;
}
