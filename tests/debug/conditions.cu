// conditions.cu - a line with variables of all kinds, for conditions of breakpoints.
#include <cstdio>

struct inner {
    short low;
    unsigned char bits;
    float part;
};

struct pair {
    int a, b;
    inner in;
    int *to;
};

struct derived : pair {
    double wide;
};

enum color { RED, GREEN, BLUE = 7 };

__device__ int limit = 5;
__device__ int row[4][8];
__constant__ float table[4] = {1, 2, 3, 4.5f};
__device__ pair all[2];

__global__ void work(const pair *given, int *out, long long big, pair by_value)
{
    __shared__ int cell[32];
    __shared__ pair shared;
    int i = (int)threadIdx.x;
    pair p = {i, -i, {(short)(i - 16), (unsigned char)(i * 9), i / 4.0f}, out + i};
    derived d;
    d.a = i * 2;
    d.in.part = 0.5f;
    d.wide = i / 8.0;
    pair &r = d;
    int few[3] = {i, i + 1, i + 2};
    color c = i % 2 ? GREEN : BLUE;
    bool odd = i % 2;
    const pair *none = i < 8 ? 0 : &p;
    cell[i] = i * i;
    out[i] = i ^ 5;
    row[i % 4][i / 4] = i;
    if (i == 0) {
        shared.b = 77;
        all[1].in.low = -3;
    }
    __syncthreads();
    out[32 + i] = p.a + d.a + r.a + few[1] + (int)c + odd + (none ? 1 : 0) + (int)big + given->a + by_value.b; // here
}

int main()
{
    pair host = {40, 41, {42, 43, 44}, 0}, *given;
    int *out;
    cudaMalloc(&given, sizeof host);
    cudaMalloc(&out, 64 * sizeof(int));
    cudaMemcpy(given, &host, sizeof host, cudaMemcpyHostToDevice);
    work<<<1, 32>>>(given, out, 1ll << 40, host);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
