/* constants.c - constant banks: operands of instructions, and loads.
 *
 *     operands ──► 2 KB ─┐
 *                        ├──► the second cache, in lines of 256 bytes ──► L2, DRAM
 *     LDC ───────► 2 KB ─┘
 *
 * A load gives a word every other cycle, whichever lanes want it: lanes at different words are one after the other. All numbers
 * are an H200's, measured by chains and by 8 loads side by side in 1 to 32 warps, at 1 KB to 64 KB, 1 to 32 words a warp. Four loads at
 * a time wait for what the second cache lacks. */
#include "model/replay/sm.h"

/* Where all SMs go through a table, some are ahead of others: those find it in L2. */
static double memory_cycles(const struct sm *s)
{
    return s->active > 1 ? s->machine->constant_shared : s->machine->constant_memory;
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
    return fmax(*there, t);
}

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
    return fmax(l->there, t);
}

double sm_constant_operand(struct sm *s, const struct replay_inst *i, double t)
{
    return in_first(s, &s->constants->operands, i->constant_line, t, s->machine->operand_miss);
}

/* Words of so many lines, which are as far from each other. */
struct wanted {
    u32 first, span, lines, words;
};

/* Neither cache has it at t. */
static bool is_far(struct sm *s, u32 line, double t)
{
    const double there = *second_of(s, line);
    return !holds(s, &s->constants->indexed, line) && (there <= 0 || there > t);
}

/* Its words are looked up one after the other, and each miss holds up those behind it. So many loads may have asked beyond the second
 * cache, the next one waits for them. */
static double load(struct sm *s, const struct wanted *a, double t, double *busy)
{
    const struct machine *m = s->machine;
    double there = t, *asked = &s->constants->asked[s->constants->nasked % SM_CONSTANTS_ASKED];
    bool asks = false;
    *busy = a->words * m->constant_word;
    for (u32 k = 0; k < a->lines; k++) {
        const u32 line = a->first + (a->lines > 1 ? k * a->span / (a->lines - 1) : 0);
        *busy += holds(s, &s->constants->indexed, line) ? 0 : m->constant_fill;
        if (!asks && is_far(s, line, there)) {
            asks = true;
            there = fmax(there, *asked);
        }
        there = in_first(s, &s->constants->indexed, line, there, m->constant_l2 - m->constant);
        if (asks)
            *asked = there;
    }
    s->constants->nasked += asks;
    return there + (a->words - 1) * m->constant_next;
}

static bool take(struct sm *s, struct sm_scheduler *c, const struct wanted *a, double t, struct sm_done *out)
{
    double *queued = &c->constants[c->nconstants % SM_CONSTANTS_QUEUED], busy;
    const double from = fmax(*queued, c->pipe[PIPE_ADU]);
    if (from > t) {
        *out = (struct sm_done){.result = from, .reason = STALL_MIO_THROTTLE};
        return false;
    }
    const double there = load(s, a, t, &busy);
    s->constants->free = fmax(s->constants->free, t) + busy;
    s->used[PIPE_ADU] += busy;
    *queued = s->constants->free;
    c->nconstants++;
    c->pipe[PIPE_ADU] = t + s->machine->interval[PIPE_ADU];
    out->read = s->constants->free + 8;
    out->result = fmax(s->constants->free - s->machine->constant_word, there) + s->machine->constant;
    out->reason = STALL_SHORT_SCOREBOARD;
    return true;
}

bool sm_constant_load(struct sm *s, struct sm_scheduler *c, const struct replay_inst *i, double t, struct sm_done *out)
{
    if (!take(s, c, &(struct wanted){i->constant_line, 0, 1, 1}, t, out))
        return false;
    out->result -= s->machine->constant_index; /* it is known where */
    return true;
}

bool sm_constant_access(struct sm *s, struct sm_scheduler *c, const struct item_access *a, double t,
                        struct sm_done *out)
{
    const struct wanted w = {.first = constant_line(CONSTANT_VARIABLES, item_constant_first(a->sector) * CONSTANT_LINE),
                             .span = item_constant_span(a->sector),
                             .lines = a->lines ? a->lines : 1,
                             .words = a->passes ? a->passes : 1};
    return take(s, c, &w, t, out);
}
