/* invalid_free_clean - the pointer that the allocation returned is kept. */
#include "check.h"

int main()
{
    enum { ROWS = 4, COLUMNS = 100 };
    static float host[ROWS][COLUMNS];
    float *matrix;
    CHECK(cudaMalloc(&matrix, sizeof host));
    float *row = matrix;
    for (int i = 0; i < ROWS; i++, row += COLUMNS)
        CHECK(cudaMemcpy(row, host[i], sizeof host[i], cudaMemcpyHostToDevice));
    CHECK(cudaFree(matrix));
    return 0;
}
