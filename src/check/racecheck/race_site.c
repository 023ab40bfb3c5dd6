/* race_site.c - numbers for instructions (race_site.h). */
#include "check/racecheck/race_site.h"

#include "base/alloc.h"

struct race_sites *race_sites_new(u32 most)
{
    struct race_sites *s = ls_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->most = most;
    s->n = 1;
    s->parts[0] = ls_calloc(RACE_SITE_PART, sizeof(struct race_site));
    if (s->parts[0])
        return s;
    race_sites_free(s);
    return NULL;
}

void race_sites_free(struct race_sites *s)
{
    if (!s)
        return;
    for (u32 k = 0; k < LS_ARRAY_LEN(s->parts); k++)
        ls_free(s->parts[k]);
    pthread_mutex_destroy(&s->lock);
    ls_free(s);
}

u64 race_key(const struct ir_func *func, u32 site, const struct ir_func *other, u32 other_site)
{
    return finding_key(func, finding_place(func, site), other, finding_place(other, other_site));
}

/* ---- loops around compare-and-swap ----
 *
 * How CUDA's guide makes atomics of other types:
 *
 *     old = *p;
 *     do { assumed = old; old = atomicCAS(p, assumed, f(assumed)); } while (assumed != old);
 *
 * The plain load may see any value, as the loop corrects it: it counts as part of the atomic operation. */

static const struct ptx_var *reg_of(const struct ptx_inst *i, u32 operand)
{
    return operand < i->noperands && i->operands[operand].kind == PTX_REG ? i->operands[operand].var : NULL;
}

/* Moves a mark from registers to what they are copied to; false: nothing new. */
static bool follow_moves(const struct ptx_func *f, u8 *marked)
{
    bool more = false;
    for (u32 k = 0; k < f->ninsts; k++) {
        const struct ptx_inst *i = &f->insts[k];
        const struct ptx_var *d = reg_of(i, 0), *a = reg_of(i, 1);
        if ((i->op == OP_MOV || i->op == OP_CVT) && d && a && marked[a->index] && !marked[d->index]) {
            marked[d->index] = 1;
            more = true;
        }
    }
    return more;
}

/* What the plain load at site reads is what an atom.cas compares with. */
static bool feeds_cas(const struct ptx_func *f, u32 site)
{
    const struct ptx_var *d = reg_of(&f->insts[site], 0);
    u8 *marked = d ? ls_calloc(f->nregs + 1, 1) : NULL;
    bool feeds = false;
    if (!marked)
        return false;
    marked[d->index] = true;
    while (follow_moves(f, marked))
        ;
    for (u32 k = 0; k < f->ninsts && !feeds; k++) {
        const struct ptx_inst *i = &f->insts[k];
        const struct ptx_var *compared = i->op == OP_ATOM && ptx_has(i, MOD_CAS) ? reg_of(i, 2) : NULL;
        feeds = compared && marked[compared->index];
    }
    ls_free(marked);
    return feeds;
}

static u32 flags_of(const struct exec_access *a)
{
    static const struct {
        u16 mod, flags;
    } mods[] = {{MOD_VOLATILE, RACE_VOLATILE}, {MOD_RELAXED, RACE_RELAXED},
                {MOD_ACQUIRE, RACE_RELAXED},   {MOD_RELEASE, RACE_RELAXED | RACE_RELEASE},
                {MOD_ACQ_REL, RACE_RELEASE},   {MOD_MMIO, RACE_RELAXED}};
    const struct ptx_inst *i = &a->func->src->insts[a->site];
    u32 flags = a->op == ACCESS_LD ? RACE_READS : a->op == ACCESS_ST ? RACE_WRITES : RACE_READS | RACE_WRITES;
    if (a->op == ACCESS_ATOM || a->op == ACCESS_RED)
        flags |= RACE_ATOMIC;
    for (u32 k = 0; k < LS_ARRAY_LEN(mods); k++)
        if (!a->uncounted && ptx_has(i, mods[k].mod))
            flags |= mods[k].flags;
    if (i->op == OP_WGMMA_MMA_ASYNC || i->op == OP_WGMMA_MMA_ASYNC_SP)
        flags |= RACE_PRODUCT;
    if (flags == RACE_READS && i->op == OP_LD && feeds_cas(a->func->src, a->site))
        flags |= RACE_RELAXED;
    return flags;
}

/* Under the lock. A function may have gone and another come to its place: then flags differ, or nothing does. */
static u32 find_or_add(struct race_sites *s, const struct exec_access *a)
{
    const u32 flags = flags_of(a);
    for (u32 k = 1; k < s->n; k++) {
        const struct race_site *e = race_site_at(s, k);
        if (e->func == a->func && e->site == a->site && e->flags == flags)
            return k;
    }
    struct race_site **part = &s->parts[s->n / RACE_SITE_PART];
    if (s->n >= s->most || (!*part && !(*part = ls_calloc(RACE_SITE_PART, sizeof **part))))
        return 0;
    (*part)[s->n % RACE_SITE_PART] = (struct race_site){a->func, a->site, flags};
    __atomic_store_n(&s->n, s->n + 1, __ATOMIC_RELEASE);
    return s->n - 1;
}

/* The function's entry at the head of the list; NULL: no memory. */
static struct race_site_func *bring(struct race_site_index *x, const struct ir_func *func)
{
    for (struct race_site_func **at = &x->funcs; *at; at = &(*at)->next)
        if ((*at)->func == func) {
            struct race_site_func *f = *at;
            *at = f->next;
            f->next = x->funcs;
            return x->funcs = f;
        }
    struct race_site_func *f = check_new(x->mem, struct race_site_func);
    if (!f || !(f->number = check_array(x->mem, u16, func->src->ninsts + 1)))
        return NULL;
    f->func = func;
    f->next = x->funcs;
    return x->funcs = f;
}

u32 race_site_slow(struct race_site_index *x, const struct exec_access *a)
{
    struct race_site_func *f = bring(x, a->func);
    if (!f)
        return 0;
    if (!f->number[a->site]) {
        pthread_mutex_lock(&x->sites->lock);
        f->number[a->site] = (u16)find_or_add(x->sites, a);
        pthread_mutex_unlock(&x->sites->lock);
    }
    return f->number[a->site];
}
