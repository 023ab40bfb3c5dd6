/* child.c - the queue of the grids that kernels launch, and the tree in which they run (child.h). */
#include "exec/device/child.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/device/device_runtime.h"
#include "exec/sched.h"

/* ---- one grid's launches ---- */

static void child_free(struct mem *mem, struct child *c)
{
    if (c->params)
        mem_free(mem, c->params);
    ls_free(c);
}

void child_refuse(struct worker *w) { w->children_refused++; }

struct child *child_prepare(struct worker *w, u64 bytes, u32 *error)
{
    struct exec_children *all = w->grid->launch->children;
    if (atomic_fetch_add(&all->pending, 1) >= all->limit) {
        atomic_fetch_sub(&all->pending, 1);
        *error = CUDA_LAUNCH_PENDING_COUNT_EXCEEDED;
        return NULL;
    }
    struct child *c = ls_calloc(1, sizeof *c);
    struct mem *mem = w->grid->launch->device->mem;
    if (!c || (bytes && mem_alloc(mem, bytes, MEM_ALIGN, MEM_INTERNAL, "parameters of a child grid", &c->params))) {
        ls_free(c);
        atomic_fetch_sub(&all->pending, 1);
        *error = CUDA_MEMORY_ALLOCATION;
        return NULL;
    }
    c->param_bytes = bytes;
    c->next = w->prepared;
    w->prepared = c;
    return c;
}

struct child *child_take(struct worker *w, u64 params)
{
    for (struct child **at = &w->prepared; *at; at = &(*at)->next)
        if ((*at)->params == params) {
            struct child *c = *at;
            *at = c->next;
            return c;
        }
    return NULL;
}

void child_queue(struct block *b, struct child *c, const u32 thread[3])
{
    c->by_block = b->info.linear;
    c->order = b->launches++;
    memcpy(c->block_id, b->info.id, sizeof c->block_id);
    memcpy(c->thread_id, thread, sizeof c->thread_id);
    c->next = b->worker->launched;
    b->worker->launched = c;
    b->worker->nlaunched++;
}

/* ---- handing over ---- */

static int by_turn(const void *a, const void *b)
{
    const struct child *x = *(struct child *const *)a, *y = *(struct child *const *)b;
    if (x->tail != y->tail)
        return x->tail ? 1 : -1;
    if (x->by_block != y->by_block)
        return x->by_block < y->by_block ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void free_list(struct mem *mem, struct child *c)
{
    while (c) {
        struct child *next = c->next;
        child_free(mem, c);
        c = next;
    }
}

enum ls_status children_collect(struct grid *g)
{
    struct exec_children *to = g->launch->children;
    struct mem *mem = g->launch->device->mem;
    u32 n = 0;
    for (unsigned k = 0; k < g->nworkers; k++) {
        struct worker *w = &g->workers[k];
        n += w->nlaunched;
        to->refused += w->children_refused;
        to->spent = w->spent > to->spent ? w->spent : to->spent;
        free_list(mem, w->prepared); /* never launched */
        w->prepared = NULL;
    }
    to->all = n ? ls_calloc(n, sizeof *to->all) : NULL;
    for (unsigned k = 0; k < g->nworkers; k++) {
        struct worker *w = &g->workers[k];
        for (struct child *c = w->launched; c && to->all; c = c->next) {
            to->copies += c->is_copy;
            to->all[to->n++] = c;
        }
        if (!to->all)
            free_list(mem, w->launched);
        w->launched = NULL;
    }
    if (to->n)
        qsort(to->all, to->n, sizeof *to->all, by_turn);
    return n && !to->all ? LS_ERR_NOMEM : LS_OK;
}

/* ---- the tree ---- */

struct tree {
    exec_run_one *run;
    void *ctx;
    struct exec_fault *fault;
    u32 pending;     /* queued by the grids above and beside the one that runs */
    double deadline; /* 0: none */
    u64 spent, max_instructions;
};

/* "kernel 'child' <- launched by kernel 'parent', ...", innermost first; what does not fit is left out. */
static void say_who_launched(struct exec_fault *f, const struct exec_launch *parent, const struct child *c)
{
    size_t used = strlen(f->launched_by);
    snprintf(f->launched_by + used, sizeof f->launched_by - used,
             "%slaunched by kernel '%s', block (%u,%u,%u), thread (%u,%u,%u)", used ? "\n" : "", parent->kernel->name,
             c->block_id[0], c->block_id[1], c->block_id[2], c->thread_id[0], c->thread_id[1], c->thread_id[2]);
}

static struct exec_launch launch_of(const struct tree *t, const struct exec_launch *parent, const struct child *c)
{
    static const u64 no_params;
    struct exec_launch l = *parent;
    l.kernel = c->kernel;
    memcpy(l.grid, c->grid, sizeof l.grid);
    memcpy(l.block, c->block, sizeof l.block);
    l.dynamic_shared = c->shared;
    l.params = c->params ? (const void *)(uintptr_t)c->params : &no_params;
    l.cooperative = false;
    l.parent = parent->id;
    l.depth = parent->depth + 1;
    if (t->deadline > 0) {
        const double left = t->deadline - exec_now();
        l.max_seconds = left > 1e-9 ? left : 1e-9;
    }
    if (t->max_instructions)
        l.max_instructions = t->spent < t->max_instructions ? t->max_instructions - t->spent : 1;
    return l;
}

static struct exec_launched_by who(const struct exec_launch *parent, const struct child *c)
{
    const u32 *at = c->thread_id, *size = parent->block;
    return (struct exec_launched_by){
        .block = c->by_block, .stream = c->stream, .thread = (at[2] * size[1] + at[1]) * size[0] + at[0]};
}

struct exec_launched_by exec_launched_by(const struct exec_launch *l) { return l->children->by; }

static enum ls_status run_node(struct tree *t, struct exec_launch *l, struct exec_launched_by by);

static enum ls_status run_child(struct tree *t, const struct exec_launch *parent, const struct child *c)
{
    enum ls_status s;
    if (c->is_copy) {
        s = child_copy_run(parent, &c->copy, t->fault);
    } else {
        struct exec_launch l = launch_of(t, parent, c);
        s = run_node(t, &l, who(parent, c));
    }
    if (s != LS_OK)
        say_who_launched(t->fault, parent, c);
    return s;
}

static enum ls_status run_node(struct tree *t, struct exec_launch *l, struct exec_launched_by by)
{
    struct exec_children kids = {.by = by, .limit = l->pending_launches ? l->pending_launches : CHILD_PENDING_DEFAULT};
    atomic_init(&kids.pending, t->pending);
    l->children = &kids;
    enum ls_status s = t->run(t->ctx, l, t->fault);
    t->spent += kids.spent;
    t->pending += kids.n;
    for (u32 k = 0; k < kids.n; k++) {
        t->pending--;
        if (s == LS_OK)
            s = run_child(t, l, kids.all[k]);
        child_free(l->device->mem, kids.all[k]);
    }
    ls_free(kids.all);
    return s;
}

enum ls_status exec_run_tree(const struct exec_launch *l, exec_run_one *run, void *ctx, struct exec_fault *fault)
{
    struct exec_launch root = *l;
    struct tree t = {.run = run, .ctx = ctx, .fault = fault, .max_instructions = l->max_instructions};
    t.deadline = l->max_seconds > 0 ? exec_now() + l->max_seconds : 0;
    root.root = l->id;
    return run_node(&t, &root, (struct exec_launched_by){0});
}

void exec_children_count(const struct exec_children *c, u32 *launched, u32 *refused)
{
    *launched = c->n - c->copies;
    *refused = c->refused;
}
