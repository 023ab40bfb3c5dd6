/* constants.c - constant banks: operands of instructions, and loads.
 *
 *     operands ──► 2 KB ─┐
 *                        ├──► the second cache of the GPC, in lines of 256 bytes ──► L2, DRAM
 *     LDC ───────► 2 KB ─┘
 *
 * A load gives a word every other cycle, whichever lanes want it: lanes at different words are one after the other. All numbers
 * are an H200's, measured by chains, by 8 loads side by side and by lookups at random, in 1 to 32 warps, on one SM and on all, at 256 bytes
 * to 64 KB, 1 to 32 words a warp (tests/hw/tables.cu). */
#include "model/replay/sm/warp.h"

/* ---- the second cache, and what other SMs bring there ---- */

/* 256 bytes of the constants that a block's first warp loads: from which to which, and which first. */
struct sought {
    u32 first, last, begin;
};

static bool seek(const struct replay_stream *warp, struct sought *out)
{
    enum { ITEMS = 4096, LOADS = 64, SECOND = 4 };
    u32 loads = 0;
    for (u64 k = 0; k < warp->n && k < ITEMS && loads < LOADS; k++) {
        if (item_kind(warp->items[k]) != ITEM_ACCESS)
            continue;
        const struct item_access a = item_read_access(warp->items[k]);
        if (a.class != ITEM_CONSTANT)
            continue;
        const u32 from = item_constant_first(a.sector), to = from + item_constant_span(a.sector);
        if (!loads++)
            *out = (struct sought){from / SECOND, to / SECOND, from};
        out->first = from / SECOND < out->first ? from / SECOND : out->first;
        out->last = to / SECOND > out->last ? to / SECOND : out->last;
    }
    return loads;
}

/* Lines of the second cache among which blocks look at different places; 0: all blocks look at the same. */
static double scattered_lines(const struct replay_launch *l)
{
    struct sought all = {0}, one;
    bool any = false, differ = false;
    for (u32 b = 0; b < l->nrecorded; b++) {
        if (!seek(&l->blocks[b].warps[0], &one))
            continue;
        differ |= any && one.begin != all.begin;
        all.first = any && all.first < one.first ? all.first : one.first;
        all.last = any && all.last > one.last ? all.last : one.last;
        all.begin = one.begin;
        any = true;
    }
    return differ ? all.last - all.first + 1 : 0;
}

void sm_constants_begin(struct sm *s)
{
    const struct machine *m = s->machine;
    s->constants = arena_new(s->mem, struct sm_constants);
    s->constants->sharing = smaller(larger(s->active * m->constant_group, 1), SM_CONSTANTS_SHARING);
    s->constants->fill = larger(m->constant_fill, m->constant_group_fill * s->constants->sharing);
    s->constants->scattered = -1;
}

/* Cycles until the second cache has what nobody of this SM asked for. Where all SMs go through a table in the same order, some are a
 * little ahead of others, which find it in L2. Where blocks look at different places, each SM brings a part for all of its GPC. */
static double memory_cycles(struct sm *s)
{
    const struct machine *m = s->machine;
    struct sm_constants *c = s->constants;
    if (s->active <= 1)
        return m->constant_memory;
    if (c->scattered < 0)
        c->scattered = scattered_lines(s->launch);
    if (c->scattered <= 0)
        return m->constant_shared;
    return m->constant_shared * exp(-c->sharing * c->nfar++ / c->scattered);
}

/* Parameters come with the launch; __constant__ variables and what the compiler keeps are in no cache when it begins. */
static double *second_of(struct sm *s, u32 line)
{
    return &s->constants->second[line < CONSTANT_BANK_LINES ? 0 : line / 4];
}

static double in_second(struct sm *s, u32 line, double t)
{
    double *there = second_of(s, line);
    if (*there <= 0)
        *there = t + (line < CONSTANT_BANK_LINES ? s->machine->parameters : memory_cycles(s));
    return larger(*there, t);
}

/* ---- the first caches ---- */

static bool holds(const struct sm *s, const struct sm_constant_cache *c, u32 line)
{
    const struct sm_constant_line *bank = c->banks[line / CONSTANT_BANK_LINES];
    const u32 taken = bank ? bank[line % CONSTANT_BANK_LINES].taken : 0;
    return taken && c->n - taken < s->machine->constant_lines;
}

static struct sm_constant_line *line_of(struct sm *s, struct sm_constant_cache *c, u32 line)
{
    struct sm_constant_line **bank = &c->banks[line / CONSTANT_BANK_LINES];
    if (!*bank)
        *bank = arena_array(s->mem, struct sm_constant_line, CONSTANT_BANK_LINES);
    return *bank + line % CONSTANT_BANK_LINES;
}

static double in_first(struct sm *s, struct sm_constant_cache *c, u32 line, double t, double miss)
{
    struct sm_constant_line *l = line_of(s, c, line);
    if (!holds(s, c, line))
        *l = (struct sm_constant_line){++c->n, in_second(s, line, t) + miss};
    return larger(l->there, t);
}

/* ---- loads ---- */

double sm_constant_operand(struct sm *s, const struct replay_inst *i, double t)
{
    return in_first(s, &s->constants->operands, i->constant_line, t, s->machine->operand_miss);
}

/* Words of so many lines, which are as far from each other; the last word comes so many cycles behind the first. */
struct wanted {
    u32 first, span, lines;
    double words, more;
};

/* The second cache has it at t. */
static bool is_in_second(struct sm *s, u32 line, double t)
{
    const double there = *second_of(s, line);
    return there > 0 && there <= t;
}

/* So many loads of a warp may have asked beyond the second cache, the next one waits for them; and so many of an SM, times the SMs of its
 * GPC: what they ask for serves all of them, as each has other warps in front. */
static double waits_for(const struct sm_asked *of_warp, const struct sm_constants *c)
{
    const u32 most = (u32)(SM_CONSTANTS_ASKED * c->sharing);
    const double sm = c->nasked < most ? 0 : c->asked[(c->nasked - most) % SM_CONSTANTS_ASKED_GPC];
    return larger(sm, of_warp->when[of_warp->n % SM_CONSTANTS_ASKED]);
}

static void keep_asked(struct sm_asked *of_warp, struct sm_constants *c, double there)
{
    of_warp->when[of_warp->n++ % SM_CONSTANTS_ASKED] = there;
    c->asked[c->nasked++ % SM_CONSTANTS_ASKED_GPC] = there;
}

/* What a line that the first cache lacks takes of the SM. Where warps go through a table in step, all SMs of the GPC want the same line at
 * about the same time, and get it together. */
static double fill_cycles(const struct sm *s, const struct wanted *a)
{
    enum { STEP = 4 };
    const struct sm_constants *c = s->constants;
    return a->lines == 1 && a->first - c->missed <= STEP ? s->machine->constant_fill : c->fill;
}

/* Its words are looked up one after the other, and each miss holds up those behind it. */
static double load(struct sm *s, struct sm_asked *asked, const struct wanted *a, double t, double *busy)
{
    const struct machine *m = s->machine;
    struct sm_constants *c = s->constants;
    const double fill = fill_cycles(s, a), miss = m->constant_l2 - m->constant, behind = fill - m->constant_fill;
    double there = t;
    bool asks = false;
    *busy = a->words * m->constant_word;
    for (u32 k = 0; k < a->lines; k++) {
        const u32 line = a->first + (a->lines > 1 ? k * a->span / (a->lines - 1) : 0);
        const bool lacks = !holds(s, &c->indexed, line), far = lacks && !is_in_second(s, line, there);
        if (lacks) {
            *busy += fill;
            c->missed = line;
        }
        if (far && !asks)
            there = larger(there, waits_for(asked, c));
        asks |= far;
        there = in_first(s, &c->indexed, line, there, far ? miss : miss + behind);
    }
    if (asks)
        keep_asked(asked, c, there);
    return there + a->more;
}

static bool take(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct wanted *a, double t,
                 struct sm_done *out)
{
    double *queued = &c->constants[c->nconstants % SM_CONSTANTS_QUEUED], busy;
    const double from = larger(*queued, c->pipe[PIPE_ADU]);
    if (from > t) {
        *out = (struct sm_done){.result = from, .reason = STALL_MIO_THROTTLE};
        return false;
    }
    const double there = load(s, &w->asked, a, t, &busy);
    s->constants->free = larger(s->constants->free, t) + busy;
    s->used[PIPE_ADU] += busy;
    *queued = s->constants->free;
    c->nconstants++;
    c->pipe[PIPE_ADU] = t + s->machine->interval[PIPE_ADU];
    out->read = s->constants->free + 8;
    out->result = larger(s->constants->free - s->machine->constant_word, there) + s->machine->constant;
    out->reason = STALL_SHORT_SCOREBOARD;
    return true;
}

/* Of 64 bits one word more, however many lanes want different ones: what the corpus's uniform and scattered ones took. */
static double words_of(const struct replay_inst *i, double elements) { return elements + (i->count > 1); }

bool sm_constant_load(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
                      struct sm_done *out)
{
    if (!take(s, c, w, &(struct wanted){i->constant_line, 0, 1, words_of(i, 1), 0}, t, out))
        return false;
    out->result -= s->machine->constant_index; /* it is known where */
    return true;
}

bool sm_constant_access(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct item_access *a, double t,
                        struct sm_done *out)
{
    const double elements = a->passes ? a->passes : 1;
    const struct wanted wanted = {.first =
                                      constant_line(CONSTANT_VARIABLES, item_constant_first(a->sector) * CONSTANT_LINE),
                                  .span = item_constant_span(a->sector),
                                  .lines = a->lines ? a->lines : 1,
                                  .words = words_of(warp_inst(w), elements),
                                  .more = (elements - 1) * s->machine->constant_next};
    return take(s, c, w, &wanted, t, out);
}

bool sm_match(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
              struct sm_done *out)
{
    const struct machine *m = s->machine;
    const double values = i->site < w->func->nsites ? larger(w->func->shares[i->site].values, 1) : 1;
    const double next = m->constant_next + (i->count - 1) * m->match_next;
    if (!take(s, c, w, &(struct wanted){.words = values * i->count, .more = (values - 1) * next}, t, out))
        return false;
    out->result += m->match - m->constant + (i->count - 1) * m->match_wide;
    return true;
}
