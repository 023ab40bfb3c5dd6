/* warp.c - from PTX blocks entered to machine instructions, and what each of them waits for (warp.h). */
#include "model/replay/sm/warp.h"

#include <string.h>

/* ---- the stream ---- */

static struct replay_func *func_of(const struct sm *s, const struct sm_warp *w, u64 item)
{
    return s->held[w->held].block->funcs[item_func(item)];
}

static const struct prepared_block *block_of(const struct sm *s, const struct sm_warp *w, u64 item)
{
    return &func_of(s, w, item)->prepared->blocks[item_block(item)];
}

/* An entry of a block that has code of its own; others are parts of the block before them. */
static bool begins_program(const struct sm *s, const struct sm_warp *w, u64 item)
{
    return item_kind(item) == ITEM_ENTER && block_of(s, w, item)->n;
}

static u64 entered(u64 item) { return (u32)item; } /* function and block, not lanes */

/* How often the block at `from` is entered in a row, at most `most` times. */
static u32 count_entries(const struct sm *s, const struct sm_warp *w, const u64 *from, u32 most)
{
    u32 n = 1;
    for (const u64 *p = from + 1; p < w->last && n < most; p++) {
        if (!begins_program(s, w, *p))
            continue;
        if (entered(*p) != entered(*from))
            break;
        n++;
    }
    return n;
}

static const struct prepared_program *choose(const struct prepared_block *b, u32 entries)
{
    for (u32 k = 0; k + 1 < b->n; k++)
        if (b->programs[k].copies <= entries)
            return &b->programs[k];
    return &b->programs[b->n - 1];
}

/* Two events of one machine instruction (a generic access that hit two spaces): the costs of both. */
static struct sm_cost join(struct sm_cost a, struct sm_cost b)
{
    if (item_is_async(a.item) && item_is_async(b.item)) {
        struct item_async x = item_read_async(a.item);
        const struct item_async y = item_read_async(b.item);
        x.n = x.what <= ASYNC_STORE ? x.n + y.n : y.n;
        return (struct sm_cost){item_async(x), NULL, 0};
    }
    if (item_is_async(a.item) || item_is_async(b.item))
        return b;
    struct item_access x = item_read_access(a.item);
    const struct item_access y = item_read_access(b.item);
    if (item_kind(a.item) != ITEM_ACCESS)
        return b;
    x.passes = (u16)(x.passes + y.passes);
    x.lines = (u16)(x.lines + y.lines);
    const struct sm_cost *lines = a.nlines ? &a : &b;
    return (struct sm_cost){item_access(x), lines->lines, lines->nlines};
}

/* The access or barrier at an item, with the lines behind it. */
static struct sm_cost cost_of(const struct sm_warp *w, const u64 *item)
{
    const u64 *p = item + 1;
    while (p < w->last && item_kind(*p) == ITEM_LINE)
        p++;
    return (struct sm_cost){*item, item + 1, (u32)(p - item - 1)};
}

/* To the first machine instruction of the site that has none yet, else to one that has. False: the program has none. */
static bool put(struct sm_warp *w, struct sm_cost c, u32 copy, u32 *hint)
{
    const struct prepared_program *p = w->program;
    u32 taken = p->nplaces;
    for (u32 k = 0; k < p->nplaces; k++) {
        const u32 at = *hint + k < p->nplaces ? *hint + k : *hint + k - p->nplaces;
        if (p->places[at].site != item_site(c.item) || p->places[at].copy != copy)
            continue;
        if (w->costs[at].item) {
            taken = taken < p->nplaces ? taken : at;
            continue;
        }
        w->costs[at] = c;
        *hint = at + 1 < p->nplaces ? at + 1 : 0;
        return true;
    }
    if (taken == p->nplaces)
        return false;
    w->costs[taken] = join(w->costs[taken], c);
    return true;
}

/* An access of a block without code of its own may belong to the program that comes next. */
static void keep(struct sm *s, struct sm_warp *w, struct sm_cost c)
{
    if (!w->early)
        w->early = arena_array(s->mem, struct sm_cost, EARLY_MOST);
    if (w->nearly < EARLY_MOST)
        w->early[w->nearly++] = c;
}

/* It was done by a program before. */
static bool was_taken(const struct sm_warp *w, const u64 *item)
{
    for (u32 k = 0; k < w->nahead; k++)
        if (w->ahead[k] == item)
            return true;
    return false;
}

/* The warp's stream is at an access or a barrier that is still to be done. What was done before is forgotten here. */
static bool is_event(struct sm_warp *w)
{
    if (item_kind(*w->item) != ITEM_ACCESS && item_kind(*w->item) != ITEM_BARRIER)
        return false;
    for (u32 k = 0; k < w->nahead; k++)
        if (w->ahead[k] == w->item) {
            w->ahead[k] = w->ahead[--w->nahead];
            return false;
        }
    return true;
}

/* What ptxas has put into another access is in L1 too. */
static void look_up(struct sm *s, const struct sm_cost *c)
{
    if (item_kind(c->item) == ITEM_ACCESS && !item_is_async(c->item))
        sm_store_through(s, c);
}

/* Its place is in a program further on. */
static bool is_further_on(const struct sm_warp *w, const struct sm_cost *c)
{
    const struct prepared *p = w->func->prepared;
    return item_kind(c->item) == ITEM_ACCESS && p->moved && item_site(c->item) < p->nsites &&
           p->moved[item_site(c->item)].down;
}

/* The warp came to the same access again before it came to where that is done: of a loop the last turn's. */
static bool comes_again(const struct sm_warp *w, u32 k)
{
    for (u32 j = k + 1; j < w->nearly; j++)
        if (item_kind(w->early[j].item) == ITEM_ACCESS && item_site(w->early[j].item) == item_site(w->early[k].item))
            return true;
    return false;
}

static void put_early(struct sm *s, struct sm_warp *w, u32 *hint)
{
    u32 n = 0;
    for (u32 k = 0; k < w->nearly; k++) {
        const struct sm_cost c = w->early[k];
        const bool further = is_further_on(w, &c);
        if (!(further && comes_again(w, k)) && put(w, c, 0, hint))
            continue;
        if (further && !comes_again(w, k))
            w->early[n++] = c;
        else
            look_up(s, &c);
    }
    w->nearly = n;
}

/* ---- accesses that are done before their block is entered ---- */

/* The stream's next access of the site that was not taken, before the warp comes to the program again; NULL: there is none. */
static const u64 *find_ahead(const struct sm_warp *w, u64 entry, u32 site)
{
    u32 func = item_func(entry);
    for (const u64 *p = w->item; p < w->last; p++) {
        if (item_kind(*p) == ITEM_ENTER) {
            if (entered(*p) == entered(entry))
                return NULL;
            func = item_func(*p);
        }
        if (func == item_func(entry) && item_kind(*p) == ITEM_ACCESS && item_site(*p) == site && !was_taken(w, p))
            return p;
    }
    return NULL;
}

/* What the program has of blocks that the warp comes to later. */
static void take_ahead(struct sm_warp *w, u64 entry)
{
    for (u32 k = 0; k < w->program->nplaces && w->nahead < AHEAD_MOST; k++) {
        const struct prepared_place *place = &w->program->places[k];
        const u64 *at = place->ahead && !w->costs[k].item ? find_ahead(w, entry, place->site) : NULL;
        if (!at)
            continue;
        w->costs[k] = cost_of(w, at);
        w->ahead[w->nahead++] = at;
    }
}

/* Fewer lanes: the others went another way. Others: those wait for them somewhere. */
static void come_in(struct sm_warp *w, u32 lanes)
{
    const bool part = lanes != w->lanes && !(lanes & ~w->lanes), others = w->lanes && !(lanes & w->lanes);
    w->parted += part;
    w->late += part && w->resumed;
    w->switched |= others;
    w->resumed = others || (w->resumed && lanes == w->lanes);
    w->lanes = lanes;
}

/* Takes the program's entries from the stream, with what belongs to them. */
static void take_entries(struct sm *s, struct sm_warp *w)
{
    const u64 entry = *w->item;
    u32 copy = 0, hint = 0;
    memset(w->costs, 0, sizeof *w->costs * w->program->nplaces);
    put_early(s, w, &hint);
    come_in(w, item_lanes(*w->item));
    for (w->item++; w->item < w->last; w->item++) {
        if (begins_program(s, w, *w->item)) {
            if (++copy == w->program->copies)
                break;
            come_in(w, item_lanes(*w->item));
        }
        if (is_event(w) && !put(w, cost_of(w, w->item), copy, &hint))
            keep(s, w, cost_of(w, w->item));
    }
    if (w->program->ahead)
        take_ahead(w, entry);
}

bool warp_next_program(struct sm *s, struct sm_warp *w)
{
    for (;;) {
        for (; w->item < w->last && !begins_program(s, w, *w->item); w->item++)
            if (is_event(w))
                keep(s, w, cost_of(w, w->item));
        if (w->item >= w->last)
            return false;
        const struct prepared_block *b = block_of(s, w, *w->item);
        w->func = func_of(s, w, *w->item);
        w->program = choose(b, count_entries(s, w, w->item, b->programs[0].copies));
        take_entries(s, w);
        w->pc = 0;
        if (w->program->n)
            return true;
    }
}

/* ---- waiting ---- */

static void wait_for_bars(struct sm_warp *w, u8 mask)
{
    for (u32 k = 0; k < REPLAY_BARS; k++)
        if (mask >> k & 1 && w->bar[k] > w->cleared) {
            w->cleared = w->bar[k];
            w->cleared_by = w->bar_reason[k];
        }
}

static double under_way(const struct sm_groups *g, u32 most) { return g->n > most ? g->at[g->n - most - 1] : 0; }

static void note_scheduler(const struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i)
{
    w->before_taken = c->taken[i->pipe];
    w->before_held = c->held;
}

double warp_arrive(struct sm *s, const struct sm_scheduler *scheduler, struct sm_warp *w)
{
    const struct replay_inst *i = warp_inst(w);
    w->cleared = w->throttled = 0;
    w->fetched = larger(w->fetched, sm_fetch(s, w, i->at, larger(w->stalled, w->resolved)));
    note_scheduler(scheduler, w, i);
    if (i->wait)
        wait_for_bars(w, i->wait);
    if (i->constant && i->pipe != PIPE_ADU)
        warp_wait_until(w, sm_constant_operand(s, i, w->fetched), STALL_IMC_MISS);
    if (i->op == REPLAY_FENCE)
        warp_wait_until(w, larger(w->stalled, w->memory) + s->machine->fence, STALL_MEMBAR);
    if (i->op == REPLAY_COPY_WAIT)
        warp_wait_until(w, under_way(&w->copies, i->count), STALL_LONG_SCOREBOARD);
    if (i->op == REPLAY_PRODUCT_WAIT)
        warp_wait_until(w, under_way(&w->products, i->count), STALL_GMMA);
    return warp_ready(w);
}

/* ---- what it waited for ---- */

/* Cycles before an instruction, by what they were waited for: the few reasons that have any. */
struct spent {
    u32 n;
    struct {
        u32 reason;
        double cycles;
    } of[9]; /* as often as warp_account spends */
};

static inline void spend(struct spent *s, u32 reason, double cycles)
{
    for (u32 k = 0; k < s->n; k++)
        if (s->of[k].reason == reason) {
            s->of[k].cycles += cycles;
            return;
        }
    s->of[s->n].reason = reason;
    s->of[s->n++].cycles = cycles;
}

static inline void add(struct spent *s, u32 reason, double *from, double to)
{
    if (to > *from) {
        spend(s, reason, to - *from);
        *from = to;
    }
}

/* It was ready, and others were issued: what of that time its pipe was taken, and what of it registers were read. Only how much
 * of both there was since the instruction before is known. */
static void add_ready(struct spent *s, const struct sm_scheduler *c, const struct sm_warp *w, double from, double to)
{
    const u32 pipe = warp_inst(w)->pipe;
    const double since = to - w->issued, ready = to - from;
    const double taken = smaller(ready, (c->taken[pipe] - w->before_taken) / since * ready);
    const double held = smaller(ready - taken, (c->held - w->before_held) / since * ready);
    spend(s, pipe == PIPE_XU ? STALL_MIO_THROTTLE : STALL_MATH_PIPE_THROTTLE, taken);
    spend(s, STALL_DISPATCH_STALL, held);
    spend(s, STALL_NOT_SELECTED, ready - taken - held);
}

/* A warp that waits at a barrier stands at it, so that is the instruction before. */
static void add_spent(struct replay_site *to, struct replay_site *before, const struct spent *s)
{
    for (u32 k = 0; k < s->n; k++) {
        struct replay_site *of = s->of[k].reason == STALL_BARRIER ? before : to;
        if (of)
            of->stalls[s->of[k].reason] += s->of[k].cycles;
    }
    if (to)
        to->issued++;
}

void warp_account(struct sm *s, const struct sm_scheduler *c, struct sm_warp *w, double t)
{
    struct spent spent = {0};
    double from = w->issued + 1 + w->joined;
    add(&spent, STALL_WAIT, &from, w->stalled);
    add(&spent, STALL_BRANCH_RESOLVING, &from, w->resolved);
    add(&spent, STALL_NO_INSTRUCTION, &from, w->fetched);
    add(&spent, w->cleared_by, &from, w->cleared);
    add(&spent, w->throttled_by, &from, w->throttled);
    if (t > from)
        add_ready(&spent, c, w, from, t);
    spend(&spent, STALL_SELECTED, 1 + w->joined);
    for (u32 k = 0; k < spent.n; k++)
        s->stalls[spent.of[k].reason] += spent.of[k].cycles;
    const struct replay_inst *i = warp_inst(w);
    struct replay_site *of[] = {s->counts && i->site < w->func->nsites ? &w->func->sites[i->site] : NULL,
                                s->counts && w->func->machine ? &w->func->machine[i->at] : NULL};
    for (u32 k = 0; k < LS_ARRAY_LEN(of); k++) {
        add_spent(of[k], w->before[k], &spent);
        w->before[k] = of[k];
    }
    s->issued++;
}
