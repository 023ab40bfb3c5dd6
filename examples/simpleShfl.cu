/* simpleShfl - the shuffles of one block of 16 threads, as widths of 16: broadcast, up, down, round, xor, of a value
 * and of an array of four.
 *
 * (Tutorial "Shared memory and constant memory", 5.6.2.) */
#include "common.h"

#define BDIMX 16
#define SEGM 4
#define ALL 0xffffu // the lanes of a warp of 16 threads

__global__ void test_shfl_broadcast(int *d_out, int *d_in, int const srcLane)
{
    d_out[threadIdx.x] = __shfl_sync(ALL, d_in[threadIdx.x], srcLane, BDIMX);
}

__global__ void test_shfl_up(int *d_out, int *d_in, unsigned int const delta)
{
    d_out[threadIdx.x] = __shfl_up_sync(ALL, d_in[threadIdx.x], delta, BDIMX);
}

__global__ void test_shfl_down(int *d_out, int *d_in, unsigned int const delta)
{
    d_out[threadIdx.x] = __shfl_down_sync(ALL, d_in[threadIdx.x], delta, BDIMX);
}

/* The source lane is taken modulo the width: going round needs no function of its own. */
__global__ void test_shfl_wrap(int *d_out, int *d_in, int const offset)
{
    d_out[threadIdx.x] = __shfl_sync(ALL, d_in[threadIdx.x], threadIdx.x + offset, BDIMX);
}

__global__ void test_shfl_xor(int *d_out, int *d_in, int const mask)
{
    d_out[threadIdx.x] = __shfl_xor_sync(ALL, d_in[threadIdx.x], mask, BDIMX);
}

__global__ void test_shfl_xor_array(int *d_out, int *d_in, int const mask)
{
    int idx = threadIdx.x * SEGM;
    int value[SEGM];

    for (int i = 0; i < SEGM; i++) value[i] = d_in[idx + i];
    for (int i = 0; i < SEGM; i++) value[i] = __shfl_xor_sync(ALL, value[i], mask, BDIMX);
    for (int i = 0; i < SEGM; i++) d_out[idx + i] = value[i];
}

static int *d_in, *d_out;

static void print_row(const char *name, int n)
{
    int host[BDIMX * SEGM];
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(host, d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
    printf("%-20s", name);
    for (int i = 0; i < n; i++)
        printf("%3d", host[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    int host[BDIMX * SEGM];
    (void)argc;
    print_device(argv[0]);
    printf("\n");
    for (int i = 0; i < BDIMX * SEGM; i++)
        host[i] = i;
    CHECK(cudaMalloc(&d_in, sizeof host));
    CHECK(cudaMalloc(&d_out, sizeof host));
    CHECK(cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_out, host, sizeof host, cudaMemcpyHostToDevice));
    print_row("initialData", BDIMX);
    test_shfl_broadcast<<<1, BDIMX>>>(d_out, d_in, 2);
    print_row("shfl bcast", BDIMX);
    test_shfl_up<<<1, BDIMX>>>(d_out, d_in, 2);
    print_row("shfl up", BDIMX);
    test_shfl_down<<<1, BDIMX>>>(d_out, d_in, 2);
    print_row("shfl down", BDIMX);
    test_shfl_wrap<<<1, BDIMX>>>(d_out, d_in, 2);
    print_row("shfl wrap left", BDIMX);
    test_shfl_wrap<<<1, BDIMX>>>(d_out, d_in, -2);
    print_row("shfl wrap right", BDIMX);
    test_shfl_xor<<<1, BDIMX>>>(d_out, d_in, 1);
    print_row("shfl xor", BDIMX);
    test_shfl_xor_array<<<1, BDIMX>>>(d_out, d_in, 1);
    print_row("shfl array", BDIMX * SEGM);
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    return 0;
}
