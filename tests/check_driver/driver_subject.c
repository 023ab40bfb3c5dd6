/* driver_subject.c - a program on the driver API, for the checks: does what its arguments say, one after the other.
 *
 *     alloc:N          p becomes N bytes of device memory; the one before is q       managed:N  host:N  pool:N  array:N
 *     store            a kernel of one thread writes p[0]           store:N  N bytes behind p
 *     spin             a kernel that waits until the host has written to p (pinned)   release: the host writes it
 *     sync=R, free=R ...   the call must return R (0 unless said)
 *     sync, query, free, free:N (p + N), freehost, freeasync, freeq, destroyarray
 *     up:N, down:N     copies N bytes to or from p      fill:N    attribute (of a pointer of the host's)   bad (a bad
 * call) reset            the context is destroyed and made again        nowait  exit at once, without sync fork a child
 * that calls something and ends          exec    the rest, in the same process exit:N           ends with that status
 * _exit:N  without ceremony */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/cuda_abi.h"

static const char ptx[] = ".version 9.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry store(.param .u64 p)\n"
                          "{\n"
                          "  .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "  st.global.u32 [%rd1], 1;\n"
                          "  ret;\n"
                          "}\n"
                          ".visible .entry spin(.param .u64 p)\n"
                          "{\n"
                          "  .reg .pred %p<2>; .reg .b32 %r<2>; .reg .b64 %rd<2>;\n"
                          "  ld.param.u64 %rd1, [p];\n"
                          "AGAIN:\n"
                          "  ld.volatile.global.u32 %r1, [%rd1];\n"
                          "  setp.eq.u32 %p1, %r1, 0;\n"
                          "  @%p1 bra AGAIN;\n"
                          "  ret;\n"
                          "}\n";

static CUcontext context;
static CUmodule module;
static CUdeviceptr p, q;
static CUarray array;
static char host[1 << 16];

static void begin(void)
{
    if (cuInit(0) != CUDA_SUCCESS || cuCtxCreate_v4(&context, NULL, 0, 0) != CUDA_SUCCESS ||
        cuModuleLoadData(&module, ptx) != CUDA_SUCCESS)
        exit(90);
}

static CUresult launch(const char *kernel, CUdeviceptr at)
{
    CUfunction f;
    void *args[] = {&at};
    CUresult r = cuModuleGetFunction(&f, module, kernel);
    return r == CUDA_SUCCESS ? cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL) : r;
}

static CUresult make(const char *what, size_t n)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = n, .Height = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8, .NumChannels = 1};
    void *pinned = NULL;
    CUresult r;
    q = p;
    switch (what[0]) {
    case 'm':
        return cuMemAllocManaged(&p, n, CU_MEM_ATTACH_GLOBAL);
    case 'p':
        return cuMemAllocAsync(&p, n, NULL);
    case 'h':
        r = cuMemHostAlloc(&pinned, n, 0);
        p = (CUdeviceptr)(uintptr_t)pinned;
        return r;
    default:
        return strncmp(what, "array", 5) == 0 ? cuArray3DCreate_v2(&array, &d) : cuMemAlloc_v2(&p, n);
    }
}

static CUresult reset(void)
{
    CUresult r = cuCtxDestroy_v2(context);
    begin();
    return r;
}

static CUresult in_child(void)
{
    const pid_t child = fork();
    int status = 0;
    if (child == 0) {
        CUdeviceptr mine;
        exit(cuMemAlloc_v2(&mine, 64) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
    }
    return waitpid(child, &status, 0) == child && status == 0 ? CUDA_SUCCESS : CUDA_ERROR_UNKNOWN;
}

static CUresult attribute(void)
{
    CUmemorytype type;
    return cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host);
}

static CUresult act(const char *w, size_t n)
{
    static const char *const makers[] = {"alloc", "managed", "pool", "host", "array"};
    for (unsigned k = 0; k < sizeof makers / sizeof *makers; k++)
        if (!strcmp(w, makers[k]))
            return make(w, n);
    if (!strcmp(w, "store"))
        return launch(w, p + n);
    if (!strcmp(w, "spin"))
        return launch(w, p);
    if (!strcmp(w, "release")) {
        *(volatile unsigned *)(uintptr_t)p = 1;
        return CUDA_SUCCESS;
    }
    if (!strcmp(w, "sync"))
        return cuCtxSynchronize();
    if (!strcmp(w, "query"))
        return cuStreamQuery(NULL);
    if (!strcmp(w, "free"))
        return cuMemFree_v2(p + n);
    if (!strcmp(w, "freeq"))
        return cuMemFree_v2(q);
    if (!strcmp(w, "freehost"))
        return cuMemFreeHost((void *)(uintptr_t)p);
    if (!strcmp(w, "freeasync"))
        return cuMemFreeAsync(p, NULL);
    if (!strcmp(w, "destroyarray"))
        return cuArrayDestroy(array);
    if (!strcmp(w, "up"))
        return cuMemcpyHtoD_v2(p, host, n);
    if (!strcmp(w, "down"))
        return cuMemcpyDtoH_v2(host, p, n);
    if (!strcmp(w, "fill"))
        return cuMemsetD8_v2(p, 0, n);
    if (!strcmp(w, "attribute"))
        return attribute();
    if (!strcmp(w, "bad"))
        return cuMemAlloc_v2(NULL, 64);
    if (!strcmp(w, "reset"))
        return reset();
    if (!strcmp(w, "fork"))
        return in_child();
    if (!strcmp(w, "exit"))
        exit((int)n);
    if (!strcmp(w, "_exit"))
        _exit((int)n);
    fprintf(stderr, "subject: what is %s?\n", w);
    exit(91);
}

/* word[:n][=result] */
static void step(const char *text)
{
    char word[64];
    size_t n = 0;
    int want = 0;
    snprintf(word, sizeof word, "%s", text);
    char *equals = strchr(word, '='), *colon = strchr(word, ':');
    if (equals) {
        want = atoi(equals + 1);
        *equals = 0;
    }
    if (colon) {
        n = strtoul(colon + 1, NULL, 10);
        *colon = 0;
    }
    const int got = (int)act(word, n);
    if (got != want) {
        fprintf(stderr, "subject: %s returned %d\n", text, got);
        exit(92);
    }
}

int main(int argc, char **argv)
{
    begin();
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "exec")) {
            argv[i] = argv[0];
            execv("/proc/self/exe", argv + i);
            exit(93);
        }
        step(argv[i]);
    }
    return 0;
}
