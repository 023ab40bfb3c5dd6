/* driver_api - the driver API alone: a module from a PTX file, and from its text; kernels with pointers and with packed
 * arguments; two texts linked; a context that goes from thread to thread. The argument is the PTX file. */
#include <cuda.h>
#include <cuda_runtime.h>
#include <pthread.h>

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

/* A function in one text, a kernel that calls it in another. */
static void linked(void)
{
    static char callee[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".visible .func (.param .b32 r) twice(.param .b32 x)\n"
                           "{\n.reg .b32 %r<3>;\nld.param.b32 %r1, [x];\nadd.s32 %r2, %r1, %r1;\n"
                           "st.param.b32 [r], %r2;\nret;\n}\n";
    static char caller[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                           ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
                           ".visible .entry kernel(.param .u64 p)\n"
                           "{\n.reg .b32 %r<2>;\n.reg .b64 %d<2>;\nld.param.u64 %d1, [p];\n"
                           "{\n.param .b32 x;\n.param .b32 r;\nst.param.b32 [x], 21;\ncall.uni (r), twice, (x);\n"
                           "ld.param.b32 %r1, [r];\n}\nst.global.u32 [%d1], %r1;\nret;\n}\n";
    CUlinkState state;
    CUmodule module;
    CUfunction function;
    CUdeviceptr d_out;
    void *image;
    size_t size = 0;
    int out = 0;
    DRIVER(cuLinkCreate(0, NULL, NULL, &state));
    DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, callee, sizeof callee, "callee", 0, NULL, NULL));
    DRIVER(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof caller, "caller", 0, NULL, NULL));
    DRIVER(cuLinkComplete(state, &image, &size));
    DRIVER(cuModuleLoadData(&module, image));
    DRIVER(cuLinkDestroy(state));
    DRIVER(cuModuleGetFunction(&function, module, "kernel"));
    DRIVER(cuMemAlloc(&d_out, sizeof out));
    void *args[] = {&d_out};
    DRIVER(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    DRIVER(cuMemcpyDtoH(&out, d_out, sizeof out));
    verdict(out == 42, "two texts linked");
    DRIVER(cuMemFree(d_out));
    DRIVER(cuModuleUnload(module));
}

struct migration {
    CUcontext context;
    CUdeviceptr words;
};

static void *other_thread(void *arg)
{
    struct migration *m = (struct migration *)arg;
    CUcontext none = (CUcontext)1;
    DRIVER(cuCtxGetCurrent(&none));
    verdict(none == NULL, "a new thread has no context");
    DRIVER(cuCtxPushCurrent(m->context));
    DRIVER(cuMemsetD32(m->words, 7, 16));
    DRIVER(cuCtxPopCurrent(&m->context));
    return NULL;
}

static void migrate(CUcontext context)
{
    struct migration m = {context, 0};
    pthread_t thread;
    unsigned int words[16] = {0};
    DRIVER(cuMemAlloc(&m.words, sizeof words));
    if (pthread_create(&thread, NULL, other_thread, &m) || pthread_join(thread, NULL))
        exit(1);
    DRIVER(cuMemcpyDtoH(words, m.words, sizeof words));
    verdict(words[0] == 7 && words[15] == 7, "which it can be given");
    DRIVER(cuMemFree(m.words));
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
    linked();
    migrate(context);
    verdict(cuModuleGetFunction(&none, file, "no_such_kernel") == CUDA_ERROR_NOT_FOUND, "a kernel that is not there");
    verdict(cuModuleLoadData(&text, "this is not PTX") == CUDA_ERROR_INVALID_PTX ||
                cuModuleLoadData(&text, "this is not PTX") == CUDA_ERROR_INVALID_IMAGE,
            "text that is no PTX");
    DRIVER(cuModuleUnload(file));
    DRIVER(cuCtxPopCurrent(&context));
    DRIVER(cuDevicePrimaryCtxRelease(device));
    return failures;
}
