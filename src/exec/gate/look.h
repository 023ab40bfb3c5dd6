/* look.h - a launch that stands still, as a debugger sees it: blocks, warps, splits, frames, registers, memory. What is
 * returned is valid until the launch goes on. Only where a gate's owner is called (gate.h). */
#ifndef LS_EXEC_GATE_LOOK_H
#define LS_EXEC_GATE_LOOK_H

#include "exec/gate/gate.h"

struct block;
struct frame;

/* What some lanes of a warp do. */
enum look_state {
    LOOK_RUNS,    /* they are where the launch stopped */
    LOOK_READY,   /* their turn will come */
    LOOK_BARRIER, /* wait at a barrier of the block */
    LOOK_SYNC,    /* wait at a warp-wide operation for other lanes */
    LOOK_JOIN,    /* have parted from others, and wait for them */
};

struct look_split {
    enum look_state state;
    u32 mask;
    const struct frame *frame;
    const struct ir_func *func;
    u32 site; /* what they run next, or wait at */
    u8 barrier;
};

struct look_frame {
    const struct frame *frame;
    const struct ir_func *func;
    u32 site; /* the innermost: what runs next; others: the call */
    u32 lanes;
};

/* The block that runs; NULL: none (a fault of the whole grid). */
const struct block *look_block_of(const struct warp *w);
/* A block that is resident in w's grid: it runs, or was put aside. NULL: it has ended or has not begun. */
const struct block *look_block(const struct grid *g, const struct warp *running, u64 linear);
/* Calls fn for each of them. */
void look_blocks(const struct grid *g, const struct warp *running,
                 void (*fn)(void *ctx, const struct exec_block_info *b), void *ctx);
const struct exec_block_info *look_info(const struct block *b);
const struct grid *look_grid(const struct warp *w);
const struct exec_launch *look_launch(const struct grid *g);
const struct warp *look_warp(const struct block *b, u32 warp); /* NULL: the block has not that many */
u32 look_warp_index(const struct warp *w);
u32 look_mask(const struct warp *w);  /* of the running split */
u32 look_depth(const struct warp *w); /* of the running frame: how many calls it is under */
u32 look_frame_depth(const struct frame *f);
u32 look_exited(const struct warp *w); /* lanes that have ended, or never were */

/* The warp's splits, and the lanes that wait at joins; at most 32 and 32. place: of the running one. */
enum { LOOK_SPLITS = 2 * IR_LANES };
u32 look_splits(const struct warp *w, const struct gate_place *place, struct look_split out[LOOK_SPLITS]);
/* The frames of a lane, from the innermost; at most n. 0: the lane has exited. */
u32 look_frames(const struct warp *w, const struct gate_place *place, unsigned lane, struct look_frame *out, u32 n);

/* Where the register of that index lies: 32 lanes of `bytes`, or a mask if bytes is 0. NULL: no instruction names it. */
void *look_register(const struct frame *f, u32 index, u32 *bytes);
const struct frame *look_frame_of(const struct warp *w); /* the running one */

/* A special register's value in 32 lanes, of 4 or 8 bytes as its type says (frame.c, which fills slots with them). at: 256
 * bytes, aligned as slots are. False: it has none while nothing runs (clocks), or is not provided. */
bool look_special(const struct warp *w, enum ptx_sreg sreg, unsigned axis, u8 *at);

/* A variable of the frame's function, or of its module, by its name: its space, its address there, its size. */
bool look_variable(const struct warp *w, const struct frame *f, const char *name, enum ptx_space *space, u64 *address,
                   u64 *size);

/* What the call in front of that site has returned to the lane, which has done nothing since; and whose it is. False: there
 * is no such call, it is one by pointer, or its function returns nothing. */
bool look_returned(const struct frame *f, u32 site, unsigned lane, const u8 **at, u64 *size, const char **function);

/* An address of a space as generic pointers of the warp's threads have it. */
u64 look_generic(const struct warp *w, enum ptx_space space, u64 address);
/* The offset in the memory of its space that an address of shared, local or generic memory means. */
u64 look_offset(struct mem *mem, const struct warp *w, enum ptx_space space, u64 address);

/* Where memory of a space is; the bytes that may be touched from there on, up to size; 0: why says what is wrong.
 * SPACE_LOCAL and SPACE_PARAM are the lane's own in that frame. w and f may be NULL for global memory. */
u64 look_memory(struct mem *mem, const struct warp *w, const struct frame *f, unsigned lane, enum ptx_space space,
                u64 address, u64 size, bool write, u8 **at, const char **why);

/* Memory that may be read around an address: in lane L the byte of address a, lo <= a < hi, is at base + L * stride +
 * (a - lo). False: nothing is there, or it is of parameters. */
struct look_span {
    u64 lo, hi, stride;
    const u8 *base;
    bool stays; /* until the launch ends, and in all of its warps */
};
bool look_span(struct mem *mem, const struct warp *w, enum ptx_space space, u64 address, struct look_span *out);

#endif
