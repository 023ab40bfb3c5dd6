// no_ptx.cu - built for a real architecture only: there is nothing to run, and the program is told so.
#include <cstdio>

__global__ void nothing() {}

int main()
{
    nothing<<<1, 1>>>();
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
