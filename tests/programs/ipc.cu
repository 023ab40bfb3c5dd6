/* ipc - two processes and one memory: a parent exports an allocation and two events, a child (the program started anew)
 * opens them, and both compute in turns that only events order. */
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { N = 4096, THREADS = 128, TURNS = 5 };

struct handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t parents_turn, childs_turn; // each is recorded by whose turn is over
};

__global__ void add(int *data, int what)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += what;
}

__global__ void multiply(int *data, int by)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] *= by;
}

static void read_all(int fd, void *to, size_t n)
{
    for (size_t at = 0; at < n;) {
        const ssize_t got = read(fd, (char *)to + at, n - at);
        if (got <= 0)
            exit(3);
        at += got;
    }
}

static void write_all(int fd, const void *from, size_t n)
{
    if (write(fd, from, n) != (ssize_t)n)
        exit(3);
}

/* A byte says that a turn is in the stream: an event can be waited for from then on. */
static void say(int fd)
{
    write_all(fd, "", 1);
}

static void hear(int fd)
{
    char byte;
    read_all(fd, &byte, 1);
}

/* The child: multiplies in its turns. Its exit code is the number of what went wrong. */
static int child(int in, int out)
{
    struct handles h;
    cudaEvent_t parents, mine;
    cudaStream_t stream;
    int *data, *again, *inside;
    read_all(in, &h, sizeof h);
    CHECK(cudaIpcOpenMemHandle((void **)&data, h.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenMemHandle((void **)&again, h.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&parents, h.parents_turn));
    CHECK(cudaIpcOpenEventHandle(&mine, h.childs_turn));
    CHECK(cudaStreamCreate(&stream));
    if (again != data)
        return 1;
    for (int turn = 0; turn < TURNS; turn++) {
        hear(in);
        CHECK(cudaStreamWaitEvent(stream, parents, 0));
        multiply<<<N / THREADS, THREADS, 0, stream>>>(data, 3);
        CHECK(cudaEventRecord(mine, stream));
        say(out);
    }
    CHECK(cudaStreamSynchronize(stream));
    cudaPointerAttributes what;
    CHECK(cudaPointerGetAttributes(&what, data + 5));
    if (what.type != cudaMemoryTypeDevice)
        return 2;
    hear(in); // the parent has read what the turns came to
    inside = data + 1;
    if (cudaIpcCloseMemHandle(inside) != cudaErrorInvalidValue)
        return 3;
    CHECK(cudaIpcCloseMemHandle(data)); // opened twice: closed twice
    CHECK(cudaMemset(data, 0, sizeof(int)));
    CHECK(cudaMemset(data + 1, 0xff, sizeof(int)));
    CHECK(cudaIpcCloseMemHandle(data));
    if (cudaIpcCloseMemHandle(data) != cudaErrorInvalidValue)
        return 4;
    CHECK(cudaEventDestroy(parents));
    CHECK(cudaEventDestroy(mine));
    say(out);
    return 17;
}

/* The parent: adds in its turns, and knows what the two must have come to. */
static int turns(int *data, cudaEvent_t mine, cudaEvent_t childs, int in, int out)
{
    static int host[N];
    cudaStream_t stream;
    int wrong = 0;
    CHECK(cudaStreamCreate(&stream));
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn > 0)
            CHECK(cudaStreamWaitEvent(stream, childs, 0));
        add<<<N / THREADS, THREADS, 0, stream>>>(data, turn + 1);
        CHECK(cudaEventRecord(mine, stream));
        say(out);
        hear(in);
    }
    CHECK(cudaEventSynchronize(childs));
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        int want = i;
        for (int turn = 0; turn < TURNS; turn++)
            want = (want + turn + 1) * 3;
        wrong += host[i] != want;
    }
    CHECK(cudaStreamDestroy(stream));
    return wrong;
}

/* With the codes that an H200's driver gave. */
static void refusals(int *data, struct handles h)
{
    cudaIpcMemHandle_t handle, nonsense;
    cudaIpcEventHandle_t of_event, no_event;
    cudaEvent_t plain;
    void *p, *host;
    memset(&nonsense, 7, sizeof nonsense);
    memset(&no_event, 7, sizeof no_event);
    CHECK(cudaEventCreate(&plain));
    CHECK(cudaMallocHost(&host, 64));
    CHECK(cudaIpcGetMemHandle(&handle, data + 7));
    verdict(memcmp(&handle, &h.memory, sizeof handle) == 0, "a pointer into memory stands for all of it");
    REFUSED(cudaIpcGetMemHandle(&handle, NULL), cudaErrorInvalidValue);
    REFUSED(cudaIpcGetMemHandle(&handle, host), cudaErrorInvalidValue);
    REFUSED(cudaIpcGetEventHandle(&of_event, plain), cudaErrorInvalidResourceHandle);
    REFUSED(cudaIpcOpenMemHandle(&p, h.memory, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized);
    REFUSED(cudaIpcOpenMemHandle(&p, nonsense, cudaIpcMemLazyEnablePeerAccess), cudaErrorInvalidValue);
    REFUSED(cudaIpcOpenMemHandle(&p, h.memory, 0), cudaErrorInvalidValue);
    REFUSED(cudaIpcOpenEventHandle(&plain, h.childs_turn), cudaErrorDeviceUninitialized);
    REFUSED(cudaIpcOpenEventHandle(&plain, no_event), cudaErrorMapBufferObjectFailed);
    REFUSED(cudaIpcCloseMemHandle(data), cudaErrorInvalidValue);
    REFUSED(cudaEventCreateWithFlags(&plain, cudaEventInterprocess), cudaErrorInvalidValue);
    CHECK(cudaEventDestroy(plain));
    CHECK(cudaFreeHost(host));
}

static pid_t start(const char *self, int in, int out)
{
    const pid_t pid = fork();
    if (pid == 0) {
        char from[16], to[16];
        snprintf(from, sizeof from, "%d", in);
        snprintf(to, sizeof to, "%d", out);
        execl("/proc/self/exe", self, from, to, (char *)NULL);
        _exit(127);
    }
    return pid;
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return child(atoi(argv[1]), atoi(argv[2]));
    int down[2], up[2], status = 0, *data, host[N];
    if (pipe(down) || pipe(up))
        return 1;
    const pid_t pid = start(argv[0], down[0], up[1]); // before the first CUDA call, as a fork must be
    struct handles h;
    cudaEvent_t mine, childs;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaMalloc(&data, sizeof host));
    CHECK(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaEventCreateWithFlags(&mine, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaEventCreateWithFlags(&childs, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetMemHandle(&h.memory, data));
    CHECK(cudaIpcGetEventHandle(&h.parents_turn, mine));
    CHECK(cudaIpcGetEventHandle(&h.childs_turn, childs));
    write_all(down[1], &h, sizeof h);
    verdict(turns(data, mine, childs, up[0], down[1]) == 0, "two processes add and multiply in turns");
    say(down[1]);
    hear(up[0]);
    waitpid(pid, &status, 0);
    verdict(WIFEXITED(status) && WEXITSTATUS(status) == 17, "the child's own checks");
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    verdict(host[0] == 0 && host[1] == -1, "what the child wrote last stays when it has ended");
    refusals(data, h);
    CHECK(cudaFree(data));
    CHECK(cudaEventDestroy(mine));
    CHECK(cudaEventDestroy(childs));
    return failures;
}
