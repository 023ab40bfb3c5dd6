/* prepare.c - gives the accesses of each program their places (prepare.h). */
#include "model/replay/prepare.h"

#include <string.h>

static u32 count_places(const struct replay_program *p)
{
    u32 n = 0;
    for (u32 k = 0; k < p->n; k++)
        n += replay_is_streamed(&p->insts[k]);
    return n;
}

static bool is_ahead(const struct replay_code *code, u32 block, const struct replay_inst *i)
{
    return code->moved && i->op == REPLAY_MEMORY && code->moved[i->site].up == block + 1;
}

static struct prepared_program prepare_program(struct arena *mem, const struct replay_code *code, u32 block,
                                               const struct replay_program *p)
{
    struct prepared_place *places = arena_array(mem, struct prepared_place, count_places(p) + 1);
    u32 *place = arena_array(mem, u32, p->n + 1);
    struct prepared_program made = {.insts = p->insts, .place = place, .n = p->n, .copies = p->copies ? p->copies : 1};
    for (u32 k = 0; k < p->n; k++) {
        const struct replay_inst *i = &p->insts[k];
        if (!replay_is_streamed(i))
            continue;
        places[made.nplaces] = (struct prepared_place){i->site, i->copy, is_ahead(code, block, i)};
        made.ahead |= places[made.nplaces].ahead;
        place[k] = ++made.nplaces;
    }
    made.places = places;
    return made;
}

static struct prepared_block prepare_block(struct arena *mem, const struct replay_code *code, u32 block, u32 *most)
{
    const u32 n = code->blocks[block].n;
    struct prepared_program *programs = arena_array(mem, struct prepared_program, n + 1);
    for (u32 k = 0; k < n; k++) {
        programs[k] = prepare_program(mem, code, block, &code->blocks[block].programs[k]);
        *most = programs[k].nplaces > *most ? programs[k].nplaces : *most;
    }
    return (struct prepared_block){programs, n};
}

struct prepared *prepare_code(struct arena *mem, const struct replay_code *code, u32 nsites)
{
    struct prepared *p = arena_new(mem, struct prepared);
    p->nblocks = code->nblocks;
    p->moved = code->moved;
    p->blocks = arena_array(mem, struct prepared_block, code->nblocks + 1);
    for (u32 b = 0; b < code->nblocks; b++)
        p->blocks[b] = prepare_block(mem, code, b, &p->most_places);
    p->nlines = code->ninsts / INSTS_A_LINE + 1;
    p->lines = arena_array(mem, struct prepared_line, p->nlines);
    p->nsites = nsites;
    p->carry = arena_alloc(mem, sizeof *p->carry * (nsites + 1));
    prepared_forget(p);
    return p;
}

void prepared_forget(struct prepared *p)
{
    for (u32 k = 0; k < p->nlines; k++)
        p->lines[k] = (struct prepared_line){0};
    memset(p->carry, 0, sizeof *p->carry * p->nsites);
}
