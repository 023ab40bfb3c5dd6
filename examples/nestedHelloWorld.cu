/* nestedHelloWorld [BLOCKS] - kernels that launch kernels: a grid of 8 threads, whose thread 0 launches one of 4, and
 * so on until one thread is left. More than one block launches as many families as there are blocks.
 *
 *     nvcc -rdc=true nestedHelloWorld.cu -o nestedHelloWorld -lcudadevrt
 *
 * (Tutorial "Optimisation strategies", 2.2.3.) */
#include "common.h"

__global__ void nestedHelloWorld(int const iSize, int iDepth)
{
    int tid = threadIdx.x;
    printf("Recursion=%d: Hello World from thread %d block %d\n", iDepth, tid, blockIdx.x);

    // condition to stop recursive execution
    if (iSize == 1) return;

    // reduce block size to half
    int nthreads = iSize >> 1;

    // thread 0 launches child grid recursively
    if (tid == 0 && nthreads > 0)
    {
        nestedHelloWorld<<<1, nthreads>>>(nthreads, ++iDepth);
        printf("-------> nested execution depth: %d\n", iDepth);
    }
}

int main(int argc, char **argv)
{
    int blocksize = 8, igrid = argument(argc, argv, 1, 1);
    dim3 block(blocksize, 1);
    dim3 grid(igrid, 1);
    printf("%s Execution Configuration: grid %d block %d\n", argv[0], grid.x, block.x);
    nestedHelloWorld<<<grid, block>>>(block.x, 0);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
