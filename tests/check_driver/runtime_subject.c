/* runtime_subject.c - a program on the runtime API, for the checks: does what its arguments say, one after the other.
 * Its kernel is registered, and launched, as the code that compilers make of <<<>>> does it.
 *
 *     alloc  free  freehost (of p)      get, peek   asks for the last error       sync
 *     launch, big      <<<1, 1>>> and <<<1, 2048>>>, which is refused             direct   cudaLaunchKernel, refused
 *     drop, look       a copy that overruns, whose result is dropped or looked at       ask     cudaStreamQuery of a
 * bad stream thread           the next word in a thread of its own                       exit:N */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_runtime_api.h"

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);

static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p)\n"
                          "{\n"
                          "  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  st.global.u32 [%rd1], 1;\n"
                          "  ret;\n"
                          "}\n";

static struct {
    int magic, version;
    const void *data;
    void *list;
} wrapper = {0x466243B1, 1, ptx, NULL};

static char store; /* stands for the stub: only its address matters */
static void *p;
static char host[256];
static int looked;

static void stub(void)
{
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    void *args[] = {&p};
    __cudaPopCallConfiguration(&grid, &block, &shared, &stream);
    (void)__cudaLaunchKernel((cudaKernel_t)(void *)&store, grid, block, args, shared, stream);
}

static void launch(unsigned threads)
{
    if (!__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){threads, 1, 1}, 0, NULL))
        stub();
}

static void act(const char *w)
{
    void *args[] = {&p};
    if (!strcmp(w, "alloc"))
        looked |= cudaMalloc(&p, 64);
    else if (!strcmp(w, "free"))
        looked |= cudaFree(p);
    else if (!strcmp(w, "freehost"))
        looked |= cudaFreeHost(p);
    else if (!strcmp(w, "get"))
        looked |= cudaGetLastError();
    else if (!strcmp(w, "peek"))
        looked |= cudaPeekAtLastError();
    else if (!strcmp(w, "sync"))
        looked |= cudaDeviceSynchronize();
    else if (!strcmp(w, "launch"))
        launch(1);
    else if (!strcmp(w, "big"))
        launch(2048);
    else if (!strcmp(w, "direct"))
        looked |= cudaLaunchKernel(&store, (dim3){1, 1, 1}, (dim3){2048, 1, 1}, args, 0, NULL);
    else if (!strcmp(w, "drop"))
        (void)cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    else if (!strcmp(w, "look"))
        looked |= cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    else if (!strncmp(w, "exit:", 5))
        exit(atoi(w + 5));
    else
        exit(91);
}

static void *in_thread(void *word)
{
    act(word);
    return NULL;
}

int main(int argc, char **argv)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &store, &store, "store", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
    for (int i = 1; i < argc; i++) {
        pthread_t t;
        if (strcmp(argv[i], "thread") != 0 || i + 1 == argc) {
            act(argv[i]);
            continue;
        }
        if (pthread_create(&t, NULL, in_thread, argv[++i]) || pthread_join(t, NULL))
            return 94;
    }
    return 0;
}
