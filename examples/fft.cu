/* fft [LOG2N] - a transform of 2^LOG2N complex numbers (1024), radix 2, a launch a pass, after one that puts the
 * numbers into bit-reversed order. One thread has both ends of a butterfly, whose upper half subtracts; the angle of
 * a pass is that of its own length. Compared with the sum by definition.
 *
 * (Tutorial "Optimisation strategies", 3.2.) */
#include "common.h"

__global__ void bitReverse(const float2 *in, float2 *data, int log2N)
{
    unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < 1u << log2N) data[idx] = in[__brev(idx) >> (32 - log2N)];
}

__global__ void fftButterfly(float2 *data, int N, int step)
{
    int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < N / 2)
    {
        // groups of 2 * step numbers; this thread has number `pos` of a group, and the one `step` further on
        int pos = idx & (step - 1), self = 2 * (idx - pos) + pos, pair = self ^ step;
        float s, c;
        sincosf(-3.14159265f * pos / step, &s, &c);
        float2 a = data[self], b = data[pair];
        float2 turned = make_float2(c * b.x - s * b.y, c * b.y + s * b.x);
        data[self] = make_float2(a.x + turned.x, a.y + turned.y);
        data[pair] = make_float2(a.x - turned.x, a.y - turned.y);
    }
}

static int right(const float2 *in, const float2 *out, int n)
{
    double worst = 0, size = 0;
    for (int k = 0; k < n; k += n / 16) { // some of the n results
        double re = 0, im = 0;
        for (int i = 0; i < n; i++) {
            double angle = -2 * 3.14159265358979323846 * (double)((long long)i * k % n) / n;
            re += in[i].x * cos(angle) - in[i].y * sin(angle);
            im += in[i].y * cos(angle) + in[i].x * sin(angle);
        }
        worst = fmax(worst, hypot(out[k].x - re, out[k].y - im));
        size = fmax(size, hypot(re, im));
    }
    return worst <= 1e-5 * size;
}

int main(int argc, char **argv)
{
    int log2N = argument(argc, argv, 1, 10), n = 1 << log2N;
    if (log2N < 4 || log2N > 20) {
        printf("LOG2N is 4 to 20\n");
        return 2;
    }
    print_device(argv[0]);
    printf(", %d numbers\n", n);
    float2 *in = (float2 *)malloc(n * sizeof *in), *out = (float2 *)malloc(n * sizeof *out), *d_in, *d_out;
    for (int i = 0; i < n; i++)
        in[i] = make_float2((float)number(i), (float)number(i + 3));
    CHECK(cudaMalloc(&d_in, n * sizeof *in));
    CHECK(cudaMalloc(&d_out, n * sizeof *in));
    CHECK(cudaMemcpy(d_in, in, n * sizeof *in, cudaMemcpyHostToDevice));
    bitReverse<<<(n + 127) / 128, 128>>>(d_in, d_out, log2N);
    for (int step = 1; step < n; step *= 2)
        fftButterfly<<<(n / 2 + 127) / 128, 128>>>(d_out, n, step);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost));
    int ok = say("fftButterfly", right(in, out, n));
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_out));
    free(in);
    free(out);
    return !ok;
}
