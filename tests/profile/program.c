/* program.c - a program on the driver API for the profiler's tests: does what its arguments say, one after the other.
 *
 *     program PTX WORD...
 *
 *     strided:S, column, scale, tiny   launch that kernel of kernels.cu (strided with that stride)
 *     times:N        the next launch N times          blocks:N   of so many blocks (1), of 32 threads each
 *     stream         the following launches go to a new stream        context   a new context
 *     pinned, registered   from here on kernels read such memory of the host's
 *     async          from here on nobody waits for launches
 *     capture, replay   the launches between become a graph, which is launched
 *     stop, start    cuProfilerStop, cuProfilerStart  print      a line on stdout and one on stderr
 *     fork           a child that execs this program with the rest of the words; its exit status is this one's
 *     exit:N, raise:N   ends with that status, or by that signal        hang   never ends */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver/cuda_abi.h"

enum { BYTES = 1 << 20 };

static struct {
    const char *ptx;
    CUcontext ctx;
    CUmodule module;
    CUstream stream;
    CUdeviceptr in, out;
    unsigned times, blocks;
    bool async;
} p = {.times = 1, .blocks = 1};

static void check(CUresult r, const char *what)
{
    if (r == CUDA_SUCCESS)
        return;
    fprintf(stderr, "program: %s: error %d\n", what, (int)r);
    exit(99);
}
#define OK(call) check((call), #call)

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    if (!f || !text || !fread(text, 1, (1 << 20) - 1, f))
        exit(98);
    fclose(f);
    return text;
}

static void make_context(void)
{
    char *text = read_text(p.ptx);
    OK(cuInit(0));
    OK(cuCtxCreate_v4(&p.ctx, NULL, 0, 0));
    OK(cuModuleLoadData(&p.module, text));
    OK(cuMemAlloc_v2(&p.in, BYTES));
    OK(cuMemAlloc_v2(&p.out, BYTES));
    OK(cuMemsetD8_v2(p.in, 0, BYTES));
    OK(cuMemsetD8_v2(p.out, 0, BYTES));
    free(text);
}

static void read_host(bool registered)
{
    void *host = registered ? aligned_alloc(4096, BYTES) : NULL;
    if (!p.ctx)
        make_context();
    if (registered)
        OK(cuMemHostRegister_v2(host, BYTES, CU_MEMHOSTREGISTER_DEVICEMAP));
    else
        OK(cuMemHostAlloc(&host, BYTES, CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetDevicePointer_v2(&p.in, host, 0));
}

static void launch(const char *kernel, void **params)
{
    CUfunction f;
    if (!p.ctx)
        make_context();
    OK(cuModuleGetFunction(&f, p.module, kernel));
    for (unsigned i = 0; i < p.times; i++)
        OK(cuLaunchKernel(f, p.blocks, 1, 1, 32, 1, 1, 0, p.stream, params, NULL));
    if (!p.async)
        OK(cuCtxSynchronize());
    p.times = p.blocks = 1;
}

static int run_child(char **argv)
{
    const pid_t pid = fork();
    if (pid == 0) {
        execv("/proc/self/exe", argv);
        _exit(97);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void replay(void)
{
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamEndCapture(p.stream, &graph));
    OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
    OK(cuGraphLaunch(exec, p.stream));
}

static void act(const char *word)
{
    const char *colon = strchr(word, ':');
    int number = colon ? atoi(colon + 1) : 0;
    float factor = 1.5f;
    if (!strncmp(word, "times:", 6))
        p.times = (unsigned)number;
    else if (!strncmp(word, "blocks:", 7))
        p.blocks = (unsigned)number;
    else if (!strncmp(word, "strided:", 8))
        launch("_Z7stridedPKfPfi", (void *[]){&p.in, &p.out, &number});
    else if (!strcmp(word, "column"))
        launch("_Z6columnPf", (void *[]){&p.out});
    else if (!strcmp(word, "scale"))
        launch("_ZN4deep5scaleIfLi3EEEvPT_S1_", (void *[]){&p.out, &factor});
    else if (!strcmp(word, "tiny"))
        launch("tiny", (void *[]){&p.out});
    else if (!strcmp(word, "stream"))
        OK(cuStreamCreate(&p.stream, 0));
    else if (!strcmp(word, "context"))
        make_context();
    else if (!strcmp(word, "pinned") || !strcmp(word, "registered"))
        read_host(*word == 'r');
    else if (!strcmp(word, "async"))
        p.async = true;
    else if (!strcmp(word, "capture"))
        OK(cuStreamBeginCapture_v2(p.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    else if (!strcmp(word, "replay"))
        replay();
    else if (!strcmp(word, "stop"))
        OK(cuProfilerStop());
    else if (!strcmp(word, "start"))
        OK(cuProfilerStart());
    else if (!strcmp(word, "print"))
        printf("on stdout\n"), fflush(stdout), fprintf(stderr, "on stderr\n");
    else if (!strncmp(word, "exit:", 5))
        exit(number);
    else if (!strncmp(word, "raise:", 6))
        raise(number);
    else if (!strcmp(word, "hang"))
        pause();
    else
        exit(96);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 96;
    p.ptx = argv[1];
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "fork")) {
            char *ptx = argv[1];
            argv[i - 1] = argv[0]; /* in front of the words that are left */
            argv[i] = ptx;
            return run_child(argv + i - 1);
        }
        act(argv[i]);
    }
    if (p.ctx)
        OK(cuCtxSynchronize());
    return 0;
}
