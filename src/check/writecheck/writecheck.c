/* writecheck.c - writecheck's planes, what the host does to them, and what is left of a launch when it has ended. */
#include "check/writecheck/writecheck.h"

#include <string.h>

#include "base/alloc.h"

/* ---- the planes ---- */

static bool write_create(struct check *c)
{
    struct write_plane *p = ls_calloc(1, sizeof *p);
    if (!p)
        return false;
    if (shadow_create(&p->marks, c->mem_base & ~(u64)7, c->mem_size + 64, 4, 2) != LS_OK ||
        shadow_create(&p->writers, c->mem_base & ~(u64)7, c->mem_size + 64, 4, 4) != LS_OK) {
        shadow_destroy(&p->marks);
        ls_free(p);
        return false;
    }
    pthread_mutex_init(&p->lock, NULL);
    p->mem.name = "writecheck names";
    p->names.mem = &p->mem;
    c->of.writecheck = p;
    return true;
}

static void write_destroy(struct check *c)
{
    struct write_plane *p = c->of.writecheck;
    if (!p)
        return;
    for (u32 k = 0; k < LS_ARRAY_LEN(p->records); k++)
        for (struct write_record *r = p->records[k], *next; r; r = next) {
            next = r->next;
            ls_free(r);
        }
    shadow_destroy(&p->marks);
    shadow_destroy(&p->writers);
    pthread_mutex_destroy(&p->lock);
    arena_free(&p->mem);
    ls_free(p);
    c->of.writecheck = NULL;
}

static struct write_record **slot_of(struct write_plane *p, u64 serial)
{
    struct write_record **at = &p->records[serial % LS_ARRAY_LEN(p->records)];
    while (*at && (*at)->use.serial != serial)
        at = &(*at)->next;
    return at;
}

struct write_record *write_find(struct write_plane *p, u64 serial) { return *slot_of(p, serial); }

static void write_made(struct check *c, const struct mem_block *b)
{
    pthread_mutex_lock(&c->of.writecheck->lock);
    c->of.writecheck->newest = b->serial;
    pthread_mutex_unlock(&c->of.writecheck->lock);
}

static void unseen(struct check *c)
{
    pthread_mutex_lock(&c->of.writecheck->lock);
    c->of.writecheck->unseen = c->of.writecheck->newest;
    pthread_mutex_unlock(&c->of.writecheck->lock);
}

static void write_gone(struct check *c, const struct mem_block *b)
{
    struct write_plane *p = c->of.writecheck;
    pthread_mutex_lock(&p->lock);
    struct write_record **at = slot_of(p, b->serial), *r = *at;
    if (r) {
        *at = r->next;
        ls_free(r);
    }
    pthread_mutex_unlock(&p->lock);
    shadow_clear(&p->marks, b->base, b->size);
    shadow_clear(&p->writers, b->base, b->size);
}

/* ---- the host ---- */

/* Bytes [from, to) of the word are produced. */
static void put_part(struct write_plane *p, u64 word, u32 from, u32 to)
{
    const u32 bits = ((1u << to) - 1) & ~((1u << from) - 1);
    u16 *m = write_mark(p, word);
    *m = (u16)((*m & ~MARK_FILLED) | bits << MARK_BEFORE_SHIFT);
}

/* Gives the words of a range the mark `whole`; at its ends the bytes are produced. */
static void put_marks(struct write_plane *p, u64 address, u64 size, u16 whole)
{
    if (!size || !shadow_has(&p->marks, address, size))
        return;
    const u64 end = address + size, first = ls_align_up(address, 4), last = end & ~(u64)3;
    if (first > last) {
        put_part(p, last, (u32)(address - last), (u32)(end - last));
        return;
    }
    u16 *m = write_mark(p, first);
    for (u64 k = 0; k < (last - first) / 4; k++)
        m[k] = whole;
    if (address < first)
        put_part(p, first - 4, (u32)(address + 4 - first), 4);
    if (last < end)
        put_part(p, last, 0, (u32)(end - last));
}

static void host_wrote(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)op, (void)call;
    put_marks(c->of.writecheck, address, size, MARK_BEFORE);
}

static void filled(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)op, (void)call;
    put_marks(c->of.writecheck, address, size, MARK_FILLED);
}

static void copied(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call)
{
    (void)from, (void)op, (void)call;
    put_marks(c->of.writecheck, to, size, MARK_BEFORE);
}

static void host_read(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call)
{
    (void)op;
    write_host_read(c, address, size, call);
}

/* ---- a launch ---- */

/* All tags are free again: what bears one was produced before. A launch that runs meanwhile loses what it wrote so far
 * to that, which hides findings and makes none. */
static void forget_tags(struct write_plane *p)
{
    for (u32 k = 0; k < LS_ARRAY_LEN(p->records); k++)
        for (struct write_record *r = p->records[k]; r; r = r->next)
            for (u64 at = r->use.base; at < r->use.base + r->use.size; at += 4) {
                u16 *m = write_mark(p, at);
                if (*m >> MARK_TAG_SHIFT)
                    *m = (u16)((*m & (MARK_BEFORE | MARK_FILLED)) | (*m & MARK_NOW) << MARK_BEFORE_SHIFT);
            }
    p->tag = 0;
}

static bool launch_begin(struct check_launch *l)
{
    struct write_plane *p = l->check->of.writecheck;
    struct write_launch *x = arena_new(&l->mem, struct write_launch);
    pthread_mutex_lock(&p->lock);
    if (p->tag == WRITE_TAGS)
        forget_tags(p);
    x->tag = ++p->tag;
    pthread_mutex_unlock(&p->lock);
    l->of.writecheck = x;
    return true;
}

static void add_use(struct write_use *sum, const struct write_use *u)
{
    sum->touched |= u->touched;
    sum->widest = u->widest > sum->widest ? u->widest : sum->widest;
    const u64 count = sum->clash.count + u->clash.count;
    if (!sum->clash.count)
        sum->clash = u->clash;
    sum->clash.count = count;
}

/* The module may be gone when somebody asks: names are kept. */
static const char *keep(struct write_plane *p, const char *s) { return s ? intern(&p->names, s, strlen(s)) : NULL; }

static void keep_party(struct write_plane *p, struct party *x)
{
    x->kernel = keep(p, x->kernel);
    x->function = keep(p, x->function);
    x->launched = keep(p, x->launched);
    x->file = keep(p, x->file);
    x->ptx_file = keep(p, x->ptx_file);
}

static struct write_record *record_of(struct write_plane *p, const struct write_use *u)
{
    struct write_record **at = slot_of(p, u->serial);
    if (!*at && (*at = ls_calloc(1, sizeof **at)) != NULL)
        (*at)->use.serial = u->serial;
    return *at;
}

/* What a worker did to an allocation: the first one's use replaces that of the launch before. */
static void record(struct check_launch *l, const struct write_use *u)
{
    struct write_plane *p = l->check->of.writecheck;
    const struct write_launch *x = l->of.writecheck;
    struct write_record *r = record_of(p, u);
    if (!r)
        return;
    if (r->launch != l->exec->id || r->tag != x->tag) {
        struct write_record *next = r->next;
        *r = (struct write_record){.next = next, .launch = l->exec->id, .tag = x->tag, .use = *u};
        r->kernel = keep(p, l->exec->kernel->name);
    } else {
        add_use(&r->use, u);
    }
    r->data_dependent = x->asked;
    if (x->asked || (x->ordered && r->use.clash.across))
        r->use.clash = (struct write_clash){0}; /* ordered in a way that we do not follow */
    keep_party(p, &r->use.clash.at);
    keep_party(p, &r->use.clash.other);
}

static void launch_end(struct check_launch *l, enum ls_status s, const struct exec_fault *fault)
{
    struct write_plane *p = l->check->of.writecheck;
    struct write_launch *x = l->of.writecheck;
    (void)fault;
    x->ordered = l->exec->cooperative;
    for (const struct check_worker *w = l->workers; w; w = w->next) {
        x->ordered |= w->of.writecheck && w->of.writecheck->fenced;
        x->asked |= w->of.writecheck && w->of.writecheck->asked;
    }
    pthread_mutex_lock(&p->lock);
    if (setjmp(p->mem.oom) == 0)
        for (const struct check_worker *w = l->workers; w; w = w->next)
            for (struct write_use *u = w->of.writecheck ? w->of.writecheck->uses : NULL; u; u = u->next) {
                if (s != LS_OK)
                    u->touched |= TOUCH_OTHER; /* it did not get to its end: its outputs are not meant to be whole */
                record(l, u);
            }
    pthread_mutex_unlock(&p->lock);
}

/* ---- blocks ---- */

static bool worker_begin(struct check_worker *w)
{
    w->of.writecheck = arena_new(&w->mem, struct write_worker);
    return true;
}

static struct write_block *block_of(struct write_worker *w, const struct exec_block_info *info)
{
    struct write_block *b = w->block && w->block->info == info ? w->block : w->blocks;
    while (b && b->info != info)
        b = b->next;
    return w->block = b;
}

static struct write_block *new_block(struct check_worker *w)
{
    struct write_block *b = check_new(&w->mem, struct write_block);
    if (!b)
        return NULL;
    b->next = w->of.writecheck->blocks;
    return w->of.writecheck->blocks = b;
}

static void block_begin(struct check_worker *w, const struct exec_block_info *info)
{
    struct write_block *b = block_of(w->of.writecheck, NULL);
    if (!b)
        b = new_block(w);
    if (b)
        *b = (struct write_block){.next = b->next, .info = info, .epoch = 1};
}

static void block_end(struct check_worker *w, const struct exec_block_info *info)
{
    struct write_block *b = block_of(w->of.writecheck, info);
    if (b)
        b->info = NULL;
}

static void next_epoch(struct write_worker *w, const struct exec_block_info *info)
{
    struct write_block *b = block_of(w, info);
    if (b && b->epoch < EPOCH_MOST)
        b->epoch++;
}

static void release(struct check_worker *w, const struct exec_block_info *b, u32 id, const u32 *lanes)
{
    (void)id, (void)lanes;
    next_epoch(w->of.writecheck, b);
}

static void warp_sync(struct check_worker *w, const struct exec_warp_sync *s)
{
    if (s->orders)
        next_epoch(w->of.writecheck, s->block);
}

static void order(struct check_worker *w, const struct exec_order *o)
{
    if (o->op == EXEC_FENCE && o->scope >= EXEC_SCOPE_GPU)
        w->of.writecheck->fenced = true;
    else if (o->op == EXEC_MBARRIER_WAIT)
        next_epoch(w->of.writecheck, o->block);
}

const struct check_instrument instrument_writecheck = {
    .tools = CHECK_WRITECHECK,
    .create = write_create,
    .destroy = write_destroy,
    .made = write_made,
    .gone = write_gone,
    .unseen = unseen,
    .host_wrote = host_wrote,
    .host_read = host_read,
    .copied = copied,
    .filled = filled,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .worker_begin = worker_begin,
    .block_begin = block_begin,
    .block_end = block_end,
    .access = write_access,
    .release = release,
    .warp_sync = warp_sync,
    .order = order,
};
