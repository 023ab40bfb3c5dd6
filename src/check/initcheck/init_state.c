/* init_state.c - the blocks of a worker under initcheck, and the instrument. */
#include "check/initcheck/init_state.h"

struct init_block *init_find_block(struct init_shared *s, const struct exec_block_info *info)
{
    for (struct init_block *b = s->all; b; b = b->next)
        if (b->info == info)
            return s->now = b;
    return NULL;
}

/* Blocks are kept for those to come: they all have the same shape. */
static struct init_block *take_block(struct check_worker *w, u32 warps)
{
    struct init_shared *s = w->of.initcheck;
    for (struct init_block *b = s->all; b; b = b->next)
        if (!b->info)
            return b;
    struct init_block *b = check_new(&w->mem, struct init_block);
    if (!b || !(b->shared = check_alloc(&w->mem, s->shared_bytes / 8 + 16)) ||
        !(b->warps = check_array(&w->mem, struct init_local, warps)))
        return NULL;
    b->next = s->all;
    return s->all = b;
}

/* Without memory the block goes unchecked. */
static void block_begin(struct check_worker *w, const struct exec_block_info *info)
{
    struct init_shared *s = w->of.initcheck;
    s->shared_bytes = info->reserved_at; /* of every block of the launch */
    struct init_block *b = take_block(w, info->warps);
    if (!b)
        return;
    b->info = info;
    s->now = b;
    memset(b->shared, 0, s->shared_bytes / 8 + 16);
    for (u32 k = 0; k < info->warps; k++) {
        struct init_local *l = &b->warps[k];
        if (l->used)
            memset(l->rows, 0, l->used * IR_LANES * sizeof *l->rows);
        l->used = 0;
    }
}

static void block_end(struct check_worker *w, const struct exec_block_info *info)
{
    struct init_shared *s = w->of.initcheck;
    struct init_block *b = init_block_of(s, info);
    if (b)
        b->info = NULL;
    for (u32 k = 0; s->ncarries && k < INIT_CARRIES; k++)
        if (s->carries[k].lanes && s->carries[k].block == info) {
            s->carries[k].lanes = 0;
            s->ncarries--;
        }
}

static u64 *new_rows(struct check_worker *w, u64 rows) { return check_array(&w->mem, u64, rows * IR_LANES); }

bool init_local_grow(struct check_worker *w, struct init_local *l, u64 rows)
{
    if (rows <= l->used)
        return true;
    if (rows > l->room) {
        u64 room = l->room ? l->room : 4;
        while (room < rows)
            room *= 2;
        u64 *more = new_rows(w, room);
        if (!more)
            return false;
        if (l->used)
            memcpy(more, l->rows, l->used * IR_LANES * sizeof *more);
        l->rows = more;
        l->room = room;
    }
    l->used = rows;
    return true;
}

static bool worker_begin(struct check_worker *w)
{
    w->of.initcheck = arena_new(&w->mem, struct init_shared);
    return true;
}

/* ---- the host ---- */

static void host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)op, (void)call;
    init_host_wrote(c, address, size);
}

static void host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)op;
    init_host_read(c, address, size, call);
}

static void copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    (void)op, (void)call;
    init_copied(c, to, from, size);
}

const struct check_instrument instrument_initcheck = {
    .tools = CHECK_INITCHECK,
    .create = init_create,
    .destroy = init_destroy,
    .made = init_made,
    .gone = init_gone,
    .unseen = init_unseen,
    .host_wrote = host_wrote,
    .host_read = host_read,
    .copied = copied,
    .filled = host_wrote,
    .worker_begin = worker_begin,
    .block_begin = block_begin,
    .block_end = block_end,
    .access = init_access,
    .far_access = init_far_access,
    .order = init_order,
};
