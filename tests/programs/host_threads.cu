/* host_threads - many threads of the host on one device, each with a default stream of its own (compiled with
 * --default-stream per-thread): memory, launches and errors of one do not disturb another's. */
#include <cuda_runtime.h>
#include <pthread.h>

#include "program.h"

enum { THREADS = 8, N = 2000, ROUNDS = 5 };

__global__ void step(int *data, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        data[i] = data[i] * 3 + by;
}

struct job {
    int id, wrong, errors;
};

static void *work(void *arg)
{
    struct job *job = (struct job *)arg;
    int *device, host[N];
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&device, sizeof host));
    CHECK(cudaMemcpyAsync(device, host, sizeof host, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) {
        step<<<(N + 255) / 256, 256>>>(device, job->id);
        if (job->id % 2) { // a launch that is refused is this thread's error alone
            step<<<1, 4096>>>(device, 0);
            cudaError_t e = cudaGetLastError(); // which of the two depends on the compiler
            job->errors += e != cudaErrorInvalidConfiguration && e != cudaErrorInvalidValue;
        }
        job->errors += cudaGetLastError() != cudaSuccess;
    }
    CHECK(cudaMemcpyAsync(host, device, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    for (int i = 0; i < N; i++) {
        int want = i;
        for (int round = 0; round < ROUNDS; round++)
            want = want * 3 + job->id;
        job->wrong += host[i] != want;
    }
    CHECK(cudaFree(device));
    return NULL;
}

int main()
{
    pthread_t thread[THREADS];
    struct job jobs[THREADS];
    for (int t = 0; t < THREADS; t++) {
        jobs[t] = {t, 0, 0};
        if (pthread_create(&thread[t], NULL, work, &jobs[t]))
            return 1;
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        verdict(jobs[t].wrong == 0 && jobs[t].errors == 0, "thread %d", t);
    }
    return failures;
}
