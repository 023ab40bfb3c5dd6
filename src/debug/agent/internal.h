/* internal.h - what the files of the agent share. Internal to debug/agent.
 *
 * Vocabulary. A *stop* is a wish: where the launch is to stand still (a breakpoint, a watch, ...). A *position* is where it
 * stands: a tick and the warp that is about to run an instruction. *Travel* is going to another tick of the launch by
 * running it again from its beginning. Who *serves* answers requests: the thread of the launch while there is one, else
 * the wire's reader; agent.serving says whose turn it is. */
#ifndef LS_DEBUG_INTERNAL_H
#define LS_DEBUG_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "debug/agent/agent.h"
#include "debug/agent/condition.h"
#include "debug/agent/snapshot.h"
#include "debug/agent/wire.h"
#include "debug/agent/words.h"

/* ---- stops: stops.c ---- */

enum stop_kind {
    STOP_AT_INSTRUCTION,
    STOP_AT_ENTRY,
    STOP_AT_WATCH,
    STOP_AT_DIVERGENCE,
    STOP_AT_BANKS,
    STOP_AT_FINDING,
    STOP_AT_CALL
};

enum { PLACES_MOST = 4, WATCH_MOST = 64 };

struct stop {
    struct stop *next;
    u64 id;
    enum stop_kind kind;
    bool enabled, temporary;
    char *function; /* NULL: any */
    u32 index;
    json_t *expression; /* NULL: none */
    u64 ignore, hits;
    u64 block, warp; /* UINT64_MAX: any */
    u64 more;        /* banks: more passes than this */
    unsigned tools;  /* finding: whose */
    struct {         /* watch */
        u8 space;
        bool on_write; /* not only where the value changes */
        u32 size;
        u64 address, block, thread; /* shared, local: whose */
        const u8 *host;             /* of device memory: where it is, as of that epoch of the table of memory */
        u64 epoch;
    } watch;
    /* as resolved for the functions that have gates */
    struct stop_place {
        const struct ir_func *func;
        u32 site;
        struct condition *condition;
    } places[PLACES_MOST];
    u32 nplaces;
};

/* Flags of gates. */
enum { FLAG_BREAK = 1, FLAG_STORE = 2, FLAG_BRANCH = 4, FLAG_SHARED = 8, FLAG_FOUND = 16 };

/* NULL: why says what is wrong. */
struct stop *stop_make(const json_t *request, char why[200]);
void stop_free(struct stop *s);
/* It leaves the list and is freed; nothing has it any more. */
void stop_delete(struct stop *s);
/* Flags what the stops need of the functions that have gates. */
void stops_place(void);
void stops_forget(void); /* places: the gates are about to go */
bool stops_any(enum stop_kind kind);
bool stops_concern(const struct exec_launch *l); /* one may hold in the launch, or in what it launches */
json_t *stop_told(const struct stop *s);

/* A store whose effect is to be looked at before the next instruction. */
struct stored {
    bool on;
    u64 tick, block;
    u32 warp, site, mask;
    const struct ir_func *func;
    struct {
        const struct stop *stop;
        const u8 *at;
        u8 before[WATCH_MOST];
        u32 lanes; /* that write there; all that run if that is not known */
        bool known;
    } watched[8];
    u32 nwatched;
};

/* What a stop was found to be. */
struct hit {
    struct stop *stop;
    const char *reason;
    u64 tick;
    /* a watch */
    bool has_write;
    struct stored by;
    u32 which; /* of by.watched */
    u8 after[WATCH_MOST];
    u64 passes; /* banks */
    u32 lanes;  /* in which the condition holds, if there is one */
};

/* The stop is enabled, p is one of the blocks, warps and functions that it is for, and its condition holds there. */
bool stop_passes(struct stop *s, const struct gate_place *p);
static inline void hit_none(struct hit *h)
{
    h->stop = NULL; /* the rest, which is large, means something when a part of it is set */
    h->reason = NULL;
    h->has_write = false;
    h->passes = h->lanes = 0;
}

/* Before the instruction at p: keeps in *s what the watched memory holds, if the instruction may write it. */
void watch_before(struct stored *s, const struct gate_place *p);
/* Before the next one. */
bool watch_after(struct stored *s, struct hit *h);
/* The stops at p itself, but for watches. count: hits count, and those to be ignored are. */
bool stops_at(const struct gate_place *p, bool count, struct hit *h);

u32 active_lanes(const struct gate_place *p); /* that run the instruction: its predicate says so */
/* Passes of a shared access through the banks; 0: it is none. */
u32 bank_passes(const struct gate_place *p);

/* The bytes that a lane's access touches, as an address of that space; false: not known. */
bool lane_touches(const struct gate_place *p, u32 lane, enum ptx_space space, u64 *at, u64 *size);

/* ---- findings: findings.c ---- */

/* Somebody who did what a finding tells of: a thread of this launch at an instruction, or what is only told. */
struct found_party {
    bool is, placed, known; /* placed: the members below; known: the tick, too */
    const char *function;
    u32 line; /* of the PTX */
    u64 block, tick;
    u32 warp, lane;
};

struct found {
    json_t *told;
    unsigned tools;
    u64 launch, when, tick; /* when it was found; where the launch stops for it, UINT64_MAX: nowhere */
    u32 lanes;              /* of the party that acts there */
    u8 space;
    u64 address;
    u32 size; /* 0: no address */
    struct found_party party[2];
};

/* ---- the launch under way: launch.c, control.c ---- */

enum step_how { STEP_BY_INSTRUCTION, STEP_BY_LINE, STEP_BY_RANGES, STEP_OUT };

struct range {
    char *function;
    u32 first, end;
    u32 line; /* of lines: which; 0: none */
};

struct step {
    bool on, over;
    enum step_how how;
    u64 block, count;
    u32 warp, lanes, depth;
    const struct ir_func *func; /* the line's */
    u32 file, line;
    struct range *ranges;
    u32 nranges;
};

enum record { RECORD_NOTHING, RECORD_STOPS, RECORD_STEP, RECORD_OUT, RECORD_WRITE, RECORD_HISTORY };

struct travel {
    bool on;
    u64 target;
    u64 from;    /* what holds before this tick is not recorded, */
    u64 least;   /* nor looked for before this one */
    bool placed; /* so stops have flags from there on */
    enum record record;
    const char *reason; /* of the stop there */
    bool found;
    struct hit hit; /* the last one before the target */
    u32 lanes;      /* that the stop there is about; 0: any */
    struct step of; /* RECORD_STEP, RECORD_OUT: whose */
    u64 line_at;    /* the tick at which the line began that was run last, */
    bool has_line;
    const struct ir_func *line_func; /* and which it is */
    u32 line_file, line;
    struct stop *watched;    /* RECORD_WRITE */
    json_t *asked;           /* the request to be answered there, or NULL */
    bool go;                 /* RECORD_WRITE: there, and not only told of */
    struct history *history; /* RECORD_HISTORY; then, on the way back to the target, its answer */
};

struct debuggee {
    const struct exec_launch *root;
    const struct exec_launch *grid_launch; /* of the grid that runs, or NULL */
    u64 *ids;                              /* of its grids, in the order in which they run */
    u32 nids, ngrids;
    const struct grid *grid;
    struct gate_place place; /* if has_place */
    bool has_place, stopped, at_end;
    const struct exec_fault *fault;
    const char *no_return; /* why the launch cannot be run again, or NULL */
    bool back;             /* it is to be run again */
    bool entry;            /* a grid has just begun */
    u64 until;             /* a tick to stop at, or UINT64_MAX */
    struct step step;
    struct travel travel;
    struct stored stored;
    u64 timer_floor;
    u64 printed, seen; /* bytes of text: that the program has, and in this run */
    u64 begun, ended;  /* blocks of the grid */
    u64 *block_ticks;  /* the tick at which each of its blocks has begun in this run, */
    u64 nblock_ticks;  /* of those that there was memory for */
    u64 total;         /* ticks of the launch, once it has ended */
    struct found *found;
    u32 nfound, ntold; /* ntold: grids that the debugger knows of */
    bool looking;      /* findings.c runs it */
    bool strict;       /* as the checks want it: what lies behind an allocation is out of bounds */
    u64 faults_at;     /* the tick of the fault that ends it, or UINT64_MAX */
    u64 ticks_looked;  /* ticks of the launch as it was looked at; 0: not to its end */
};

struct agent_module {
    struct agent_module *next;
    const struct exec_module *module;
    u64 id;
};

enum keep { KEEP_ALL, KEEP_STOPS /* launches in which a stop may hold */, KEEP_NONE };

struct agent {
    struct agent_config config;
    atomic_bool ready; /* the wire is there */
    atomic_bool on;    /* and the debugger */
    struct wire *wire;
    pthread_mutex_t serving;
    bool stop_on_module, stop_at_end;
    enum keep keep;
    struct snapshot snapshot; /* of the launch under way, or of the last one */
    bool interrupted;
    pthread_mutex_t modules_lock;
    struct agent_module *modules;
    u64 next_module, next_stop;
    struct stop *stops;
    struct debuggee *run;       /* NULL: no launch is under way */
    bool stopped;               /* some thread stands still and serves */
    atomic_bool has_call_stops; /* some stop has been at calls */
    bool starting;              /* where CUDA starts */
    unsigned checks;            /* the tools that listen */
    u64 next_finding;
};

extern struct agent agent;

/* What becomes of the thread that stood still. */
enum answer { ANSWER_STAY, ANSWER_GO, ANSWER_BACK };

/* Tells of a stop and serves until the debugger says how to go on. False: the launch is to be run again. */
bool stand_still(json_t *told);
/* Serves what waits, without standing still. The caller has agent.serving. */
void serve_waiting(void);
void serve_waiting_alone(void); /* the same, if nobody has it */
/* The debugger has gone: nothing stops any more. */
void let_loose(void);

/* launch.c */
u64 id_of(struct debuggee *run, const struct exec_launch *l);
exec_run_one run_grid;
void rewind_all(struct debuggee *run); /* everything as it was before the first run */

/* findings.c */
void findings_look(struct debuggee *run, const struct exec_launch *l); /* before it runs */
void findings_drop(struct debuggee *run);
void findings_place(const struct debuggee *run, const struct ir_func *func);
bool findings_hold(const struct debuggee *run, u64 tick, unsigned tools, u32 *lanes);
void findings_tell(json_t *to, const struct debuggee *run, u64 tick);
bool findings_tools(const json_t *q, unsigned *tools, char why[200]); /* that the request names */

/* history.c: what is learnt of all that has happened by running it again */
struct history *history_costs(const json_t *q, char why[200]);
struct history *history_writers(const json_t *q, char why[200]); /* NULL: why */
const struct exec_hooks *history_begin(struct history *h, const struct exec_launch *l, bool strict);
void history_end(struct history *h);  /* of the grid */
void history_done(struct history *h); /* it has seen all */
void history_say(struct history *h, const json_t *asked);
void history_free(struct history *h);

/* control.c: the gates' owner */
bool control_at(void *ctx, const struct gate_place *p);
void control_fault(void *ctx, struct grid *g, const struct exec_fault *f);
/* The launch has ended. False: it is to be run again. */
bool control_end(void);
void control_alarm(void); /* when the next gate is to ask */
json_t *stop_event(const char *reason, const struct hit *h);

/* travel.c */
/* It asks about single instructions, which are then flagged. */
static inline bool travel_looks(const struct travel *t)
{
    return t->record != RECORD_NOTHING && t->record != RECORD_HISTORY;
}
bool travel_at(struct gate_place *p);
bool travel_end(void);              /* the launch has ended, or is about to by a fault: it goes no further */
void travel_done(struct travel *t); /* what it has is freed */
/* NULL: it has begun, and the launch is to be abandoned; else why it cannot be. */
const char *travel_begin(struct travel t);
u64 position(void); /* the tick at which the launch stands */

/* step.c */
bool step_made(struct step *s, const json_t *request, char why[200]);
void step_end(struct step *s);
/* Whether the step ends at p; *reason. */
bool step_at(struct step *s, const struct gate_place *p, const char **reason);
bool step_is_its(const struct step *s, const struct gate_place *p);
/* The line of a site as the request has it (`lines`), or else as .loc says. */
bool step_line(const struct step *s, const struct ir_func *func, u32 site, u32 *file, u32 *line);
/* The source line of a site: false: none is known. */
bool source_line(const struct ir_func *func, u32 site, u32 *file, u32 *line);

/* ---- requests: requests.c, inspect.c ---- */

enum answer answer(json_t *request);
void say_ok(const json_t *request, json_t *more);
void say_error(const json_t *request, const char *fmt, ...) LS_PRINTF(2, 3);

/* requests about the state: each answers and returns true, or *why says what is wrong */
typedef bool inspect_fn(const json_t *request, json_t *out, char why[200]);
inspect_fn inspect_where, inspect_blocks, inspect_warps, inspect_frames, inspect_registers, inspect_set_register,
    inspect_specials, inspect_read, inspect_write, inspect_evaluate, inspect_launch, inspect_allocations,
    inspect_modules, inspect_text, inspect_functions, inspect_instruction, inspect_variable, inspect_generic,
    inspect_findings, inspect_check, inspect_shared, inspect_returned;

/* Adds where a site is: function, index, PTX line, source, text. */
void tell_site(json_t *to, const struct ir_func *func, u32 site);
void tell_instruction(json_t *to, const struct ptx_module *m, const struct ptx_func *f, u32 index);
json_t *tell_dim(const u32 dim[3]);
void tell_launch(json_t *to, const struct exec_launch *l);

#endif
