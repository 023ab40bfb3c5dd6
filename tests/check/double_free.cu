/* double_free - two owners of one buffer: the structure was copied, and both copies are cleaned up. */
// TOOL: memcheck
// EXPECT: double-free line @free
#include "check.h"

struct buffer {
    int *data;
    size_t bytes;
};

static void buffer_free(buffer *b)
{
    CHECK(cudaFree(b->data)); // @free
    b->data = NULL;
}

int main()
{
    buffer first = {NULL, 4096};
    CHECK(cudaMalloc(&first.data, first.bytes));
    CHECK(cudaMemset(first.data, 0, first.bytes));
    buffer second = first;
    buffer_free(&first);
    buffer_free(&second);
    return 0;
}
