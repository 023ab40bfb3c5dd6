/* tell.c - see tell.h. An access is told as exec/access.h does it: a row of the whole warp, one place, or any places; what
 * the instrument lets the engine count is counted. */
#include "exec/tier/tell.h"

static void tell_enter(struct warp *w, const struct tier_args *args, u32 block, u32 mask)
{
    if (w->hooks->enter)
        w->hooks->enter(w->hook_ctx, args->kernel, block, mask, w->index, w->info);
}

static void tell_diverge(struct warp *w, const struct tier_args *args, u32 site, u32 mask, u32 taken)
{
    if (w->hooks->diverge)
        w->hooks->diverge(w->hook_ctx, args->kernel, site, mask, taken);
}

/* ---- accesses ---- */

static u32 size_of(u32 what) { return (what >> 8 & 0xff) * (what >> 16 & 0xff); }

static u8 type_of(u32 what)
{
    switch (what >> 8 & 0xff) {
    case 1:
        return what & TELL_SIGNED ? PTX_S8 : PTX_B8;
    case 2:
        return what & TELL_SIGNED ? PTX_S16 : PTX_B16;
    case 4:
        return PTX_B32;
    default:
        return PTX_B64;
    }
}

/* A lane's values are not in the frame, so nobody may ask for them: pc is NULL. */
static void tell_known(struct warp *w, const struct tier_args *args, u32 site, u32 what, u32 mask, u32 pattern)
{
    const struct exec_access a = {.func = args->kernel,
                                  .site = site,
                                  .mask = mask,
                                  .space = (u8)what,
                                  .op = what & TELL_STORE ? ACCESS_ST : ACCESS_LD,
                                  .size = (u8)size_of(what),
                                  .pattern = (u8)pattern,
                                  .type = type_of(what),
                                  .generic = what & TELL_GENERIC,
                                  .warp = w->index,
                                  .again = what & TELL_AGAIN,
                                  .block = w->info,
                                  .addr = args->addr};
    if (w->hooks->access)
        w->hooks->access(w->hook_ctx, &a);
}

static bool is_row(const u64 *addr, u64 size)
{
    for (u32 i = 1; i < IR_LANES; i++)
        if (addr[i] != addr[i - 1] + size)
            return false;
    return true;
}

static bool is_same(const u64 *addr, u32 mask)
{
    const u64 first = addr[__builtin_ctz(mask)];
    for (; mask; mask &= mask - 1)
        if (addr[__builtin_ctz(mask)] != first)
            return false;
    return true;
}

static bool is_counted(struct exec_site_count *s, enum exec_plain shape)
{
    if (!s->n[shape])
        return false;
    s->n[shape]++;
    return true;
}

static void tell_any(struct warp *w, const struct tier_args *args, u32 site, u32 what, u32 mask)
{
    struct exec_site_count *s = &args->plain[site];
    enum exec_pattern pattern = PATTERN_GATHER;
    if (mask == FULL_MASK && is_row(args->addr, size_of(what))) {
        pattern = PATTERN_CONTIGUOUS;
        if (is_counted(s, args->addr[0] % 32 ? PLAIN_ROW_OFF : PLAIN_ROW))
            return;
    } else if (is_same(args->addr, mask)) {
        pattern = PATTERN_UNIFORM;
        if (is_counted(s, mask == FULL_MASK ? PLAIN_SAME : PLAIN_SAME_SOME))
            return;
    }
    tell_known(w, args, site, what, mask, pattern);
}

const struct tier_tell tier_tells = {tell_enter, tell_diverge, tell_known, tell_any};

/* ---- barriers ---- */

void tell_barrier(const struct block *b, u32 warps, u32 record)
{
    const struct ir_func *f = b->grid->kernel->ir;
    const struct ir_inst *r = &f->code[b->grid->mode].insts[record];
    const struct exec_hooks *hooks = b->grid->launch->hooks;
    enum { IS_ALIGNED = 2 };
    u32 id = 0;
    for (u32 k = 0; k < f->nconsts; k++)
        if (f->consts[k].at == r->a)
            id = (u32)f->consts[k].value;
    for (; warps && hooks->barrier; warps &= warps - 1) {
        const struct exec_barrier e = {.func = f,
                                       .site = r->site,
                                       .warp = (u32)__builtin_ctz(warps),
                                       .mask = FULL_MASK,
                                       .id = (u8)id,
                                       .op = EXEC_BARRIER_SYNC,
                                       .aligned = r->aux & IS_ALIGNED,
                                       .block = &b->info};
        hooks->barrier(b->worker->hook_ctx, &e);
    }
}
