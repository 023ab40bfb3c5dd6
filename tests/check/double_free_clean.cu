/* double_free_clean - a copy that is forgotten, not cleaned up. */
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
    second.data = NULL;
    buffer_free(&second);
    return 0;
}
