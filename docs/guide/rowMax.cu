// rowMax.cu - the largest number of each row of a table, a block a row: chapter 14 finds out why some rows have another.
// -DRIGHT has it right.
#include <cstdio>

#define ROWS 16
#define COLUMNS 96

#ifdef RIGHT
#define FIRST 64 // the power of two below
#else
#define FIRST (COLUMNS / 2)
#endif

__global__ void rowMax(const int *table, int *largest)
{
    __shared__ int best[COLUMNS];
    int t = threadIdx.x;
    best[t] = table[blockIdx.x * COLUMNS + t];
    __syncthreads();
    for (int s = FIRST; s > 0; s /= 2) {
        if (t < s && t + s < COLUMNS)
            best[t] = max(best[t], best[t + s]);
        __syncthreads();
    }
    if (t == 0)
        largest[blockIdx.x] = best[0];
}

int main()
{
    static int table[ROWS][COLUMNS];
    int *device_table, *device_largest, largest[ROWS], wrong = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            table[row][column] = (row * 389 + column * 577) % 1009;
    cudaMalloc(&device_table, sizeof table);
    cudaMalloc(&device_largest, sizeof largest);
    cudaMemcpy(device_table, table, sizeof table, cudaMemcpyHostToDevice);
    rowMax<<<ROWS, COLUMNS>>>(device_table, device_largest);
    cudaMemcpy(largest, device_largest, sizeof largest, cudaMemcpyDeviceToHost);
    for (int row = 0; row < ROWS; row++) {
        int expected = 0;
        for (int column = 0; column < COLUMNS; column++)
            expected = table[row][column] > expected ? table[row][column] : expected;
        if (largest[row] != expected)
            printf("row %d: %d, but %d is there\n", row, largest[row], expected);
        wrong += largest[row] != expected;
    }
    printf("%d of %d rows are wrong\n", wrong, ROWS);
    cudaFree(device_table);
    cudaFree(device_largest);
    return 0;
}
