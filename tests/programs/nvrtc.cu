/* nvrtc - a kernel that is compiled while the program runs: source text to PTX by NVRTC, to a module by the driver;
 * once with a macro, once as a template's instance, once with an error in it. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>

#include "program.h"

static const char source[] = "template <class T> __device__ T twice(T x) { return x + x; }\n"
                             "template <class T> __global__ void affine(T *x, T a, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        x[i] = a * twice(x[i]) + OFFSET;\n"
                             "}\n";

enum { N = 300 };

/* The PTX of the source, and the name that the instance has in it; NULL when it does not compile. */
static char *compile(const char *text, const char *define, const char *instance, char *name, size_t size)
{
    nvrtcProgram program;
    const char *options[] = {"--gpu-architecture=compute_90", define};
    const char *lowered = NULL;
    size_t bytes = 0;
    char *ptx = NULL;
    if (nvrtcCreateProgram(&program, text, "affine.cu", 0, NULL, NULL) != NVRTC_SUCCESS)
        return NULL;
    if (instance)
        nvrtcAddNameExpression(program, instance);
    if (nvrtcCompileProgram(program, 2, options) == NVRTC_SUCCESS &&
        nvrtcGetPTXSize(program, &bytes) == NVRTC_SUCCESS) {
        ptx = (char *)malloc(bytes);
        nvrtcGetPTX(program, ptx);
        if (instance && nvrtcGetLoweredName(program, instance, &lowered) == NVRTC_SUCCESS)
            snprintf(name, size, "%s", lowered);
    }
    nvrtcDestroyProgram(&program);
    return ptx;
}

int main()
{
    char name[100] = "";
    float host[N], a = 3.0f, *device;
    int n = N, bad = 0;
    CUmodule module;
    CUfunction function;
    char *ptx = compile(source, "-DOFFSET=1", "affine<float>", name, sizeof name);
    verdict(ptx != NULL && *name, "the source compiles");
    verdict(compile("__global__ void k() { nonsense; }", "-DX", NULL, name, 0) == NULL, "an error is an error");
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    CHECK(cudaMalloc(&device, sizeof host)); // also makes the context
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    verdict(cuModuleLoadDataEx(&module, ptx, 0, NULL, NULL) == CUDA_SUCCESS &&
                cuModuleGetFunction(&function, module, name) == CUDA_SUCCESS,
            "its kernel is found by the instance's name");
    void *args[] = {&device, &a, &n};
    verdict(cuLaunchKernel(function, 3, 1, 1, 128, 1, 1, 0, NULL, args, NULL) == CUDA_SUCCESS, "and launched");
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++)
        bad += host[i] != 6.0f * i + 1;
    verdict(bad == 0, "with the right results");
    cuModuleUnload(module);
    CHECK(cudaFree(device));
    free(ptx);
    return failures;
}
