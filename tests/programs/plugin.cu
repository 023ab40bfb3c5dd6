/* plugin - kernels that come and go with a shared library: opened twice, used, closed; the program's own kernel of the
 * same name goes on working. The argument is the library. */
#include <cuda_runtime.h>
#include <dlfcn.h>

#include "program.h"

enum { N = 500 };

typedef int (*scale_function)(float *, float, int);

static __global__ void scale(float *x, float by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by; // not what the library's does
}

static int own_kernel(void)
{
    float host[N], *device;
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    scale<<<(N + 127) / 128, 128>>>(device, 3, N);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return host[0] == 3 && host[N - 1] == N + 2;
}

static void use_library(const char *path, int round)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    scale_function run = (scale_function)dlsym(library, "plugin_scale");
    float host[N];
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    int first = run(host, 2, N), second = run(host, 2, N), bad = 0;
    for (int i = 0; i < N; i++)
        bad += host[i] != 4.0f * i;
    verdict(bad == 0, "round %d: a kernel of the library", round);
    verdict(first == 1 && second == 2, "round %d: and its variable, fresh", round);
    verdict(own_kernel(), "round %d: the program's kernel of the same name", round);
    dlclose(library);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: plugin LIBRARY\n");
        return 2;
    }
    verdict(own_kernel(), "the program's own kernel");
    for (int round = 1; round <= 2; round++)
        use_library(argv[1], round);
    verdict(own_kernel(), "and behind it all");
    return failures;
}
