/* machine.h - an SM in numbers, as the replay needs it: cycles, and bytes a cycle. From the GPU's file; what it does not say
 * stands in machine.c with where it comes from. */
#ifndef LS_MODEL_REPLAY_MACHINE_H
#define LS_MODEL_REPLAY_MACHINE_H

#include "base/gpu.h"
#include "model/replay/code.h"

enum { MACHINE_SCHEDULERS = 4 };

struct machine {
    u32 schedulers;
    double interval[PIPE_COUNT]; /* cycles that a warp's instruction keeps its pipe of the sub-partition */
    /* from the issue to the result */
    double shared, way;    /* of shared memory; for each further wavefront */
    double load_wavefront; /* of a sub-partition, for each further wavefront of a load */
    double load_wavefront_back,
        load_word_back; /* its result's way back: for each of these, and for each further word of a lane */
    double l1, line;    /* for each further line */
    double l2, far, dram, texture, constant, atomic, shared_atomic;
    double dram_line;                                /* of DRAM, for each further line of an instruction */
    double dram_full;                                /* how much later DRAM answers when all of it is in use */
    double miss_line;                                /* cycles of the LSU for a line that L1 has to ask for */
    double lsu_cycles;                               /* of the SM for a memory instruction, at least */
    u32 loads_queued, stores_queued;                 /* memory instructions that a sub-partition's queue holds */
    double issue;                                    /* cycles of a sub-partition for a memory instruction, at least */
    double line_bytes;                               /* that L1 and shared memory give a cycle */
    double l2_sm, l2_all, l2_write_sm, l2_write_all; /* bytes a cycle */
    double dram_sm, dram_all;
    double host;              /* of the host's memory, over the link */
    double link_in, link_out; /* bytes a cycle that kernels read and write there */
    double dram_sector;       /* cycles of all of DRAM for a sector at a place of its own */
    double dram_apart;        /* the same of places far apart */
    double dram_write_sector; /* the same of a sector that is written */
    double dram_write_apart;
    double l2_read_apart; /* cycles of all of L2 for a sector that is read, of places far apart */
    double l2_write_line; /* cycles of all of L2 for a line of which something is written */
    double store_read;    /* cycles before it leaves the SM in which a store's operands are read: not earlier */
    double store_queue;   /* cycles of stores under way before issue stops */
    double read_same;     /* cycles of a slice of L2 for a sector that is read */
    double atomic_float;  /* the same of floats */
    /* constants */
    u32 constant_lines;           /* of 64 bytes that a first cache holds */
    double constant_l2;           /* a load's latency from the second cache */
    double constant_memory;       /* cycles until the second cache has what nobody asked for before */
    double constant_shared;       /* the same where other SMs ask for it too */
    double constant_index;        /* cycles that a load takes longer whose place is in a register */
    double parameters;            /* the same of a kernel's parameters */
    double operand_miss;          /* cycles until the operands' cache has a line of the second one */
    double constant_word;         /* cycles of the SM for a word that is loaded */
    double constant_fill;         /* and for a line that the first cache does not have */
    double constant_group;        /* SMs of a GPC, for each that works */
    double constant_group_fill;   /* cycles of the second cache, which a GPC's SMs share, for a line */
    double match, match_wide;     /* a match's latency, where all lanes have one value; of 64 bits more */
    double match_next;            /* of 64 bits: cycles more between the values */
    double constant_next;         /* cycles between the words of one load */
    double atomic_same;           /* cycles of L2 for an atomic at one place, after the one before */
    double atomic_all;            /* lanes of atomics a cycle at different places, all of L2 */
    double atomic_sector;         /* cycles of all of L2 for a sector of atomics */
    double product;               /* from a warpgroup's product's leaving its pipe until who waits for it goes on */
    double copy_issue;            /* from one bulk copy to the next */
    double copy_sm, copy_all;     /* bytes a cycle that bulk copies bring to an SM, and to all */
    double copy, copy_out;        /* of a bulk copy, more than the loads or stores that it is would take */
    double fence;                 /* of a fence, behind the accesses before it */
    double barrier, barrier_warp; /* from the last arrival's being counted until warps go on; to count one */
    double atomic_result;         /* the same where the result goes back */
    double swap;                  /* cycles from one compare-and-swap that changes a word to the next */
    double dram_write_back;       /* cycles of all of DRAM to take a sector at a place of its own */
    double atomic_line;           /* cycles of a slice for a sector of atomics, all words of a line */
    double slices;                /* of L2 */
    double leave;                 /* of a store, from the LSU out of the SM */
    double branch,
        branch_fetch;    /* of a taken branch: from its stall on until its target is known; from its issue on until
                                          the instruction there is */
    double branch_there; /* from then on, where lanes came apart */
    double join, exit;   /* where lanes join, and where some of them, or all, exit: as branch */
    double comes_back;   /* of a return: as branch */
    double join_late;    /* more, of lanes that waited for others and part again */
    double join_stall;   /* a join's issue and stall count */
    double change;       /* from lanes that wait to others: as branch, and besides */
    /* code, in lines of 128 bytes */
    u32 near_lines, far_lines; /* that the first and the second cache hold */
    u32 lines_ahead;           /* of a kernel that are in the second one when it begins */
    double fetch_first;        /* cycles until the first line of a launch */
    double fetch;              /* from a line to the next one, from the second cache */
    double fetch_l2, fetch_dram;
    double fetch_line;     /* cycles of the second cache for a line, whoever wants it */
    double block_start;    /* until a warp of a new block issues */
    double blocks_a_cycle; /* that the device starts */
    double hz;
    double launch_ns; /* of a kernel that does nothing */
};

/* `products`: of matrices, for which the clock is lower. */
struct machine machine_of(const struct gpu *g, bool products);

#endif
