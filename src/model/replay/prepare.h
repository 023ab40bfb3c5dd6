/* prepare.h - code as the replay steps through it: each program's instructions with a place for what its accesses cost. */
#ifndef LS_MODEL_REPLAY_PREPARE_H
#define LS_MODEL_REPLAY_PREPARE_H

#include "base/arena.h"
#include "model/replay/replay.h"

/* An instruction whose effect is in the stream. */
struct prepared_place {
    u32 site;
    u32 copy;
    bool ahead; /* it is done before a warp enters its block: the stream has it later */
};

struct prepared_program {
    const struct replay_inst *insts;
    const u32 *place; /* by instruction: 1 + the place of its access; 0: it has none */
    u32 n, copies;
    const struct prepared_place *places;
    u32 nplaces;
    bool ahead; /* some of them are */
};

/* The SM's caches of code take lines one after the other, and hold the last ones that they took. */
struct prepared_line {
    double there;  /* when it was in the first cache */
    u32 near, far; /* its number among the lines that the first and the second cache took, from 1; 0: not yet */
};

struct prepared {
    struct prepared_block {
        const struct prepared_program *programs;
        u32 n;
    } *blocks;
    u32 nblocks;
    const struct replay_moved *moved; /* by site; NULL: none is */
    u32 most_places;                  /* of a program */
    u32 nsites;
    float (*carry)[4];           /* by site: what dealing out its sectors has left over (load.c) */
    struct prepared_line *lines; /* of 128 bytes of code */
    u32 nlines;
};

enum { INSTS_A_LINE = 8, INST_BYTES = 16 };

struct prepared *prepare_code(struct arena *mem, const struct replay_code *code, u32 nsites);
/* As when the launch begins. */
void prepared_forget(struct prepared *p);

#endif
