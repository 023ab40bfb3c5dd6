/* prepare.h - code as the replay steps through it: each program's instructions with a place for what its accesses cost. */
#ifndef LS_MODEL_REPLAY_PREPARE_H
#define LS_MODEL_REPLAY_PREPARE_H

#include "base/arena.h"
#include "model/replay/replay.h"

/* An instruction whose effect is in the stream. */
struct prepared_place {
    u32 site;
    u32 copy;
};

struct prepared_program {
    const struct replay_inst *insts;
    const u32 *place; /* by instruction: 1 + the place of its access; 0: it has none */
    u32 n, copies;
    const struct prepared_place *places;
    u32 nplaces;
};

struct prepared {
    struct prepared_block {
        const struct prepared_program *programs;
        u32 n;
    } *blocks;
    u32 nblocks;
    u32 most_places; /* of a program */
    u32 nsites;
    float (*carry)[3]; /* by site: what dealing out its sectors has left over (load.c) */
    double *fetched;   /* by line of 128 bytes of code: when the SM has it; < 0: nobody asked */
    u32 nlines;
};

enum { INSTS_A_LINE = 8 };

struct prepared *prepare_code(struct arena *mem, const struct replay_code *code, u32 nsites);
/* As when the launch begins. */
void prepared_forget(struct prepared *p);

#endif
