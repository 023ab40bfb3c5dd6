/* rules.h - what the files of meter/ share among themselves: formulas, classes of accesses, and what is known of a
 * function before it runs. */
#ifndef LS_METER_RULES_H
#define LS_METER_RULES_H

#include "meter/meter.h"
#include "meter/sass/sass.h"

/* Why a number that addresses and masks give may still differ from the hardware's. */
enum {
    DOUBT_NONE = 0,
    DOUBT_SHARED_LD = 1, /* ptxas is expected to merge shared loads that ran */
    DOUBT_SHARED_ST = 2,
    DOUBT_SHARED_ATOM = 4, /* an atomic that ran is a loop in machine code */
    DOUBT_REGISTERS = 8,   /* no ptxas was asked */
    DOUBT_MACHINE = 32,    /* no ptxas was asked what it makes of each instruction */
    DOUBT_GLOBAL = 16,     /* a matrix instruction: ptxas decides how it goes through memory */
    DOUBT_NO_REPLAY = 64,  /* no SM was replayed: such a metric is not in the report */
};

u32 metric_doubts(enum metric_id id);
double metric_of_events(const u64 n[EVENT_COUNT], enum metric_id id);
double metric_of_launch(const struct meter_report *r, enum metric_id id);

/* Lines that several reports of a session have in common. Not to be shared between threads. */
struct meter_rows {
    struct arena mem;
    u32 owners;
    struct meter_line *lines;
    u32 n;
    struct meter_machine *machine;
    u32 nmachine;
    const char *machine_by;
};
void meter_rows_release(struct meter_rows *rows); /* NULL is allowed; the last owner's frees them */

/* What an access counts as. */
enum access_class {
    CLASS_GLD,
    CLASS_GST,
    CLASS_GATOM,
    CLASS_GRED,
    CLASS_LLD,
    CLASS_LST,
    CLASS_SLD,
    CLASS_SST,
    CLASS_SATOM,
    CLASS_CLD,
    CLASS_GASYNC, /* global memory to shared memory, past the registers: LDGSTS */
    CLASS_DLD,    /* shared memory of another block of the cluster */
    CLASS_DST,
    CLASS_DATOM,
    CLASS_TEX, /* this and what is behind it: texels.h */
    CLASS_SULD,
    CLASS_SUST,
    ACCESS_CLASSES,
    CLASS_NONE = 255, /* not counted: parameters, spaces that have no counter */
};
_Static_assert(CLASS_GLD == 0 && CLASS_GRED == 3 && CLASS_TEX + 3 == ACCESS_CLASSES,
               "global memory comes first, textures and surfaces last");

/* ---- estimate.c: what ptxas is expected to make of a function ---- */

enum branch_kind {
    BRANCH_NONE,
    BRANCH_MACHINE,    /* a branch or call that counts */
    BRANCH_PREDICATED, /* vanishes: its body is predicated */
    BRANCH_EXIT,       /* goes to a bare ret: an exit */
};

struct site_estimate {
    u8 weight;    /* machine instructions an execution */
    u8 branch;    /* enum branch_kind */
    u8 width;     /* shared loads and stores: bytes a lane of the merged access this one leads; 0 = alone */
    bool follows; /* it is part of an access that an earlier or later one leads */
    bool unused;  /* atomics: the result is not used */
    bool loops;   /* shared atomics: a loop of compare-and-swap */
    bool counts;  /* shared atomics: adds 1 and the result is not used: ATOMS.POPC.INC */
    bool async;   /* cp.async */
    bool kept;    /* local accesses: ptxas keeps what they name in registers */
    bool elected; /* global atomics: one lane does it for all of the warp, which name the same word */
    bool product; /* a sum of 64 bits that is one with a product of integers, or both halves of a product: IMAD.WIDE */
    u32 half_of;  /* 1 + the product before it that has its result, too, as the other half; 0: there is none */
    u32 reciprocal; /* of a division: 1 + the one that has made the reciprocal of its divisor; itself: that is in front of the loop; 0: it makes it */
    bool fused;     /* another instruction has become a part of it (fuse.c) */
    bool selects;   /* it is done under a predicate, or a sum, and another one under it (selects.c) */
    bool copy;      /* of a register or a constant, and ptxas keeps it (copies.c) */
    bool address;   /* it names a shared variable, whose address instructions make (shared_address.c) */
    u8 how; /* enum traffic_site; SITE_WITH_NEXT: a load, and the warp asks for the block's next one, too, before it waits */
    u8 event;     /* enum event_id: class of the instruction for the instruction mix */
    u8 flop;      /* enum event_id of its operation, or 0 */
    u8 flops;     /* how many of them a thread */
    u8 access;    /* enum event_id of its ..._inst counter, or 0 */
    u8 accesses;  /* memory accesses an execution */
    u8 products;  /* instructions of the tensor pipe an execution */
    bool aligned; /* the merged access begins at a multiple of its width */
    bool joins; /* branches: lanes that go different ways here meet at a BSYNC, which each part of the warp executes */
    u32 part;   /* where ptxas was asked: 1 + the first of its parts, 0 = it vanished */
};

/* Machine instructions of one kind that a PTX instruction became, and whose executions are theirs. */
struct site_part {
    u32 block, n, copies; /* n of them run together as often as the block does, shared among so many copies */
    u32 back;             /* a jump to that block, as often as it is entered by it; IR_NO_BLOCK */
    u32 next;             /* 1 + the site's next part, or 0 */
    u8 op;                /* enum sass_op */
    u8 bytes;             /* a lane, of each of them; SITE_PART_MIXED: they differ */
};
enum { SITE_PART_MIXED = 255 };

struct estimate {
    struct site_estimate *sites; /* by site */
    struct site_part *parts;     /* where ptxas was asked */
    u32 nparts;
    bool asked, unclear; /* unclear: some shared access was merged in a way that is not followed here */
    u32 *counts_as; /* by block: the block whose executions count for it: itself, or the branch's that predicates it */
};

/* Of func for a GPU of that compute capability, in mem (whose recovery point is set). code: what ptxas made of the
 * kernel that func is or is a part of; NULL: ptxas was not run. */
struct estimate *estimate_make(struct arena *mem, const struct ir_func *func, u32 cc_major,
                               const struct sass_func *code);
/* Puts what ptxas did in the place of what the rules say. */
void estimate_ask(struct arena *mem, const struct ir_func *func, const struct sass_func *code, struct estimate *e);

/* An access that acquires, or releases, for a cluster or wider what is not in shared memory: CCTL behind it empties L1, MEMBAR stands in
 * front of it. */
bool estimate_acquires(const struct ptx_inst *i);
bool estimate_releases(const struct ptx_inst *i);

/* An operation on doubles, or a move, with a constant of which the lower 32 bits are not 0: two instructions make that. */
bool estimate_has_wide_constant(const struct ptx_inst *i);

/* ---- branches.c ---- */

/* Sets branch and joins of the branches' sites, and counts_as; what is no machine branch has no weight. */
void estimate_branches(const struct ir_func *f, struct estimate *e);

/* ---- fuse.c ---- */

/* What is a part of another machine instruction has no weight. */
void estimate_fuse(struct arena *mem, const struct ir_func *f, u32 cc_major, struct site_estimate *sites);

/* ---- selects.c ---- */

/* Selections from what becomes a part of a sum, before sums are fused; and of results, behind that. */
void estimate_selected_sums(struct arena *mem, const struct ir_func *f, struct site_estimate *sites);
void estimate_selected_floats(struct arena *mem, const struct ir_func *f, struct site_estimate *sites);

/* ---- copies.c ---- */

/* Sets `copy`, and the weight, of copies of registers that ptxas is expected to keep, and of constants that need an instruction. */
void estimate_copies(struct arena *mem, const struct ir_func *f, struct site_estimate *sites);

/* ---- shared_address.c ---- */

/* The shared variable that i names, or NULL. */
const struct ptx_var *estimate_shared_variable(const struct ptx_inst *i);
/* The block in which the address that a site names is made: its own, or one in front of the loop. */
u32 estimate_shared_place(const struct ir_func *f, u32 site);
/* Sets `address`, and the weight with what makes it. */
void estimate_shared_addresses(struct arena *mem, const struct ir_func *f, u32 cc_major, struct site_estimate *sites);

/* ---- reciprocals.c ---- */

/* Sets `reciprocal` and the weight of divisions. */
void estimate_reciprocals(struct arena *mem, const struct ir_func *f, struct site_estimate *sites);

/* ---- merge.c ---- */

/* Sets width and follows of the shared accesses of func that ptxas can make wider. */
void estimate_merges(struct arena *mem, const struct ir_func *func, struct site_estimate *sites);

/* ---- batches.c ---- */

/* Sets `how` as the rules say. */
void estimate_batches(struct arena *mem, const struct ir_func *func, struct site_estimate *sites);

/* ---- ptxas.c ---- */

struct ptxas {
    const char *program; /* found on PATH if it has no slash; NULL: none is run */
    const char *tmp;     /* the folder of temporary files */
    bool words;          /* a disassembler is asked for the instructions' text, too */
};

/* Registers a thread of kernel as ptxas assigns them for sm_<sm>; 0 when there is no ptxas or it failed. *code: what it makes
 * of the kernel, or NULL; it lives as long as the process. */
u32 ptxas_ask(const struct ptxas *with, const char *ptx, size_t len, u32 sm, const char *kernel,
              const struct sass_func **code);

#endif
