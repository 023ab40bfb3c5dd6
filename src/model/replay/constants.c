/* constants.c - constant banks: operands of instructions, and loads.
 *
 *     operands ──► 2 KB ─┐
 *                        ├──► the second cache, in lines of 256 bytes ──► L2, DRAM
 *     LDC ───────► 2 KB ─┘
 *
 * A load gives a word every other cycle, whichever lanes want it: lanes at different words are one after the other. All numbers
 * are an H200's, measured by chains and by 8 loads side by side in 1 to 32 warps, at 1 KB to 64 KB, 1 to 32 words a warp. */
#include "model/replay/sm.h"

/* Parameters come with the launch; __constant__ variables and what the compiler keeps are in no cache when it begins. */
static double in_second(struct sm *s, u32 line, double t)
{
    const bool parameters = line < CONSTANT_BANK_LINES;
    double *there = &s->constants->second[parameters ? 0 : line / 4];
    if (*there <= 0)
        *there = t + (parameters ? s->machine->parameters : s->machine->constant_memory);
    return fmax(*there, t);
}

static bool holds(const struct sm *s, const struct sm_constant_cache *c, u32 line)
{
    return c->taken[line] && c->n - c->taken[line] < s->machine->constant_lines;
}

static double in_first(struct sm *s, struct sm_constant_cache *c, u32 line, double t, double miss)
{
    if (!holds(s, c, line)) {
        c->taken[line] = ++c->n;
        c->there[line] = in_second(s, line, t) + miss;
    }
    return fmax(c->there[line], t);
}

double sm_constant_operand(struct sm *s, const struct replay_inst *i, double t)
{
    return in_first(s, &s->constants->operands, i->constant_line, t, s->machine->operand_miss);
}

/* Words of so many lines, which are as far from each other. */
struct wanted {
    u32 first, span, lines, words;
};

/* Its words are looked up one after the other, and each miss holds up those behind it. */
static double load(struct sm *s, const struct wanted *a, double t, double *busy)
{
    const struct machine *m = s->machine;
    double there = t;
    *busy = a->words * m->constant_word;
    for (u32 k = 0; k < a->lines; k++) {
        const u32 line = a->first + (a->lines > 1 ? k * a->span / (a->lines - 1) : 0);
        *busy += holds(s, &s->constants->indexed, line) ? 0 : m->constant_fill;
        there = in_first(s, &s->constants->indexed, line, there, m->constant_l2 - m->constant);
    }
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
    return take(s, c, &(struct wanted){i->constant_line, 0, 1, 1}, t, out);
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
