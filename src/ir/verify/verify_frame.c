/* verify_frame.c - the verifier's rules for the register file (lower.c, live.c, the constants of emit.c).
 *
 * Who holds a slot is followed forward through the blocks: a slot has been written by nobody, by one register, or by
 * different ones on different ways. Each read must find its own register there, or nobody: that is what the allocation
 * by intervals (live.c) promises, found without intervals. */
#include "base/alloc.h"
#include "ir/verify/verify.h"

/* ---- areas ---- */

/* What a slot of the frame is: 0 nothing yet; a constant; or the n-th slot of a register's value of some width. */
enum { IS_CONST = 1, IS_VALUE = 2 };

static bool verify_consts(struct verify *v, u8 *is)
{
    const struct ir_func *f = v->f;
    for (u32 k = 0; k < f->nconsts; k++) {
        const struct ir_const *c = &f->consts[k];
        const u32 n = c->bytes > 4 ? 2 : 1;
        if (c->at % IR_SLOT || c->at < f->consts_at || c->at + n * IR_SLOT > f->frame_bytes)
            return verify_broken(v, UINT32_MAX, "constant %u lies outside the constants", k);
        for (u32 s = 0; s < n; s++) {
            if (is[c->at / IR_SLOT + s])
                return verify_broken(v, UINT32_MAX, "constant %u shares a slot with another", k);
            is[c->at / IR_SLOT + s] = IS_CONST;
        }
    }
    return true;
}

struct areas {
    struct verify *v;
    u8 *is;
    u32 site;
    bool sound;
};

static void verify_place(void *ctx, const struct ptx_var *reg, bool is_write)
{
    static const u32 slots[CLASS_COUNT] = {1, 2, 4, 0};
    struct areas *a = ctx;
    const struct ir_func *f = a->v->f;
    const enum slot_class c = ir_class(reg->type);
    const u32 at = f->place[reg->index];
    (void)is_write;
    const bool inside = c == CLASS_PRED ? at >= f->masks_at && at + 4 <= f->consts_at && at % 4 == 0
                                        : at % IR_SLOT == 0 && at + slots[c] * IR_SLOT <= f->masks_at;
    if (!inside)
        a->sound = verify_broken(a->v, a->site, "register %s lies outside the area of its kind", reg->name);
    for (u32 s = 0; s < slots[c] && a->sound; s++) {
        u8 *is = &a->is[at / IR_SLOT + s];
        const u8 want = (u8)(IS_VALUE + 4 * c + s);
        if (*is && *is != want)
            a->sound = verify_broken(a->v, a->site, "register %s shares a slot with one of another width", reg->name);
        *is = want;
    }
}

bool verify_frame(struct verify *v)
{
    const struct ir_func *f = v->f;
    if (f->masks_at % IR_SLOT || f->consts_at % IR_SLOT || f->frame_bytes % IR_SLOT || f->masks_at >= f->consts_at ||
        f->consts_at > f->frame_bytes)
        return verify_broken(v, UINT32_MAX, "the areas of the frame are not one behind the other");
    u8 *is = ls_calloc(f->frame_bytes / IR_SLOT, 1);
    if (!is)
        return true;
    struct areas a = {.v = v, .is = is, .sound = verify_consts(v, is)};
    for (a.site = 0; a.site < v->src->ninsts && a.sound; a.site++)
        ir_each_reg(&v->src->insts[a.site], verify_place, &a);
    ls_free(is);
    return a.sound;
}

/* ---- who holds a slot ---- */

/* A register's number + 1, or one of these. */
enum { HELD_BY_NOBODY = 0, HELD_BY_MANY = UINT32_MAX };
/* Blocks times slots: larger functions are left out. */
enum { CELLS_MOST = 1 << 24 };

struct slots {
    struct verify *v;
    u32 n;
    u32 *in;                              /* nblocks x n: at a block's begin */
    u32 *now;                             /* where the walk is */
    u32 *read, *written, nread, nwritten; /* registers of the instruction */
    bool sound;
};

/* Slots of values, then predicates one by one. */
static u32 cell(const struct ir_func *f, u32 place)
{
    return place < f->masks_at ? place / IR_SLOT : f->masks_at / IR_SLOT + (place - f->masks_at) / 4;
}

static void note(void *ctx, const struct ptx_var *reg, bool is_write)
{
    struct slots *s = ctx;
    if (is_write)
        s->written[s->nwritten++] = reg->index;
    else
        s->read[s->nread++] = reg->index;
}

static void note_count(void *ctx, const struct ptx_var *reg, bool is_write)
{
    (void)reg;
    (void)is_write;
    ++*(u32 *)ctx;
}

static void gather(struct slots *s, u32 site)
{
    s->nread = s->nwritten = 0;
    ir_each_reg(&s->v->src->insts[site], note, s);
}

static void write_all(struct slots *s)
{
    for (u32 k = 0; k < s->nwritten; k++)
        s->now[cell(s->v->f, s->v->f->place[s->written[k]])] = s->written[k] + 1;
}

static bool merge(u32 *into, const u32 *from, u32 n)
{
    bool changed = false;
    for (u32 k = 0; k < n; k++) {
        const u32 both = into[k] == from[k] || !from[k] ? into[k] : !into[k] ? from[k] : HELD_BY_MANY;
        changed |= both != into[k];
        into[k] = both;
    }
    return changed;
}

static void solve(struct slots *s)
{
    const struct ir_func *f = s->v->f;
    for (bool changed = true; changed;) {
        changed = false;
        for (u32 b = 0; b < f->nblocks; b++) {
            memcpy(s->now, s->in + (size_t)b * s->n, sizeof *s->now * s->n);
            for (u32 site = f->blocks[b].first; site < f->blocks[b].end; site++) {
                gather(s, site);
                write_all(s);
            }
            for (u32 k = 0; k < f->blocks[b].nsucc; k++)
                changed |= merge(s->in + (size_t)f->blocks[b].succs[k] * s->n, s->now, s->n);
        }
    }
}

/* A result that is written while sources are still to be read (live.c). */
static bool written_early(const struct verify *v, u32 site, u32 reg)
{
    const struct ptx_inst *i = &v->src->insts[site];
    return ir_class(v->src->regs[reg]->type) == CLASS_PRED || (i->op == OP_ATOM && i->operands[0].kind == PTX_VEC);
}

static bool verify_results(struct slots *s, u32 site)
{
    const u32 *place = s->v->f->place;
    for (u32 k = 0; k < s->nwritten; k++) {
        const u32 r = s->written[k];
        for (u32 n = 0; n < k; n++)
            if (s->written[n] != r && place[s->written[n]] == place[r])
                return verify_broken(s->v, site, "two results share a slot");
        for (u32 n = 0; n < s->nread && written_early(s->v, site, r); n++)
            if (s->read[n] != r && place[s->read[n]] == place[r])
                return verify_broken(s->v, site, "a result that is written early shares a slot with a source");
    }
    return true;
}

static bool verify_reads(struct slots *s, u32 site)
{
    for (u32 k = 0; k < s->nread; k++) {
        const u32 held = s->now[cell(s->v->f, s->v->f->place[s->read[k]])];
        if (held != HELD_BY_NOBODY && held != s->read[k] + 1)
            return verify_broken(s->v, site, "the slot of %s holds another register when it is read",
                                 s->v->src->regs[s->read[k]]->name);
    }
    return verify_results(s, site);
}

static bool verify_block(struct slots *s, u32 b)
{
    const struct ir_block *blk = &s->v->f->blocks[b];
    memcpy(s->now, s->in + (size_t)b * s->n, sizeof *s->now * s->n);
    for (u32 site = blk->first; site < blk->end; site++) {
        gather(s, site);
        if (!verify_reads(s, site))
            return false;
        write_all(s);
    }
    return true;
}

bool verify_slots(struct verify *v)
{
    const struct ir_func *f = v->f;
    struct slots s = {.v = v, .n = cell(f, f->consts_at)};
    u32 most = 1;
    for (u32 site = 0; site < v->src->ninsts; site++) {
        u32 n = 0;
        ir_each_reg(&v->src->insts[site], note_count, &n);
        most = n > most ? n : most;
    }
    if (!f->nblocks || (u64)f->nblocks * s.n > CELLS_MOST)
        return true;
    bool sound = true;
    s.in = ls_calloc((size_t)f->nblocks * s.n, sizeof *s.in);
    s.now = ls_calloc(s.n, sizeof *s.now);
    s.read = ls_calloc(2 * (size_t)most, sizeof *s.read);
    s.written = s.read ? s.read + most : NULL;
    if (s.in && s.now && s.read) {
        solve(&s);
        for (u32 b = 0; b < f->nblocks && sound; b++)
            sound = verify_block(&s, b);
    }
    ls_free(s.in);
    ls_free(s.now);
    ls_free(s.read);
    return sound;
}
