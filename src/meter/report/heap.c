/* heap.c - see heap.h. */
#include "meter/report/heap.h"

#include <string.h>

#include "meter/count.h"
#include "model/device_heap.h"

bool heap_is_called(const struct ir_func *kernel)
{
    static const char *const names[] = {"malloc", "free", "__cudaCDP2Malloc", "__cudaCDP2Free"};
    const struct ptx_module *m = kernel->mod;
    for (u32 f = 0; m && f < m->nfuncs; f++)
        for (u32 k = 0; k < LS_ARRAY_LEN(names); k++)
            if (!strcmp(m->funcs[f]->name, names[k]))
                return true;
    return false;
}

void counter_heap(void *ctx, const struct exec_heap *h)
{
    struct counter *c = ctx;
    if (h->address)
        device_heap_add(&c->heap[device_heap_size(h->size)], h->size);
}
