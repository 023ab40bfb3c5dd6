/* wgmma.c - see wgmma.h. Descriptors of matrices in shared memory (PTX ISA 9.7.15.5.1.2):
 *
 *     bits 0-13   start address / 16
 *     bits 16-29  leading byte offset / 16
 *     bits 32-45  stride byte offset / 16
 *     bits 49-51  base offset
 *     bits 62-63  swizzle: 0 none, 1 of 128 bytes, 2 of 64, 3 of 32
 *
 * 8 lines of as many bytes as the swizzle has (16 without one) lie below each other. Lines are those of k side by side, or,
 * crosswise, those of 8 rows of A or columns of B side by side. Where the next 8 lines are and what does not fit into a line,
 * say stride and leading offset. The swizzle exchanges pieces of 16 bytes: to their number it adds, without carry, that of the
 * 128 bytes they are in, less the base offset. All as an H200 does it (tests/hw/wgmma/layout.c). */
#include "exec/sync/wgmma.h"

#include <string.h>

enum { PIECE = 16, GROUP = 8 };

/* ---- descriptors ---- */

struct matrix {
    u32 start, leading, stride, width, mask, base;
};

static struct matrix matrix_of(u64 desc)
{
    static const u8 widths[] = {PIECE, 128, 64, 32};
    const u32 swizzle = (u32)(desc >> 62);
    return (struct matrix){.start = (u32)(desc & 0x3fff) * PIECE,
                           .leading = (u32)(desc >> 16 & 0x3fff) * PIECE,
                           .stride = (u32)(desc >> 32 & 0x3fff) * PIECE,
                           .width = widths[swizzle],
                           .mask = widths[swizzle] / PIECE - 1,
                           .base = (u32)(desc >> 49) & 7};
}

/* The address of a piece of a line. */
static u32 piece_at(const struct matrix *m, bool crossed, u32 line, u32 piece)
{
    const u32 pieces = m->width / PIECE, group = line / GROUP, far = piece / pieces;
    const bool exchanged = crossed && pieces == 1;
    const u32 at = m->start + piece % pieces * PIECE + line % GROUP * m->width +
                   group * (exchanged ? m->leading : m->stride) + far * (exchanged ? m->stride : m->leading);
    return at ^ ((((at >> 7) - m->base) & m->mask) << 4);
}

/* Lines of k, of `rows` rows: register piece of each 8 rows. bytes: of k of a row. */
static void gather(const u8 *shared, const struct matrix *m, u32 first, u32 rows, u32 bytes, u8 *to, u32 next_group,
                   u32 next_piece)
{
    for (u32 r = 0; r < rows; r++)
        for (u32 p = 0; p < bytes / PIECE; p++)
            memcpy(to + r / GROUP * next_group + p * next_piece + r % GROUP * PIECE,
                   shared + piece_at(m, false, first + r, p), PIECE);
}

/* The same of elements of 16 bits that lie crosswise. */
static void gather_crossed(const u8 *shared, const struct matrix *m, u32 first, u32 rows, u32 bytes, u8 *to,
                           u32 next_group, u32 next_piece)
{
    for (u32 g = 0; g < rows / GROUP; g++)
        for (u32 k = 0; k < bytes / 2; k++) {
            const u8 *from = shared + piece_at(m, true, k, first / GROUP + g);
            for (u32 j = 0; j < GROUP; j++)
                memcpy(to + g * next_group + k / GROUP * next_piece + j * PIECE + k % GROUP * 2, from + 2 * j, 2);
        }
}

/* Where a matrix ends: in its last 8 lines. Swizzles stay in their 128 bytes. */
static u32 end_of(const struct matrix *m, bool crossed, u32 first, u32 rows, u32 bytes)
{
    const u32 lines = crossed ? bytes / 2 : first + rows;
    const u32 from = crossed ? first / GROUP : 0, pieces = crossed ? (first + rows) / GROUP : bytes / PIECE;
    u32 end = 0;
    for (u32 line = lines - GROUP; line < lines; line++)
        for (u32 p = from; p < pieces; p++) {
            const u32 at = piece_at(m, crossed, line, p) + PIECE;
            end = at > end ? at : end;
        }
    return end;
}

/* ---- queues ---- */

struct product {
    const struct ir_wgmma *x;
    const struct wgmma_ops *ops;
    u8 *regs;
    u64 a, b;
    u32 group;
    bool adds;
};

struct queue {
    struct product *ring; /* of WGMMA_MOST; NULL: the warp has issued none in any block */
    u32 committed;        /* groups */
    u64 issued, done;     /* products */
};

struct wgmma_block {
    u8 b[WGMMA_TILES * WGMMA_SPARSE_TILE] __attribute__((aligned(64)));
    u8 ready[WGMMA_TILES * WGMMA_READY] __attribute__((aligned(64)));
    const struct ir_wgmma *made_for; /* what is in b and ready, or NULL */
    u64 made_of;
    struct queue queues[];
};

static struct product *product_at(const struct queue *q, u64 n) { return &q->ring[n % WGMMA_MOST]; }

static struct queue *queue_of(struct warp *w)
{
    struct block *b = w->block;
    if (!b->wgmma)
        b->wgmma = arena_alloc_aligned(&b->worker->mem, sizeof *b->wgmma + b->info.warps * sizeof(struct queue), 64);
    struct queue *q = &b->wgmma->queues[w->index];
    if (!q->ring)
        q->ring = arena_array(&b->worker->mem, struct product, WGMMA_MOST);
    return q;
}

void wgmma_block_begin(struct block *b)
{
    for (u32 k = 0; k < b->info.warps; k++) {
        struct queue *q = &b->wgmma->queues[k];
        q->issued = q->done = 0;
        q->committed = 0;
    }
}

/* ---- doing a product ---- */

static u32 bytes_of_b(const struct ir_wgmma *x) { return x->sparse ? 2 * WGMMA_BYTES : WGMMA_BYTES; }

/* b, and what the level makes of it, once for all warps of the group: nothing else runs meanwhile. */
static void ready_b(struct block *b, const struct product *p)
{
    struct wgmma_block *g = b->wgmma;
    const struct ir_wgmma *x = p->x, *y = g->made_for;
    if (y && g->made_of == p->b && y->n == x->n && y->b == x->b && y->a == x->a && y->cross_b == x->cross_b &&
        y->sparse == x->sparse)
        return;
    const struct matrix m = matrix_of(p->b);
    (x->cross_b ? gather_crossed : gather)(b->shared, &m, 0, x->n, bytes_of_b(x), g->b,
                                           x->sparse ? WGMMA_SPARSE_TILE : WGMMA_TILE, IR_SLOT);
    p->ops->prepare(x, g->b, g->ready);
    g->made_for = x;
    g->made_of = p->b;
}

static void multiply(struct warp *w, const struct product *p)
{
    u8 a[WGMMA_A * IR_SLOT] __attribute__((aligned(64)));
    const struct ir_wgmma *x = p->x;
    struct wgmma_job j = {.x = x, .regs = p->regs, .adds = p->adds, .b = w->block->wgmma->b};
    ready_b(w->block, p);
    j.ready = w->block->wgmma->ready;
    if (!x->a_in_registers) {
        const struct matrix m = matrix_of(p->a);
        (x->cross_a ? gather_crossed : gather)(w->shared, &m, w->index % WGMMA_WARPS * WGMMA_LINES, WGMMA_LINES,
                                               WGMMA_BYTES, a, IR_SLOT, 2 * IR_SLOT);
    }
    for (u32 k = 0; k < WGMMA_A; k++)
        j.a[k] = x->a_in_registers ? p->regs + x->a_slots[k] : a + k * IR_SLOT;
    p->ops->multiply(&j);
}

/* The warp's products before `end`, alone. */
static void finish(struct warp *w, u64 end)
{
    struct queue *q = &w->block->wgmma->queues[w->index];
    w->block->wgmma->made_for = NULL;
    for (; q->done < end; q->done++)
        multiply(w, product_at(q, q->done));
}

/* ---- warpgroups ---- */

static u32 group_begin(const struct warp *w) { return w->index / WGMMA_WARPS * WGMMA_WARPS; }
static u32 group_end(const struct warp *w)
{
    const u32 end = group_begin(w) + WGMMA_WARPS, warps = w->block->info.warps;
    return end < warps ? end : warps;
}

/* Whether all warps of the group have issued so many products; those that have exited will not. */
static bool all_issued(const struct warp *w, u64 n)
{
    for (u32 k = group_begin(w); k < group_end(w); k++)
        if (w->block->wgmma->queues[k].issued < n && w->block->warps[k].exited != FULL_MASK)
            return false;
    return true;
}

static void finish_all(struct warp *w, u64 end)
{
    struct block *b = w->block;
    const u64 from = b->wgmma->queues[w->index].done;
    b->wgmma->made_for = NULL;
    for (u64 n = from; n < end; n++)
        for (u32 k = group_begin(w); k < group_end(w); k++) {
            struct queue *q = &b->wgmma->queues[k];
            if (q->done == n && q->issued > n && b->warps[k].exited != FULL_MASK) {
                multiply(&b->warps[k], product_at(q, n));
                q->done++;
            }
        }
}

/* ---- events ---- */

static void tell_matrix(struct warp *w, const struct ir_inst *pc, u64 desc, bool crossed, u32 first, u32 rows,
                        u32 bytes)
{
    const struct matrix m = matrix_of(desc);
    const u32 lines = crossed ? bytes / 2 : rows, pieces = crossed ? rows / GROUP : bytes / PIECE;
    for (u32 line = 0; line < lines; line++)
        for (u32 p = 0; p < pieces; p++)
            warp_touch(w, pc, 0, SPACE_SHARED, ACCESS_LD,
                       crossed ? piece_at(&m, true, line, first / GROUP + p) : piece_at(&m, false, first + line, p),
                       PIECE, true);
}

/* What a product will read: the warp's own lines of a, and of b, which is all warps', its share. */
static void tell_reads(struct warp *w, const struct ir_inst *pc, const struct ir_wgmma *x, u64 a, u64 b)
{
    const u32 place = w->index % WGMMA_WARPS, tiles = x->n / GROUP;
    const u32 from = tiles * place / WGMMA_WARPS, end = tiles * (place + 1) / WGMMA_WARPS;
    if (!x->a_in_registers)
        tell_matrix(w, pc, a, x->cross_a, place * WGMMA_LINES, WGMMA_LINES, WGMMA_BYTES);
    if (end > from)
        tell_matrix(w, pc, b, x->cross_b, from * GROUP, (end - from) * GROUP, bytes_of_b(x));
}

static void tell_groups(struct warp *w, const struct ir_inst *pc, u32 warp, enum exec_order_op op, u32 value)
{
    const struct exec_order o = {.func = w->func,
                                 .site = pc->site,
                                 .warp = warp,
                                 .mask = FULL_MASK,
                                 .op = (u8)op,
                                 .scope = (u8)w->index, /* who waits */
                                 .value = value,
                                 .block = w->info};
    if (w->hooks && w->hooks->order)
        w->hooks->order(w->hook_ctx, &o);
}

/* A warp's products before `end` are done. */
static void tell_done(struct warp *w, const struct ir_inst *pc, u32 warp, u64 end)
{
    const struct queue *q = &w->block->wgmma->queues[warp];
    if (!w->hooks || !w->hooks->order || !end)
        return;
    const u32 group = product_at(q, end - 1)->group;
    tell_groups(w, pc, warp, EXEC_COPY_WAIT, q->committed > group ? q->committed - group - 1 : UINT32_MAX);
}

/* ---- instructions ---- */

static bool is_inside(struct warp *w, const struct ir_inst *pc, u64 desc, bool crossed, u32 first, u32 rows, u32 bytes)
{
    const struct matrix m = matrix_of(desc);
    const u32 end = end_of(&m, crossed, first, rows, bytes);
    if (end <= w->shared_bytes)
        return true;
    warp_fault(w, pc, FAULT_ILLEGAL_ADDRESS, 0, end - PIECE, PIECE, SPACE_SHARED, false, false);
    return false;
}

const struct ir_inst *wgmma_issue(struct warp *w, const struct ir_inst *pc, u8 *regs, const struct wgmma_ops *ops)
{
    const struct ir_wgmma *x = pc->ptr;
    if (group_end(w) - group_begin(w) < WGMMA_WARPS) /* as on an H200 */
        return warp_fault(w, pc, FAULT_ILLEGAL_INSTRUCTION, 0, 0, 0, SPACE_NONE, false, false);
    struct queue *q = queue_of(w);
    const u64 b = *(const u64 *)(const void *)(regs + x->b_at);
    const u64 a = x->a_in_registers ? 0 : *(const u64 *)(const void *)(regs + x->a_at);
    const u32 adds = *(const u32 *)(const void *)(regs + x->adds);
    if (!is_inside(w, pc, b, x->cross_b, 0, x->n, bytes_of_b(x)) ||
        (!x->a_in_registers &&
         !is_inside(w, pc, a, x->cross_a, w->index % WGMMA_WARPS * WGMMA_LINES, WGMMA_LINES, WGMMA_BYTES)))
        return NULL;
    if (q->issued - q->done == WGMMA_MOST)
        finish(w, q->done + 1);
    if (w->hooks && w->hooks->access && !w->hooks->whole)
        tell_reads(w, pc, x, a, b);
    *product_at(q, q->issued++) =
        (struct product){.x = x, .ops = ops, .regs = regs, .a = a, .b = b, .group = q->committed, .adds = adds & 1};
    return pc + 1;
}

const struct ir_inst *wgmma_commit(struct warp *w, const struct ir_inst *pc)
{
    queue_of(w)->committed++;
    tell_groups(w, pc, w->index, EXEC_COPY_COMMIT, 0);
    return pc + 1;
}

const struct ir_inst *wgmma_wait(struct warp *w, const struct ir_inst *pc)
{
    struct queue *q = queue_of(w);
    const u64 most = (u64)pc->imm; /* groups that may stay */
    u64 end = q->done;
    while (end < q->issued && product_at(q, end)->group + most < q->committed)
        end++;
    w->split->waited = NULL;
    if (end == q->done) { /* another warp's wait was the first: racecheck wants to know that this one has waited, too */
        tell_groups(w, pc, w->index, EXEC_COPY_WAIT, (u32)most);
        return pc + 1;
    }
    if (!all_issued(w, end)) {
        w->split->waited = pc;
        return warp_yield(w, pc);
    }
    finish_all(w, end);
    for (u32 k = group_begin(w); k < group_end(w); k++)
        tell_done(w, pc, k, w->block->wgmma->queues[k].done);
    return pc + 1;
}

static bool touches(const struct ir_wgmma *x, const struct ir_wgmma_touch *t)
{
    for (u32 i = 0; i < t->n; i++) {
        for (u32 k = 0; k < x->nd; k++)
            if (x->d_slots[k] == t->at[i].slot)
                return true;
        if (x->sparse && t->at[i].is_write && x->metadata == t->at[i].slot)
            return true;
        for (u32 k = 0; k < WGMMA_A && x->a_in_registers && t->at[i].is_write; k++)
            if (x->a_slots[k] == t->at[i].slot)
                return true;
    }
    return false;
}

const struct ir_inst *wgmma_settle(struct warp *w, const struct ir_inst *pc)
{
    struct queue *q = w->block->wgmma ? &w->block->wgmma->queues[w->index] : NULL;
    for (u64 n = q ? q->issued : 0; q && n > q->done; n--) {
        const struct product *p = product_at(q, n - 1);
        if (p->regs == w->frame->regs && touches(p->x, pc->ptr)) {
            finish(w, n);
            tell_done(w, pc, w->index, n);
            break;
        }
    }
    return pc + 1;
}

void wgmma_leave(struct warp *w, const struct frame *f)
{
    struct queue *q = &w->block->wgmma->queues[w->index];
    for (u64 n = q->issued; n > q->done; n--)
        if (product_at(q, n - 1)->regs == f->regs) {
            finish(w, n);
            return;
        }
}
