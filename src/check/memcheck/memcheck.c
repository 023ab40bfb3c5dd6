/* memcheck.c - memcheck in kernels: accesses that cannot be done are left out, and each place of one is a finding.
 *
 * The engine asks before a lane faults, in fast code too, so a correct kernel runs as fast as without. A load that is
 * left out gives 0, a store is lost. After options.most_faults of them on one worker the next ends the kernel.
 *
 * Findings are counted here by place, with the number of threads (those of one block by a bit each; other blocks have
 * other threads), and handed over when the launch ends; the first one of a place at once, with its description. */
#include <string.h>

#include "check/memcheck/memcheck.h"

enum { BUCKETS = 64, MOST_THREADS = 1024, MOST_FAULTS = 1000000 };

struct place {
    struct place *next; /* in its bucket */
    const struct ir_func *func;
    u32 site;
    enum finding_kind kind;
    u64 key, count, threads; /* since the first, which was reported */
    u64 block;               /* whose threads are in `seen` */
    u32 seen[MOST_THREADS / 32];
};

struct memcheck_faults {
    struct place *buckets[BUCKETS];
};

static bool worker_begin(struct check_worker *w)
{
    w->of.memcheck = arena_new(&w->mem, struct memcheck_faults);
    return true;
}

static u32 bucket_of(const struct exec_fault *f, enum finding_kind kind)
{
    return (u32)((uintptr_t)f->func / 64 + f->site * 7 + kind) % BUCKETS;
}

static struct place *find(struct memcheck_faults *m, const struct exec_fault *f, enum finding_kind kind)
{
    struct place *p = m->buckets[bucket_of(f, kind)];
    while (p && !(p->func == f->func && p->site == f->site && p->kind == kind))
        p = p->next;
    return p;
}

static u32 thread_number(const struct check_launch *l, const struct exec_fault *f)
{
    const u32 *dim = l->exec->block;
    return (f->thread[2] * dim[1] + f->thread[1]) * dim[0] + f->thread[0];
}

/* Whether this thread is new at the place. */
static bool see(struct place *p, u64 block, u32 thread)
{
    if (p->block != block)
        memset(p->seen, 0, sizeof p->seen);
    p->block = block;
    u32 *word = &p->seen[thread % MOST_THREADS / 32];
    const u32 bit = 1u << thread % 32;
    const bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

/* The first fault of a place on this worker. NULL: no memory to count in. */
static struct place *add(struct check_worker *w, const struct exec_fault *f, enum finding_kind kind)
{
    struct place *p = check_new(&w->mem, struct place), **head = &w->of.memcheck->buckets[bucket_of(f, kind)];
    if (!p)
        return NULL;
    p->func = f->func;
    p->site = f->site;
    p->kind = kind;
    p->key = memcheck_key(f);
    p->next = *head;
    *head = p;
    return p;
}

void memcheck_count(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f)
{
    const enum finding_kind kind = memcheck_kind_of(check_of(w)->mem, f);
    const u32 thread = thread_number(w->launch, f);
    struct place *p = find(w->of.memcheck, f, kind);
    if (p) {
        p->count++;
        p->threads += see(p, b->linear, thread);
        return;
    }
    p = add(w, f, kind);
    if (p) {
        p->block = ~b->linear;
        see(p, b->linear, thread);
    }
    struct finding found;
    memcheck_describe_fault(&found, w->launch->exec, f);
    check_found(w->launch, &found, memcheck_key(f));
}

static bool on_fault(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f)
{
    const u64 most = check_of(w)->options.most_faults;
    memcheck_count(w, b, f);
    if (w->left_out >= (most ? most : MOST_FAULTS))
        return false;
    w->left_out++;
    return true;
}

/* Hands over what was counted behind the first of each place. */
static void flush(struct check_launch *l, struct memcheck_faults *m)
{
    for (u32 k = 0; k < BUCKETS; k++)
        for (struct place *p = m->buckets[k]; p; p = p->next) {
            struct finding f;
            if (!p->count)
                continue;
            finding_init(&f, p->kind);
            f.count = p->count;
            f.threads = p->threads;
            check_found(l, &f, p->key);
        }
}

static void launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault)
{
    (void)s, (void)fault;
    for (struct check_worker *w = l->workers; w; w = w->next)
        if (w->of.memcheck)
            flush(l, w->of.memcheck);
}

const struct check_instrument instrument_memcheck = {
    .tools = CHECK_MEMCHECK, .worker_begin = worker_begin, .fault = on_fault, .launch_end = launch_end};
