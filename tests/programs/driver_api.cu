/* driver_api - the driver API alone: a module from a PTX file, and from its text; kernels with pointers and with packed
 * arguments; a context of its own. The argument is the PTX file. */
#include <cuda.h>
#include <cuda_runtime.h>

#include "program.h"

#define DRIVER(call)                                                                                                   \
    do {                                                                                                               \
        CUresult result_ = (call);                                                                                     \
        if (result_ != CUDA_SUCCESS) {                                                                                 \
            const char *name_ = "?";                                                                                   \
            cuGetErrorName(result_, &name_);                                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_);                                      \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { N = 1000 };

static void fill(float *x)
{
    for (int i = 0; i < N; i++)
        x[i] = random_unit();
}

static void scale_add(CUmodule module)
{
    static float a[N], b[N], c[N];
    fill(a);
    fill(b);
    CUfunction function;
    CUdeviceptr d_a, d_b, d_c, d_factor;
    size_t bytes = 0;
    DRIVER(cuModuleGetFunction(&function, module, "scale_add"));
    DRIVER(cuModuleGetGlobal(&d_factor, &bytes, module, "factor"));
    verdict(bytes == sizeof(float), "the variable has four bytes");
    float factor = 2.0f;
    DRIVER(cuMemcpyHtoD(d_factor, &factor, sizeof factor));
    DRIVER(cuMemAlloc(&d_a, sizeof a));
    DRIVER(cuMemAlloc(&d_b, sizeof b));
    DRIVER(cuMemAlloc(&d_c, sizeof c));
    DRIVER(cuMemcpyHtoD(d_a, a, sizeof a));
    DRIVER(cuMemcpyHtoD(d_b, b, sizeof b));
    int n = N;
    void *args[] = {&d_a, &d_b, &d_c, &n};
    DRIVER(cuLaunchKernel(function, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuCtxSynchronize());
    DRIVER(cuMemcpyDtoH(c, d_c, sizeof c));
    int bad = 0;
    for (int i = 0; i < N; i++)
        bad += c[i] != a[i] + 2.0f * b[i]; // 2 b is exact, so contraction changes nothing
    verdict(bad == 0, "a kernel with an array of arguments");
    DRIVER(cuMemFree(d_a));
    DRIVER(cuMemFree(d_b));
    DRIVER(cuMemFree(d_c));
}

static void reverse_block(CUmodule module)
{
    int data[64];
    for (int i = 0; i < 64; i++)
        data[i] = i;
    CUfunction function;
    CUdeviceptr d_data;
    DRIVER(cuModuleGetFunction(&function, module, "reverse_block"));
    DRIVER(cuMemAlloc(&d_data, sizeof data));
    DRIVER(cuMemcpyHtoD(d_data, data, sizeof data));
    size_t packed = sizeof d_data;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &d_data, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed,
                     CU_LAUNCH_PARAM_END};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, sizeof data, NULL, NULL, extra));
    DRIVER(cuMemcpyDtoH(data, d_data, sizeof data));
    int bad = 0;
    for (int i = 0; i < 64; i++)
        bad += data[i] != 63 - i;
    verdict(bad == 0, "a kernel with packed arguments and dynamic shared memory");
    DRIVER(cuMemFree(d_data));
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    static char text[1 << 16];
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    return text;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: driver_api FILE.ptx\n");
        return 2;
    }
    CUdevice device;
    CUcontext context;
    CUmodule file, text;
    CUfunction none;
    int version = 0;
    DRIVER(cuInit(0));
    DRIVER(cuDriverGetVersion(&version));
    verdict(version >= 13000, "the driver's version");
    DRIVER(cuDeviceGet(&device, 0));
    DRIVER(cuDevicePrimaryCtxRetain(&context, device));
    DRIVER(cuCtxPushCurrent(context));
    DRIVER(cuModuleLoad(&file, argv[1]));
    scale_add(file);
    DRIVER(cuModuleLoadData(&text, read_text(argv[1])));
    reverse_block(text);
    verdict(cuModuleGetFunction(&none, file, "no_such_kernel") == CUDA_ERROR_NOT_FOUND, "a kernel that is not there");
    verdict(cuModuleLoadData(&text, "this is not PTX") == CUDA_ERROR_INVALID_PTX ||
                cuModuleLoadData(&text, "this is not PTX") == CUDA_ERROR_INVALID_IMAGE,
            "text that is no PTX");
    DRIVER(cuModuleUnload(file));
    DRIVER(cuCtxPopCurrent(&context));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return failures;
}
