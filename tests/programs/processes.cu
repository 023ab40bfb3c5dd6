/* processes - several processes on one device: children that are forked before the first CUDA call, one that is forked
 * behind it (and must not use CUDA), and one that starts the program anew. */
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { CHILDREN = 3, N = 1000 };

__global__ void square(int *data)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        data[i] *= data[i];
}

/* 0 when the device computes as it should. */
static int compute(int offset)
{
    int host[N], *device;
    for (int i = 0; i < N; i++)
        host[i] = i + offset;
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
    square<<<(N + 127) / 128, 128>>>(device);
    CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    for (int i = 0; i < N; i++)
        if (host[i] != (i + offset) * (i + offset))
            return 1;
    return 0;
}

static int exit_code(pid_t pid)
{
    int status = 0;
    if (waitpid(pid, &status, 0) != pid)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (argc > 1) // the program that was started anew
        return compute(atoi(argv[1])) ? 1 : 17;
    fflush(stdout);
    pid_t child[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        child[i] = fork();
        if (child[i] == 0)
            _exit(compute(i)); // no destructors run
    }
    int result = compute(100);
    verdict(result == 0, "the parent");
    for (int i = 0; i < CHILDREN; i++)
        verdict(exit_code(child[i]) == 0, "child %d", i);

    fflush(stdout);
    pid_t late = fork();
    if (late == 0) {
        void *p;
        _exit(cudaMalloc(&p, 16) == cudaErrorInitializationError ? 3 : 4);
    }
    verdict(exit_code(late) == 3, "a child of a process that has used CUDA cannot");

    pid_t anew = fork();
    if (anew == 0) {
        execl("/proc/self/exe", "processes", "7", (char *)NULL);
        _exit(127);
    }
    verdict(exit_code(anew) == 17, "unless it starts a program anew");
    verdict(compute(5) == 0, "the parent goes on");
    return failures;
}
