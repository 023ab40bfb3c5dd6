/* host_race_meanwhile_clean - what a host may do with managed and pinned memory while the device works: touch other buffers
 * and other parts of a buffer, prefetch, wait by events and queries, be told by a function in a stream or by a flag that a
 * kernel sets, feed a kernel that runs, and have other threads do so. */
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

enum { N = 2048, BLOCK = 128, BYTES = N * sizeof(int) };

__global__ void add(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += value;
}

__global__ void tell(int *x, int n, volatile int *flag)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = i;
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *flag = 1;
}

__global__ void fed(volatile int *work, volatile int *done)
{
    int sum = 0;
    for (int next; (next = *work) >= 0;) {
        if (next == *done)
            continue;
        sum += next;
        __threadfence_system();
        *done = next;
    }
    done[1] = sum;
}

static void wrong(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void add_to(int *x, int n, int value, cudaStream_t stream)
{
    add<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, n, value);
    CHECK(cudaGetLastError());
}

/* Other buffers, other halves, and a system call on the other half. */
static void elsewhere(cudaStream_t stream)
{
    int *a, *b;
    CHECK(cudaMallocManaged(&a, BYTES));
    CHECK(cudaMallocManaged(&b, BYTES));
    memset(a, 0, BYTES);
    CHECK(cudaMemPrefetchAsync(a, BYTES, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0, stream));
    add_to(a, N / 4, 1, stream);
    for (int i = 0; i < N; i++)
        b[i] = i;
    for (int i = N / 4; i < N; i++)
        a[i] = b[i];
    int zero = open("/dev/zero", O_RDONLY);
    if (read(zero, a + N / 2, BYTES / 2) != BYTES / 2)
        wrong("read into the other half");
    close(zero);
    while (cudaStreamQuery(stream) == cudaErrorNotReady)
        continue;
    if (a[0] != 1 || a[N / 4] != N / 4 || a[N - 1] != 0)
        wrong("halves");
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
}

static void callback(void *flag)
{
    __atomic_store_n((int *)flag, 1, __ATOMIC_RELEASE);
}

static void told(cudaStream_t stream)
{
    int *x, *flag, called = 0;
    CHECK(cudaMallocHost(&x, BYTES));
    CHECK(cudaMallocHost(&flag, sizeof *flag));
    memset(x, 0, BYTES);
    add_to(x, N, 3, stream);
    CHECK(cudaLaunchHostFunc(stream, callback, &called));
    while (!__atomic_load_n(&called, __ATOMIC_ACQUIRE))
        continue;
    if (x[N - 1] != 3)
        wrong("function in a stream");
    *flag = 0;
    tell<<<1, BLOCK, 0, stream>>>(x, N, flag);
    CHECK(cudaGetLastError());
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        continue;
    if (x[N - 1] != N - 1)
        wrong("flag of a kernel");
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(x));
    CHECK(cudaFreeHost(flag));
}

static void feed(cudaStream_t stream)
{
    volatile int *work;
    CHECK(cudaMallocHost((void **)&work, 4096));
    memset((void *)work, 0, 4096);
    volatile int *done = work + 512;
    fed<<<1, 1, 0, stream>>>(work, done);
    CHECK(cudaGetLastError());
    for (int k = 1; k <= 5; k++) {
        *work = k;
        while (*done != k)
            usleep(100);
    }
    *work = -1;
    CHECK(cudaStreamSynchronize(stream));
    if (done[1] != 15)
        wrong("a kernel that is fed");
    CHECK(cudaFreeHost((void *)work));
}

static void *thread_main(void *)
{
    cudaStream_t stream;
    int *x;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMallocManaged(&x, BYTES));
    memset(x, 0, BYTES);
    for (int k = 0; k < 8; k++) {
        add_to(x, N, 1, stream);
        CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < N; i++)
            x[i]++;
    }
    if (x[N - 1] != 16)
        wrong("threads");
    CHECK(cudaFree(x));
    CHECK(cudaStreamDestroy(stream));
    return NULL;
}

int main()
{
    enum { THREADS = 3 };
    pthread_t threads[THREADS];
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    elsewhere(stream);
    told(stream);
    for (int k = 0; k < THREADS; k++)
        pthread_create(&threads[k], NULL, thread_main, NULL);
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    feed(stream);
    CHECK(cudaStreamDestroy(stream));
    return 0;
}
