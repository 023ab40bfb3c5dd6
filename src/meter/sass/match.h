/* match.h - machine blocks and the PTX blocks that they belong to: what counting (estimate_sass.c) and the replay's machine
 * code (meter/code/code_sass.c) both ask. */
#ifndef LS_METER_SASS_MATCH_H
#define LS_METER_SASS_MATCH_H

#include "base/vec.h"
#include "meter/rules.h"

enum { COPIES_MAX = 256 };

struct machine_block {
    u32 first, end; /* machine instructions */
    u32 owner;      /* PTX block, or IR_NO_BLOCK */
    bool anchored;
};

struct match {
    struct arena *mem;
    const struct ir_func *f;
    const struct sass_func *code;
    u32 first_line, nlines;
    u32 *site_of_line; /* 1 + site; 0: none */
    u32 *
        textures; /* by machine instruction: 1 + the site of a texture instruction; 0: it is none. NULL: there are none */
    VEC(struct machine_block) blocks;
    u8 *rare;    /* by machine block: rare.c */
    u32 *copies; /* of each PTX block */
};

/* In mem, whose recovery point is set. False: no instruction of code is f's. */
bool match_make(struct arena *mem, const struct ir_func *f, const struct sass_func *code, struct match *out);

/* 1 + the site of a machine instruction; 0: it is of another function or of none. */
u32 match_site(const struct match *m, u32 inst);
/* Machine instructions of no line of the kernel (the stack pointer, at its opening brace) are the block's first one's. Of
 * another function's line they are that function's, not ours: 0. */
u32 match_site_for(const struct match *m, const struct machine_block *b, u32 inst);

/* A guarded exit too: behind it, fewer warps go on. */
bool match_ends_block(const struct sass_inst *i);
bool match_falls_through(const struct match *m, const struct machine_block *b);
/* It is of the PTX block that owns the machine block. */
bool match_is_own(const struct match *m, const struct machine_block *b, u32 inst);
/* An atomic that one lane does for all of its warp. */
bool match_is_elected(const struct match *m, u32 inst);
/* It tells by its number how often its PTX block is there: a load, a store, a float operation. Of a site's. */
bool match_is_evidence(const struct match *m, u32 inst);
/* Some instruction of the machine block is its owner's, and tells that. */
bool match_has_evidence(const struct match *m, const struct machine_block *b);

/* ---- rare.c: what runs in rare cases only ---- */

/* Sets m->rare: slow paths of divisions and roots, and code for warps whose lanes came apart before a shuffle. Functions that ptxas brings along are
 * among them, also if they are called always: they are their callers' (match_callee). */
void match_find_rare(struct match *m);
/* A call that the PTX does not have, of a function that ptxas brings along. */
bool match_is_hidden_call(const struct match *m, u32 inst);
/* What such a call at inst runs: machine instructions first to end, branches and all. */
struct match_callee {
    u32 first, end;
};
struct match_callee match_callee(const struct match *m, u32 inst);
/* The machine block of an instruction; their number: there is none. */
u32 match_block_at(const struct match *m, i32 inst);

/* batches.c: sets `how` as ptxas made it. */
void batches_ask(const struct match *m, struct site_estimate *sites);

/* How often a site is in machine blocks of its own PTX block, by what it became there. Arrays are by site, from the PTX
 * block's first on. */
struct match_presence {
    u32 anchor, branch, small, any;
};
/* Adds an instruction of b, which has an owner, to the owner's sites. True: it tells where its block is. */
bool match_count(const struct match *m, const struct machine_block *b, u32 inst, struct match_presence *sites);
/* Copies of a PTX block: what most of its anchors and float operations say; where it has none and is a loop of its own, its
 * integer operations of 32 bits; else its branch. 0: nothing does. */
u32 match_said(const struct match *m, u32 block, const struct match_presence *sites);

#endif
