/* code.h - a function as machine instructions, as the replay of an SM runs them: in the hardware's own terms.
 *
 * A warp issues in order. What it waits for is said as machine code says it (compute capability 7.0 on): after an
 * instruction the next one of the warp issues `stall` cycles later at the earliest, which covers results of fixed latency;
 * an instruction whose latency varies counts up one of a warp's scoreboards until its result is there (`write_bar`), or until
 * its operands have been read (`read_bar`); and an instruction with a bit in `wait` does not issue while that scoreboard is
 * above zero.
 *
 * The engine says which PTX blocks a warp enters. So code is kept by PTX block: what machine code runs each time that
 * a warp enters it. Where ptxas unrolls a loop, one run of machine code is several entries: a block has one or more
 * programs, each for so many entries in a row (`copies`), the one with most copies first, the last one for 1. A block that has
 * no program of its own was predicated into the block before it: its instructions are in that block's programs, and its
 * accesses belong to them. What was moved out of a block that has a program of its own is told apart (`moved`).
 *
 * Makers: meter/code/code_sass.c from machine code, meter/code/estimate/code_estimate.c where no ptxas was asked. */
#ifndef LS_MODEL_REPLAY_CODE_H
#define LS_MODEL_REPLAY_CODE_H

#include "base/base.h"

/* Units of an SM's sub-partition, but for the last ones, of which the SM has one. */
enum replay_pipe {
    PIPE_NONE,     /* issue slot only */
    PIPE_FMA,      /* f32: FADD, FMUL, FFMA; IMAD too on some; 32 lanes a clock on Hopper */
    PIPE_FMAHEAVY, /* integer multiply-add: half of the fma pipe */
    PIPE_ALU,      /* integer, logic, comparisons, min/max, moves between: 16 lanes a clock */
    PIPE_FP16,     /* HADD2, HMUL2, HFMA2 */
    PIPE_FP16_MMA, /* HFMA2.MMA, which ptxas takes for every second one */
    PIPE_FP64,
    PIPE_XU,      /* MUFU, conversions between integer and float, popc, flo */
    PIPE_TENSOR,  /* HMMA, IMMA, DMMA */
    PIPE_UNIFORM, /* uniform datapath */
    PIPE_BRANCH,  /* BRA, BSSY, EXIT, CALL ...: the branch unit */
    PIPE_ADU,     /* barriers, indexed constants, matches */
    PIPE_LSU,     /* global, local, shared memory, shuffles */
    PIPE_TEX,
    PIPE_COUNT
};

enum replay_op {
    REPLAY_PLAIN,          /* its result is there `latency` cycles after the issue */
    REPLAY_MEMORY,         /* what it does to memory is in the warp's stream */
    REPLAY_BARRIER,        /* of the block; which, and how many come, is in the warp's stream */
    REPLAY_FENCE,          /* waits for the warp's stores and loads to be done */
    REPLAY_COPY_COMMIT,    /* the copies to shared memory so far are a group */
    REPLAY_COPY_WAIT,      /* until at most `count` groups are under way */
    REPLAY_PRODUCT,        /* of a warpgroup: done later; count: it closes a group */
    REPLAY_PRODUCT_COMMIT, /* the products so far are a group */
    REPLAY_PRODUCT_WAIT,   /* until at most `count` groups of products are under way */
    REPLAY_MATCH,          /* takes its unit for each value that some lane has; count: 32-bit words of a value */
    REPLAY_SLEEP,          /* for how long is in the warp's stream */
    REPLAY_EXIT,
};

/* Registers that ptxas keeps in local memory: the stream knows nothing of them. */
enum replay_spill { SPILL_NONE, SPILL_LOAD, SPILL_STORE };

/* What an instruction does to where a warp's lanes go on. */
enum replay_control {
    CONTROL_NONE,
    CONTROL_BRANCH, /* jumps, calls */
    CONTROL_RETURN,
    CONTROL_EXIT,
    CONTROL_BREAK, /* lanes will not come to the next join */
    CONTROL_JOIN,  /* lanes that came apart wait here for each other */
};

/* A barrier whose number is in a register is arrived at later: cycles, read off an H200's samples of team_barriers. */
enum { REPLAY_NUMBER_READ = 10 };

enum { REPLAY_BARS = 6, REPLAY_NO_BAR = 255, REPLAY_NO_REG = 255, REPLAY_WIDE_RESULT = 8, REPLAY_NO_SITE = UINT32_MAX };

struct replay_inst {
    u8 op;        /* enum replay_op */
    u8 pipe;      /* enum replay_pipe */
    u8 stall;     /* cycles, >= 1 */
    u8 latency;   /* PLAIN with a write_bar: cycles from the issue to its result; BARRIER: until it has arrived */
    u8 write_bar; /* 0..5, or REPLAY_NO_BAR */
    u8 read_bar;
    u8 wait;           /* bit k: scoreboard k */
    u8 copy;           /* MEMORY, BARRIER: of which of the program's entries the access is, from 0 */
    u16 interval;      /* cycles that it keeps its pipe of the sub-partition from the next one; 0: the pipe's own */
    u16 count;         /* COPY_WAIT, PRODUCT, PRODUCT_WAIT; of spilled registers, constants and MATCH 32-bit words */
    u8 wavefronts;     /* PRODUCT: of shared memory, the warp's own share */
    u8 regs[3];        /* that it reads of the register file, by place of the operand; REPLAY_NO_REG: none */
    u8 wide;           /* bit k: regs[k] is the first of two; REPLAY_WIDE_RESULT: IMAD.WIDE */
    u8 reuse;          /* bit k: regs[k] is kept for the warp's next instruction */
    u8 control;        /* enum replay_control */
    u8 spill;          /* enum replay_spill */
    bool empties_l1;   /* what L1 has is not read again */
    bool elected;      /* an atomic that one lane does for all of the warp */
    bool constant;     /* reads a constant bank at a known place, c[bank][at]; of MEMORY this does not count */
    u16 constant_line; /* which 64 bytes of the bank: constant_line(bank, at) */
    u32 site;          /* of the PTX function: which instruction it was made of; REPLAY_NO_SITE: none */
    u32 at;            /* where it stands in the function's machine code, in instructions: for the instruction cache */
};

/* What it does is told by items of the warp's stream. */
static inline bool replay_is_streamed(const struct replay_inst *i)
{
    return i->op == REPLAY_MEMORY || i->op == REPLAY_BARRIER || i->op == REPLAY_SLEEP;
}

/* 64 bytes of one of the first eight banks: parameters are in bank 0, __constant__ variables in bank 3. */
enum { CONSTANT_BANKS = 8, CONSTANT_LINE = 64, CONSTANT_BANK_LINES = 1024, CONSTANT_VARIABLES = 3 };

static inline u16 constant_line(u32 bank, u32 at)
{
    return (u16)(bank % CONSTANT_BANKS * CONSTANT_BANK_LINES + at / CONSTANT_LINE % CONSTANT_BANK_LINES);
}

struct replay_program {
    const struct replay_inst *insts;
    u32 n;
    u32 copies; /* entries of the block that one run stands for */
};

/* Where machine code does an access that is not in the program which runs when a warp comes to it. */
struct replay_moved {
    u32 up;    /* 1 + the block in whose programs it is done before the warp comes to it; 0: in none */
    bool down; /* in a program that the warp comes to later */
};

struct replay_code {
    struct replay_block {
        const struct replay_program *programs;
        u32 n; /* 0: it is a part of the block that a warp was in before */
    } *blocks; /* by PTX block of the function */
    u32 nblocks;
    const struct replay_moved *moved; /* by site; NULL: no access was moved */
    u32 ninsts;    /* machine instructions of the function, all blocks: what the instruction cache holds */
    u32 unknown;   /* instructions of the programs whose opcode no table has: they are taken for PIPE_ALU's */
    u32 registers; /* a thread, as estimated; of machine code 0 */
    bool machine;  /* of machine code, not estimated */
};

#endif
