/* sm.h - one SM and the warps that it holds. */
#ifndef LS_MODEL_REPLAY_SM_SM_H
#define LS_MODEL_REPLAY_SM_SM_H

#include <math.h>

#include "base/arena.h"
#include "base/larger.h"
#include "model/cache/l1/l1.h"
#include "model/replay/machine.h"
#include "model/replay/prepare.h"
#include "model/replay/replay.h"

enum {
    SM_WARPS_A_SCHEDULER = 64,
    SM_BARRIERS = 32,
    COPY_GROUPS = 16,
    SM_MBARRIERS = 64, /* of a block, that are counted */
    SM_ARRIVALS = 64,  /* of an mbarrier, whose times are kept */
    SM_QUEUE = 32,
    SM_TEXTURES_QUEUED =
        12, /* fetches that a sub-partition's queue holds: fitted on the stalls of whole kernels (texel-cases.csv) */
    SM_ATOMICS = 1024,
    EARLY_MOST = 256,
    AHEAD_MOST = 64,
    SM_ARRIVING_BITS = 12,  /* lines on their way */
    SM_CONSTANTS_ASKED = 4, /* loads of constants that wait for more than the second cache: tests/hw/h200/tables.csv */
    SM_CONSTANTS_SHARING = 32, /* SMs that share the second cache of constants, at most */
    SM_CONSTANTS_ASKED_GPC = SM_CONSTANTS_ASKED * SM_CONSTANTS_SHARING,
    SM_CONSTANTS_QUEUED = 8 /* loads of constants that a sub-partition's queue holds: read off stalls of random ones */
};

/* What the stream says of an access or a barrier. */
struct sm_cost {
    u64 item;         /* 0: no lane took part */
    const u64 *lines; /* the items of its lines */
    u32 nlines;
};

/* A line that L1 asked for. */
struct sm_arriving {
    u64 number;
    double at[CACHE_SECTORS]; /* when each sector is there */
};

/* Groups of copies or products of a warp that are closed, when each is done; and what none has been made of yet. */
struct sm_groups {
    double open, at[COPY_GROUPS];
    u32 n;
};

/* Arrivals so far; the last ones, when each and all before it had come. */
struct sm_mbarrier {
    u32 arrived;
    double at[SM_ARRIVALS];
};

/* Of the last loads of constants that the second cache lacked something of, when it is there: a ring. */
struct sm_asked {
    double when[SM_CONSTANTS_ASKED];
    u32 n;
};

/* A warp that the SM holds. Times are cycles since the SM began. */
struct sm_warp {
    /* where it is */
    const struct prepared_program *program;
    u32 pc;
    struct replay_func *func;
    const u64 *item, *last; /* what is left of its stream */
    struct sm_cost *costs;  /* by place of the program */
    struct sm_cost *early;  /* [EARLY_MOST] accesses that came before their program; NULL: there were none */
    u32 nearly;
    const u64 **ahead; /* accesses of the stream that were done before the warp came to them */
    u32 nahead;
    u32 held, index; /* its block; which of its warps it is */
    u32 lanes;       /* that run its program */
    u32 parted;      /* how often some of them went another way than the others since the program before began; */
    u32 late;        /* of these, lanes that had waited for others before */
    bool switched, resumed; /* it is run by lanes that waited while others ran; they have not parted since */
    bool there;
    double gone;  /* it is not there: when its slot was left; INFINITY: the slot is taken */
    u32 waits_at; /* 1 + the barrier; 0: it does not */
    /* until when the instruction at pc waits, and for what */
    double issued;                    /* the instruction before */
    double stalled;                   /* its stall count is over */
    double fetched;                   /* the instruction is there */
    struct prepared_line *line;       /* of code: the last one that it came to */
    double line_begun;                /* when it was there, and the warp too */
    double cleared;                   /* its scoreboards are down */
    double throttled;                 /* a queue or pipe has room */
    u8 cleared_by, throttled_by;      /* enum stall_reason */
    double resolved;                  /* a branch's target is known */
    u32 joined;                       /* joins that lanes came to which went another way, before the instruction */
    double before_taken, before_held; /* of its scheduler, when it came to the instruction: the pipe's, and all */
    struct replay_site *before[2];    /* of the instruction before: PTX, machine; NULL: it is not counted */
    /* what is under way */
    double bar[REPLAY_BARS];
    u8 bar_reason[REPLAY_BARS];
    double memory;  /* all loads and stores are done */
    double leaves;  /* all stores have left the SM */
    double swapped; /* the turn of its last compare-and-swap that changed memory, */
    u32 swapped_at; /* 1 + the sector; 0: it has been written again */
    struct sm_groups copies, products;
    struct sm_asked asked;
    u32 waits_for, waits_n; /* 1 + the mbarrier, and the arrivals that it waits for; 0: for none */
    u8 cached[3][2];        /* by place of the operand and bank: 1 + the register that is kept; 0: none */
};

struct sm_barrier {
    u32 arrived;
    double done; /* the last arrival is counted */
};

struct sm_held {
    const struct replay_block_stream *block; /* NULL: the place is free */
    u32 number;                              /* of the blocks that this SM runs */
    u32 running;                             /* warps that have not exited */
    double begun, gone;                      /* gone: when what its warps stored has left; the place was left */
    u32 *slots;                              /* [warps of a block] of those that are there; else nslots */
    struct sm_barrier barriers[SM_BARRIERS];
    struct sm_mbarrier *mbarriers; /* [SM_MBARRIERS]; NULL: nobody has arrived at any */
};

/* What L2 leaves this SM for atomics. */
struct sm_atomics {
    double pass, line;          /* cycles a sector where a slice is the limit; of whole lines */
    double pass_float;          /* where a word may be the limit */
    double sector, sector_read; /* cycles a sector, all of L2; where the result goes back */
    double write_back;          /* cycles of DRAM for a changed sector at a place of its own */
    double part;                /* of the slice that is wanted most: SMs for each that has it alone */
};

/* The queues of memory: when each is free again. */
struct sm_memory {
    double lsu, dram, atomics, texture;
    double l2_read, l2_write;     /* sectors from L2 and to it */
    double l2;                    /* lines of which L2 is asked for something or takes something in: one or the other */
    double dram_used, dram_asked; /* how much of DRAM was in use lately; when it was asked last */
    double link_in, link_out;     /* of the link to the host */
    double copies, copies_out;    /* the unit of bulk copies: the next one; what it sends */
    double atomics_port;          /* to the way out of the SM, which is free again at atomics_out */
    double atomics_out;
    double atomics_done; /* all of them, in L2 and in DRAM */
    double swaps;        /* the next compare-and-swap may succeed */
    u32 nswaps;          /* so far */
    double tries;        /* compare-and-swaps that failed, of those that did not take locks */
    double held, nheld;  /* cycles that locks were held; how many */
    /* of the last atomics: when each had left the SM, and when L2 had done it: rings */
    double left[SM_ATOMICS], done[SM_ATOMICS];
    u32 natomics;
};

/* A scheduler's warps, by place; INFINITY: it has nothing to issue. */
struct sm_scheduler {
    double when[SM_WARPS_A_SCHEDULER];
    double issued[SM_WARPS_A_SCHEDULER]; /* by place: its last instruction */
    u32 turn[SM_WARPS_A_SCHEDULER];      /* by place: the lowest goes first */
    u32 began;                           /* warps so far */
    u32 last_block, last_turn;           /* of the warp that began last */
    double free;                         /* when it may issue again */
    double next;                         /* the earliest of when, and not before free */
    u32 best;                            /* whose that is */
    u32 last;                            /* who issued last */
    double pipe[PIPE_COUNT];
    bool heavy;               /* the next instruction on floats takes the half that integers take too */
    double taken[PIPE_COUNT]; /* cycles so far in which what takes the pipe could not be issued */
    double told[PIPE_COUNT];  /* until when that is in them */
    double reads;             /* when the registers of what was issued are read */
    double held;              /* cycles so far in which nothing could be issued because of that */
    double lsu;               /* when its memory instructions are done */
    double queued[SM_QUEUE];  /* the last ones, when each was done: a ring */
    u32 nqueued;
    double textures[SM_TEXTURES_QUEUED]; /* the same of fetches from textures */
    u32 ntextures;
    double constants[SM_CONSTANTS_QUEUED]; /* the same of loads of constants */
    u32 nconstants;
};

/* A first cache of constants: it holds the last lines that it took. */
struct sm_constant_line {
    u32 taken; /* its number among them, from 1; 0: not yet */
    double there;
};

struct sm_constant_cache {
    struct sm_constant_line *banks[CONSTANT_BANKS]; /* [CONSTANT_BANK_LINES]; NULL: no line of it was taken */
    u32 n;
};

struct sm_constants {
    struct sm_constant_cache operands, indexed;
    double second[CONSTANT_BANKS * CONSTANT_BANK_LINES / 4]; /* when the second cache has 256 bytes; 0: nobody asked */
    double free;                                             /* when the next word can be loaded */
    double fill;    /* cycles of the SM for a line that the first cache lacks */
    double sharing; /* SMs that work of its GPC, which share the second cache */
    double
        scattered; /* lines of that among which blocks look at different places; 0: all at the same; -1: not known yet */
    u32 missed;    /* the last line that the first cache of loads lacked */
    u32 nfar;      /* lines that this SM was the first to ask for */
    double asked[SM_CONSTANTS_ASKED_GPC]; /* as of a warp, of the SM: a ring */
    u32 nasked;
};

/* Where the sectors of an access are: in whole lines; a line of its own for each, one behind the other; or lines far apart. */
enum sm_places { PLACES_WHOLE, PLACES_STRIDED, PLACES_APART, PLACES };

struct sm {
    struct arena *mem; /* for the time of the replay: what few launches need is made when it is needed */
    const struct machine *machine;
    const struct replay_launch *launch;
    double active;                              /* SMs that work */
    double read_share, past_share, write_share; /* of L2: cycles a sector */
    double copy_share,
        l2_share; /* of what bulk copies read: the SM's own; where L2 is the limit, and of lines that are read */
    struct sm_atomics atomics;
    double dram_read[PLACES], dram_write[PLACES]; /* cycles a sector */
    double apart_share, line_share; /* of L2: cycles a sector that is read far apart; a line that is written */
    double fill_share; /* the same for a sector that DRAM sends: L2 takes it in as it takes what is written */
    double link_in_share, link_out_share; /* of the link: the same */
    struct sm_scheduler schedulers[MACHINE_SCHEDULERS];
    bool counts;           /* what instructions waited for is added to their sites */
    u32 places;            /* of warps a scheduler */
    struct sm_warp *warps; /* [nslots]: those of a scheduler are as far apart as there are schedulers */
    u32 nslots, nfree;
    struct sm_held *held; /* [nplaces] */
    u32 nplaces;
    u32 turn; /* the scheduler that has the first warp of the next block: of blocks whose warps are the same for all, any one */
    struct sm_memory memory;
    struct sm_constants *constants;
    struct cache l1;
    struct sm_arriving *arriving; /* [1 << SM_ARRIVING_BITS], by a hash of the line; NULL: none is */
    double barriers;              /* when the unit that counts arrivals is free */
    u32 near_lines, far_lines;    /* of code that the first and the second cache took */
    double code;                  /* when the second cache may send the next line */
    /* what came out */
    double started; /* when the last block began */
    double used
        [PIPE_COUNT]; /* cycles that units were used: of all sub-partitions; of the SM's own LSU, textures and constants (ADU) */
    double came, left; /* sectors that L1 took in, and that left the SM */
    double present;    /* warps x cycles */
    double issued;
    double stalls[STALL_COUNT];
};

/* Of an access: when its result is there, when its operands have been read, and for what a warp that needs it waits. */
struct sm_done {
    double result, read;
    u8 reason; /* enum stall_reason */
};
/* memory.c: w does the access at time t. False: there is no room; then result is when there will be, and reason why. */
bool sm_access(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct sm_cost *cost, double t,
               struct sm_done *out);
/* Takes a queue for so many cycles, from t on at the earliest: when it is done. */
double sm_take(double *queue, double t, double cycles);
/* The same of DRAM, which answers later the more of it is in use. */
double sm_take_dram(struct sm *s, double t, double cycles);
/* The same of what DRAM sends, which L2 takes in on the way that writes take, too. */
double sm_read_dram(struct sm *s, double t, double sectors, double cycles);
/* load.c: when the result of a load that L1 is asked for at t is there. */
double sm_load(struct sm *s, struct sm_warp *w, const struct sm_cost *cost, const struct item_access *a, double t);
/* What a store writes is in L1 too. */
void sm_store_through(struct sm *s, const struct sm_cost *cost);
enum sm_places sm_places_of(const struct item_access *a, const struct sm_cost *cost);
/* Cycles of DRAM for sectors in so many lines; share: of a sector, by places (dram_read, dram_write). */
double sm_dram_cycles(const double *share, enum sm_places places, double sectors, double lines);
/* Sectors of so many lines leave the SM, and L2 takes them in: when both is done. */
double sm_write_l2(struct sm *s, double t, double sectors, double lines);
/* Its sectors are in lines of their own: DRAM moves more than is asked for. */
bool sm_is_scattered(const struct item_access *a);
/* Its scheduler's queue has room for a memory instruction from then on; `stores` need more of it. */
double sm_queue_room(const struct sm *s, const struct sm_scheduler *c, bool stores);
/* Takes the LSU for so many passes: when they are done; the last one comes so many cycles later than if it were alone. */
double sm_take_lsu(struct sm *s, struct sm_scheduler *c, double t, double passes, double more);

/* A store or atomic of w at time t: if it is where w's last compare-and-swap was, that was a lock, which is let go. */
void sm_let_go(struct sm *s, struct sm_warp *w, const struct item_access *a, double t);
/* atomics.c: what the other SMs leave of L2, of which so many work. */
struct sm_atomics sm_atomic_shares(const struct machine *m, const struct replay_launch *l, double active);
/* w does an atomic on global memory, which the LSU has passed on at time t: when its result is there. */
double sm_atomic(struct sm *s, struct sm_warp *w, const struct item_access *a, double t);
/* constants.c */
void sm_constants_begin(struct sm *s);
/* When an operand of a constant bank can be read; and loads, as sm_access. */
double sm_constant_operand(struct sm *s, const struct replay_inst *i, double t);
bool sm_constant_load(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
                      struct sm_done *out);
bool sm_constant_access(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct item_access *a, double t,
                        struct sm_done *out);
/* The unit that goes through constants for lanes goes through lanes' values too. */
bool sm_match(struct sm *s, struct sm_scheduler *c, struct sm_warp *w, const struct replay_inst *i, double t,
              struct sm_done *out);
/* async.c: w issues a bulk copy, or arrives at an mbarrier. */
void sm_async(struct sm *s, struct sm_warp *w, u64 item, double t);
/* So many have arrived at the mbarrier; *t: when. */
bool sm_arrived(const struct sm_held *h, u32 slot, u32 n, double *t);
void sm_close_group(struct sm_groups *g);
/* fetch.c: when the SM has the code at `at` for w. */
double sm_fetch(struct sm *s, struct sm_warp *w, u32 at, double t);

#endif
