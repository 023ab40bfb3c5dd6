/* pairSum - the sum of numbers by pairs: neighbours, or elements half the length apart, a pass a launch; an odd element
 * is carried on. In place the neighbours' form races when it is parallel, so passes go from one array to the other.
 * Neighbours are loaded with a stride of two words (16 sectors for two requests), the other form coalesced.
 *
 * (Tutorial "Optimisation strategies", 2.2.1.) */
#include "common.h"

__global__ void adjacent_pair_sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (n + 1) / 2)
    {
        int sum = in[2 * i];
        if (2 * i + 1 < n) sum += in[2 * i + 1];
        out[i] = sum;
    }
}

__global__ void interleaved_pair_sum(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int half = (n + 1) / 2;
    if (i < half)
    {
        int sum = in[i];
        if (i + half < n) sum += in[i + half];
        out[i] = sum;
    }
}

static int sum_by(void (*pass)(const int *, int *, int), const int *arr, int n)
{
    int *from, *to, result = 0;
    CHECK(cudaMalloc(&from, n * sizeof(int)));
    CHECK(cudaMalloc(&to, n * sizeof(int)));
    CHECK(cudaMemcpy(from, arr, n * sizeof(int), cudaMemcpyHostToDevice));
    for (; n > 1; n = (n + 1) / 2) {
        pass<<<((n + 1) / 2 + 127) / 128, 128>>>(from, to, n);
        CHECK(cudaGetLastError());
        int *t = from;
        from = to;
        to = t;
    }
    CHECK(cudaMemcpy(&result, from, sizeof result, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(from));
    CHECK(cudaFree(to));
    return result;
}

int main(int argc, char **argv)
{
    int arr[] = {1, 2, 3, 4, 5, 6, 7, 8};
    int n = sizeof(arr) / sizeof(arr[0]);
    (void)argc;
    print_device(argv[0]);
    printf("\nSum of array elements: %d\n", sum_by(adjacent_pair_sum, arr, n));
    printf("Sum of array elements: %d\n", sum_by(interleaved_pair_sum, arr, n));

    static int many[100003];
    int want = 0;
    for (int i = 0; i < 100003; i++)
        want += many[i] = number(i);
    int right = say("adjacent, odd lengths", sum_by(adjacent_pair_sum, many, 100003) == want);
    right &= say("interleaved, odd lengths", sum_by(interleaved_pair_sum, many, 100003) == want);
    return !right;
}
