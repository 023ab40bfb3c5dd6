/* handle.c - memory of what handles point to. It is never given back to the heap, only used again for a handle of the
 * same kind, so a handle that was destroyed can be looked at and is told by its tag. */
#include <string.h>

#include "base/alloc.h"
#include "driver/driver.h"

enum { KINDS = TAG_END - TAG_CONTEXT };

/* How an unused one looks: the tag, which is 0, and then the next unused one. */
struct unused {
    u32 tag;
    struct unused *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static struct unused *unused[KINDS];

void *handle_new(enum tag tag, size_t size)
{
    struct unused **list = &unused[tag - TAG_CONTEXT];
    pthread_mutex_lock(&lock);
    struct unused *h = *list;
    if (h)
        *list = h->next;
    pthread_mutex_unlock(&lock);
    if (h)
        memset(h, 0, size);
    else
        h = ls_calloc(1, size);
    return h;
}

void handle_free(enum tag tag, void *handle)
{
    struct unused *h = handle;
    if (!h)
        return;
    pthread_mutex_lock(&lock);
    *h = (struct unused){.next = unused[tag - TAG_CONTEXT]};
    unused[tag - TAG_CONTEXT] = h;
    pthread_mutex_unlock(&lock);
}
