/* deadlock_clean - the consumer says first that the buffer is empty. */
#include "check.h"

__global__ void pipe(const int *in, int *out, int tiles)
{
    __shared__ int buffer[32];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int i = 0; i < tiles; i++) {
            asm volatile("bar.sync 1, 64;" ::: "memory"); // empty? @empty
            buffer[lane] = in[i * 32 + lane];
            asm volatile("bar.arrive 2, 64;" ::: "memory"); // full
        }
    } else {
        asm volatile("bar.arrive 1, 64;" ::: "memory"); // empty
        for (int i = 0; i < tiles; i++) {
            asm volatile("bar.sync 2, 64;" ::: "memory"); // full? @full
            out[i * 32 + lane] = buffer[31 - lane];
            if (i + 1 < tiles)
                asm volatile("bar.arrive 1, 64;" ::: "memory"); // empty
        }
    }
}

int main()
{
    enum { TILES = 3, N = TILES * 32 };
    int host[N] = {0}, *in, *out;
    CHECK(cudaMalloc(&in, sizeof host));
    CHECK(cudaMalloc(&out, sizeof host));
    CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
    pipe<<<1, 64>>>(in, out, TILES);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return 0;
}
