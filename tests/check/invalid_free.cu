/* invalid_free - the pointer went from row to row with the copies, and is freed where it ended. */
// TOOL: memcheck
// EXPECT: invalid-free line @free
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
    row -= COLUMNS;
    CHECK(cudaFree(row)); // @free
    return 0;
}
