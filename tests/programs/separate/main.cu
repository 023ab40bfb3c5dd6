/* separate - one program out of three files that are compiled apart (-rdc=true): device functions and variables across
 * files, two kernels and two variables of the same name, static each. */
#include <cuda_runtime.h>

#include "../program.h"
#include "shapes.h"

static __global__ void kernel(const point *in, point *out)
{
    out[threadIdx.x] = current(in[threadIdx.x], 2);
}

int main()
{
    point host[POINTS], moved[POINTS], *d_in, *d_moved;
    float norms[POINTS], *d_norms;
    int bad = 0, called = 0;
    for (int i = 0; i < POINTS; i++)
        host[i] = {3.0f * i, 4.0f * i};
    CHECK(cudaMalloc(&d_in, sizeof host));
    CHECK(cudaMalloc(&d_moved, sizeof host));
    CHECK(cudaMalloc(&d_norms, sizeof norms));
    CHECK(cudaMemcpy(d_in, host, sizeof host, cudaMemcpyHostToDevice));

    launch_norms(d_in, d_norms, POINTS);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(norms, d_norms, sizeof norms, cudaMemcpyDeviceToHost));
    for (int i = 0; i < POINTS; i++)
        bad += !near(norms[i], 2 * 5.0 * i, 1e-5 * i);
    verdict(bad == 0, "functions of two other files");
    CHECK(cudaMemcpyFromSymbol(&called, calls, sizeof called));
    verdict(called == POINTS, "a variable of another file");

    float three = 3.0f;
    CHECK(cudaMemcpyToSymbol(scale, &three, sizeof three));
    launch_norms(d_in, d_norms, POINTS);
    CHECK(cudaMemcpy(norms, d_norms, sizeof norms, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int i = 0; i < POINTS; i++)
        bad += !near(norms[i], 3 * 5.0 * i, 1e-5 * i);
    verdict(bad == 0, "a constant of another file, set here");

    kernel<<<1, POINTS>>>(d_in, d_moved);
    CHECK(cudaMemcpy(moved, d_moved, sizeof moved, cudaMemcpyDeviceToHost));
    bad = 0;
    for (int i = 0; i < POINTS; i++)
        bad += moved[i].x != 7 * host[i].x || moved[i].y != host[i].y;
    verdict(bad == 0, "a function of another file, through a pointer");
    CHECK(cudaFree(d_in));
    CHECK(cudaFree(d_moved));
    CHECK(cudaFree(d_norms));
    return failures;
}
