/* snapshot.c - see snapshot.h. Memory is compared page by page before it is copied, in both directions, so that pages
 * that nobody touched are not touched. The table of memory is locked while it is listed, so only listed then. */
#include "debug/agent/snapshot.h"

#include <string.h>
#include <sys/mman.h>

#include "base/alloc.h"

enum { PAGE = 4096 };

static bool is_kept(const struct mem_block *b)
{
    return b->kind == MEM_DEVICE || b->kind == MEM_PINNED || b->kind == MEM_MANAGED || b->kind == MEM_REGISTERED ||
           b->kind == MEM_GLOBAL || b->kind == MEM_HEAP || b->kind == MEM_MAPPED;
}

static void count(void *snapshot, const struct mem_block *b)
{
    struct snapshot *s = snapshot;
    s->nparts += is_kept(b);
    s->bytes += is_kept(b) ? b->size : 0;
    s->heap += b->kind == MEM_HEAP ? b->serial : 0;
}

static void list(void *snapshot, const struct mem_block *b)
{
    struct snapshot *s = snapshot;
    if (is_kept(b))
        s->parts[s->nparts++].block = *b;
}

static void copy_differing(u8 *to, const u8 *from, u64 size)
{
    for (u64 at = 0; at < size; at += PAGE) {
        const size_t n = size - at < PAGE ? size - at : PAGE;
        if (memcmp(to + at, from + at, n) != 0)
            memcpy(to + at, from + at, n);
    }
}

static bool keep(struct snapshot_part *p)
{
    if (!p->before) {
        void *at =
            mmap(NULL, p->block.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            return false;
        p->before = at;
    }
    copy_differing(p->before, (const u8 *)(uintptr_t)p->block.base, p->block.size);
    return true;
}

/* Both are in the order of addresses. */
static void take_over(struct snapshot *s, struct snapshot *old)
{
    u64 k = 0;
    for (u64 i = 0; i < s->nparts; i++) {
        const struct mem_block *b = &s->parts[i].block;
        while (k < old->nparts && old->parts[k].block.base < b->base)
            k++;
        if (k == old->nparts || old->parts[k].block.base != b->base || old->parts[k].block.size != b->size)
            continue;
        s->parts[i].before = old->parts[k].before;
        old->parts[k].before = NULL;
    }
}

const char *snapshot_take(struct snapshot *s, struct mem *mem, u64 most)
{
    struct snapshot old = *s;
    *s = (struct snapshot){0};
    mem_each(mem, count, s);
    if (s->bytes <= most)
        s->parts = ls_calloc(s->nparts + 1, sizeof *s->parts);
    if (!s->parts) {
        const bool large = s->bytes > most;
        *s = old;
        snapshot_drop(s);
        return large ? "more memory is live than LOCKSTEP_DEBUG_MEMORY allows to be kept" : "no memory";
    }
    s->nparts = 0;
    mem_each(mem, list, s);
    take_over(s, &old);
    snapshot_drop(&old);
    for (u64 i = 0; i < s->nparts; i++)
        if (!keep(&s->parts[i])) {
            snapshot_drop(s);
            return "no memory";
        }
    return NULL;
}

struct look {
    const struct snapshot *then;
    u64 at, there, heap; /* at: in then->parts; both are in the order of addresses */
};

static void look_for(void *look, const struct mem_block *b)
{
    struct look *l = look;
    const struct snapshot *s = l->then;
    if (!is_kept(b))
        return;
    l->heap += b->kind == MEM_HEAP ? b->serial : 0;
    while (l->at < s->nparts && s->parts[l->at].block.base < b->base)
        l->at++;
    l->there += l->at < s->nparts && s->parts[l->at].block.serial == b->serial;
}

/* Memory that another thread of the host has allocated since is none of the launch's, and stays as it is. */
const char *snapshot_lacks(const struct snapshot *s, struct mem *mem)
{
    struct look l = {.then = s};
    mem_each(mem, look_for, &l);
    if (l.heap != s->heap)
        return "the launch allocates or frees memory of the device's heap";
    return l.there != s->nparts ? "memory has gone since the launch began" : NULL;
}

void snapshot_restore(const struct snapshot *s)
{
    for (u64 i = 0; i < s->nparts; i++)
        copy_differing((u8 *)(uintptr_t)s->parts[i].block.base, s->parts[i].before, s->parts[i].block.size);
}

void snapshot_drop(struct snapshot *s)
{
    for (u64 i = 0; s->parts && i < s->nparts; i++)
        if (s->parts[i].before)
            munmap(s->parts[i].before, s->parts[i].block.size);
    ls_free(s->parts);
    *s = (struct snapshot){0};
}
