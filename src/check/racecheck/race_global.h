/* race_global.h - what racecheck remembers of device memory. Internal.
 *
 * A *cell* of 16 bytes stands for 4 bytes of device memory: the last write and the last read, each a stamp
 *
 *     63 ... 36   35 .. 26   25 .. 22   21 .. 15   14       13     12 .. 0
 *     serial      thread     bytes      clock      strong   many   site (race_site.h), of its kernel
 *
 * A *serial* is a stretch of one block's time; blocks draw serials from the plane, in chunks of 8, whenever they touch
 * device memory for the first time behind a barrier of the whole block or a fence. Of a chunk the plane knows launch
 * and block, of a serial when a release made it known to other blocks. Serials are never given twice, so nothing is
 * cleared between launches. clock: of the thread's warp since the epoch began (block_order.h), 127: or more. many:
 * threads of other blocks have read it, too. strong: atomic, relaxed and the like (not volatile).
 *
 * Order between blocks, of one launch or of two that run at once. There is a clock of releases. A block releases when
 * one of its threads executes a fence of GPU or system scope (or a releasing access) and then one of them does a strong
 * write: to those of its serials that the fence covers this gives the release's time, and to the location, of which a
 * hashed table keeps the latest. A strong read takes the location's time for its block. What A did is ordered before
 * what B does if A's serial was released no later than what B has taken.
 *
 * This is too generous, never too strict: a time stands for all releases up to it, of whatever block; a fence counts
 * for all threads of its block, and so does what one of them takes; locations share entries of the table. So a missing
 * fence, a missing flag and a missing wait are found, and a flag that is read by the wrong block, or a fence in the
 * wrong thread, may be missed. */
#ifndef LS_CHECK_RACE_GLOBAL_H
#define LS_CHECK_RACE_GLOBAL_H

#include "base/vec.h"
#include "check/core/block_order.h"
#include "check/racecheck/race_site.h"

enum {
    G_SITE_BITS = 13,
    G_MANY = 13,
    G_STRONG = 14,
    G_CLOCK = 15,
    G_CLOCK_MOST = 127,
    G_BYTES = 22,
    G_THREAD = 26,
    G_SERIAL = 36,
    G_SERIAL_BITS = 28,
    G_CHUNK_BITS = 3
};
enum { RACE_LAUNCHES = 4096, RACE_HOST_OPS = 256, RACE_TIMES = 4096 };

struct race_cell {
    u64 wr, rd;
};

struct race_chunk {
    u32 launch, block, previous; /* previous: chunk of the same block, 0: none */
};

/* Where an instruction of a kernel is: copies, for when its module is gone. */
struct race_place {
    const char *function, *file, *ptx_file;
    u32 line, column, ptx_line;
    char ptx[96];
};

/* What launches of one kernel share. */
struct race_kernel {
    const struct ir_func *func; /* to be compared only */
    const char *name;
    struct race_sites *sites;
    struct race_place *places[(1 << G_SITE_BITS) / RACE_SITE_PART];
    u32 nplaces;
    struct race_kernel *next;
};

struct race_launch {
    u32 number; /* 1, 2, ...; its place in the plane's ring is that modulo RACE_LAUNCHES */
    u64 op, id, stream;
    struct race_kernel *kernel;
    u32 grid[3], block[3];
    u32 first;                         /* the first serial that it can have */
    u32 bound;                         /* serials below are ordered before it */
    u32 began, began_passes;           /* releases, and passes, so far when it began */
    bool host;                         /* some operation of the host's is in no order with it; atomic */
    struct race_launch *next;          /* of those that run; under the plane's lock */
    signed char before[RACE_LAUNCHES]; /* other launches: 1 ordered, -1 not, 0 not asked */
};

/* What stays of a launch. */
struct race_past {
    u32 number, first;
    u64 op, id, stream;
    struct race_kernel *kernel;
    u32 grid[3], block[3];
    bool all; /* all launches before it are ordered before it */
};

/* An operation of the host's on device memory. */
struct race_host_op {
    u64 lo, hi, op;
    bool write;
    struct host_call call;
};

struct race_plane {
    struct shadow cells;
    struct race_chunk *chunks;
    u32 *released; /* by serial: when, 0: not */
    u32 next_chunk, active;
    u32 now;               /* releases so far */
    u32 times[RACE_TIMES]; /* of locations, by a hash */
    u32 *passed;           /* by serial: when its reads were over for others, 0: not */
    u32 passes, pass_times[RACE_TIMES];
    pthread_mutex_t lock; /* of what follows */
    struct arena mem;
    struct race_kernel *kernels;
    struct race_past past[RACE_LAUNCHES];
    u32 nlaunches;
    struct race_launch *running;
    struct race_host_op ops[RACE_HOST_OPS];
    u32 nops; /* ever; the last RACE_HOST_OPS are kept */
};

/* One worker's. */
struct race_global {
    struct race_site_index index;
    struct race_launch *launch;
};

/* Bytes of device memory that a bulk copy of some thread will have written once its group is waited for. */
struct global_copy {
    u64 lo, hi;
    u32 group, site; /* site: of func */
    const struct ir_func *func;
    u8 warp, lane;
};
struct global_copies {
    VEC(struct global_copy) list;
    u64 lo, hi; /* all of them are in here */
    u32 committed[SYNC_WARPS][SYNC_LANES];
};

/* A block's, kept in sync_state. */
enum { RACE_RECENT = 32 };
struct race_block {
    u32 epoch, chunk, used;           /* used: serials of the chunk */
    u32 serial;                       /* now, 0: none drawn */
    u32 recent[RACE_RECENT], nrecent; /* earlier serials of this epoch */
    u32 fenced, released;             /* serials up to here are covered by a fence, were released */
    bool has_fenced;
    u32 time, taken; /* of its last release; what it has taken */
    bool has_taken;
    u32 over, passed;          /* serials up to here are of earlier epochs, were passed on */
    u32 pass_time, pass_taken; /* as time and taken */
    u64 linear;
    struct global_copies *copies; /* NULL: there were none */
};

/* ---- race_global_plane.c ---- */

bool race_plane_create(struct check *c);
void race_plane_destroy(struct check *c);
struct race_launch *race_launch_new(struct check *c, struct check_launch *l); /* NULL: no memory */
void race_launch_done(struct check *c, struct check_launch *l);
/* The launch of that number is ordered before x. */
bool race_launch_before(struct check *c, struct race_launch *x, u32 number);
bool race_op_text(struct check *c, u64 op, char *text, size_t n); /* what the operation is; false: forgotten */
const struct race_place *race_place_of(const struct race_kernel *k, u32 site);
void race_global_clear(struct check *c, u64 base, u64 size);

/* ---- race_global_order.c ---- */

/* The block's serial now, 0: there are none left. */
u32 race_serial(struct check_worker *w, struct sync_state *s, struct race_block *g);
void race_fence(struct race_block *g);
void race_strong(struct check_worker *w, const struct sync_state *s, struct race_block *g, u64 address, bool reads,
                 bool writes, u32 bytes);
/* A thread of another block, or of this: what the stamp says, a write or a read, is ordered before what (warp, lane)
 * does now. */
bool race_before(struct check_worker *w, const struct sync_state *s, const struct race_block *g, u64 stamp, bool wrote,
                 u32 warp, u32 lane);

/* ---- race_global_found.c ---- */

struct global_event {
    struct check_worker *w;
    struct sync_state *s;
    struct race_block *g;
    const struct exec_access *a;
    u32 flags;
    u64 me; /* stamp of lane 0 */
};

/* A close look at one lane's bytes in one cell: tells what is a hazard with the stamp. */
void race_global_look(const struct global_event *e, u32 lane, u64 address, u64 stamp, bool stamp_wrote);
/* The lane writes what its own block and others have read. */
void race_global_look_many(const struct global_event *e, u32 lane, u64 stamp);
void race_global_report_lanes(const struct global_event *e, u32 lane, u32 other);
void race_global_report_host(const struct global_event *e, u32 lane);
void race_global_report_copy(const struct global_event *e, u32 lane, const struct global_copy *x);

/* ---- race_global_copy.c ---- */

/* An access, and what is told of groups of bulk copies. */
void global_copies_access(const struct global_event *e);
void global_copies_order(struct check_worker *w, struct race_block *g, const struct exec_order *o);

/* ---- race_global_host.c ---- */

/* The host, a copy or a fill touched [address, address + size) as operation op. */
void race_global_host(struct check *c, u64 address, u64 size, bool write, u64 op, const struct host_call *call);
/* A copy that the host waits for counts as an access of the host's. */
bool race_host_waits(const struct host_call *call);
/* Who left the stamp (out is empty; its text goes to `text`), and the id of the launch. The plane has its launch. */
u64 race_describe(struct check *c, u64 stamp, bool wrote, struct party *out, char *text, size_t n);
/* The launch's accesses must be compared with operations of the host's. */
bool race_host_concerns(struct check *c, u64 op);
/* The first operation of the host's that touches the bytes in no order with op; false: none. */
bool race_host_conflict(struct check *c, u64 op, u64 address, u64 size, bool write, struct race_host_op *out);

static inline u32 stamp_serial(u64 s) { return (u32)(s >> G_SERIAL); }
static inline u32 stamp_thread(u64 s) { return (u32)(s >> G_THREAD) & 1023; }
static inline u32 stamp_bytes(u64 s) { return (u32)(s >> G_BYTES) & 15; }
static inline u32 stamp_number(u64 s) { return (u32)s & ((1u << G_SITE_BITS) - 1); }

#endif
