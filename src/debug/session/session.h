/* session.h - a debugging session as its front ends see it: one program under the agent (docs/debug.md), with symbols.
 *
 * The command line and the editor's protocol stand on this. Requests are made and answered in turn, events come between
 * them; one thread. What returns false has said why in session_error: a sentence. Nothing prints, nothing exits.
 *
 *     s = session_new();
 *     session_break(s, &(struct session_breakpoint_spec){.place = "reduce.cu:40", .condition = "i == 3"}, &b);
 *     session_start(s, spawn, ctx);                            spawn starts the program with LOCKSTEP_DEBUG
 *     session_continue(s, false);
 *     while (session_wait(s, -1, &event))                      stops, what kernels print, ends
 *         ...
 *
 * Vocabulary. A *stop* is the launch standing still; there the session has a *focus*: block, warp, lane and frame, which
 * all that is asked means unless it says otherwise. A *breakpoint* is what the user made, with a number; in the agent it
 * is one stop for each place, or none while no module has it (pending). Frames count from the innermost, inlined ones too.
 *
 * Memory: what is given out lives until the launch goes on (session_memory), modules and their symbols as long as the
 * session. */
#ifndef LS_DEBUG_SESSION_H
#define LS_DEBUG_SESSION_H

#include <jansson.h>
#include <sys/types.h>

#include "debug/info/expression.h"

struct session;

struct session *session_new(void); /* NULL: no memory */
/* Kills the program if it is still there. */
void session_end(struct session *s);
const char *session_error(const struct session *s);
struct arena *session_memory(struct session *s); /* for what is asked at a stop; emptied when the launch goes on */
/* Memory that runs out goes to this recovery point (base/arena.h), which the front end sets once, in its main loop. */
jmp_buf *session_recovery(struct session *s);
/* Set by a handler of Ctrl-C: what waits then interrupts the launch, and clears it. */
void session_interruptible(struct session *s, volatile int *flag);

/* ---- the program ---- */

/* Starts the program with LOCKSTEP_DEBUG=`debug`, the number of an open descriptor that it inherits. False: it could not. */
typedef bool session_spawn(void *ctx, const char *debug, pid_t *pid);

/* It runs then; SESSION_BEGUN follows where CUDA starts, or its end if it does not use CUDA. */
bool session_start(struct session *s, session_spawn *spawn, void *ctx);
bool session_detach(struct session *s); /* the program goes on alone */
void session_kill(struct session *s);

enum session_state {
    SESSION_NONE,    /* no program */
    SESSION_WAITING, /* the program waits where CUDA starts: it has not been let go yet */
    SESSION_RUNNING,
    SESSION_STOPPED, /* in a launch */
};

enum session_state session_state(const struct session *s);
pid_t session_pid(const struct session *s);
const json_t *session_hello(const struct session *s); /* the agent's hello: devices; NULL: none */

/* ---- events ---- */

enum session_event_kind {
    SESSION_TIMEOUT,    /* or Ctrl-C while it runs code of the host: it stops at its next launch */
    SESSION_BEGUN,      /* the program waits where CUDA starts: session_continue lets it go */
    SESSION_STOP,       /* session_where; the focus has been set */
    SESSION_PRINT,      /* text */
    SESSION_LAUNCH,     /* message: the agent's */
    SESSION_LAUNCH_END, /* likewise */
    SESSION_MODULE,     /* module */
    SESSION_RESOLVED,   /* breakpoint: it was pending and now has places */
    SESSION_FINDING,    /* of the host's: message, for session_finding_read */
    SESSION_WARNING,    /* text */
    SESSION_EXITED,     /* the program has ended: status, of waitpid */
};

struct session_event {
    enum session_event_kind kind;
    const json_t *message; /* what the agent sent, or NULL; until the next call */
    const char *text;
    u32 number; /* of the module, breakpoint */
    int status;
    bool reaped; /* status is known */
};

/* The next event. timeout in milliseconds, -1: none. False: there is no program. */
bool session_wait(struct session *s, int timeout, struct session_event *e);
int session_descriptor(
    const struct session *s); /* to poll beside others: readable when session_wait has something; -1 */
bool session_interrupt(struct session *s);

/* ---- where it stands ---- */

struct session_stop {
    const char *reason; /* the agent's: breakpoint, watch, step, fault, ... */
    u32 breakpoint;     /* the session's number; 0: none */
    u64 tick, launch;
    const char *kernel; /* as in the source */
    bool in_warp;       /* a warp is about to run an instruction, so there is a focus */
    u64 block;          /* the warp that runs */
    u32 warp, mask, active;
    struct debug_place at;
    const char *before, *after; /* of a watch: its value; NULL: none */
    const char *warning;        /* why a condition could not be evaluated, or NULL */
    const json_t *message;
};

const struct session_stop *session_where(const struct session *s); /* NULL: it runs */

struct session_focus {
    u64 block; /* number */
    u32 id[3]; /* its index */
    u32 warp, lane;
    u32 thread[3]; /* threadIdx */
    u32 frame;
};

const struct session_focus *session_focus(const struct session *s);
bool session_focus_warp(struct session *s, u64 block, u32 warp, u32 lane);             /* lane: or the first live one */
bool session_focus_thread(struct session *s, const u32 block[3], const u32 thread[3]); /* NULL: as it is */
bool session_focus_frame(struct session *s, u32 frame);

struct session_launch {
    u64 id, parent;
    const char *kernel;
    u32 grid[3], block[3];
    u64 dynamic_shared, begun, ended; /* bytes; blocks */
    u32 depth;
};

bool session_launch(struct session *s, struct session_launch *out);

struct session_block {
    u64 number;
    u32 id[3], sm, warps;
};

bool session_blocks(struct session *s, const struct session_block **out, u32 *n); /* resident ones */

struct session_split {
    const char *state; /* runs, ready, barrier, sync, join */
    u32 mask;
    struct debug_place at;
    const char *function; /* as in the source */
    struct debug_line line;
};

struct session_warp {
    u32 number, exited, nsplits;
    u32 threads; /* lanes that there are: of the last warp fewer */
    const struct session_split *splits;
};

bool session_warps(struct session *s, u64 block, const struct session_warp **out, u32 *n);

/* At a stop in front of a call: its name, and return addresses, innermost first, by file and offset. NULL: it is none. */
struct session_host_frame {
    const char *module;
    u64 offset;
};
const char *session_host_call(struct session *s, const struct session_host_frame **out, u32 *n);

struct session_frame {
    u32 call;   /* the agent's frame */
    u32 inside; /* of debug_frames there */
    const char *function;
    bool inlined;
    struct debug_line line;
    struct debug_place at;
    u32 lanes;
};

bool session_frames(struct session *s, const struct session_frame **out, u32 *n); /* of the focus */
/* Of another thread of the focus's launch. */
bool session_frames_of(struct session *s, u64 block, u32 warp, u32 lane, const struct session_frame **out, u32 *n);

/* ---- symbols ---- */

struct session_module {
    u32 number, unit; /* the agent's */
    struct ptx_module *ptx;
    struct debug_info *info;
    bool gone;
};

u32 session_modules(const struct session *s, const struct session_module *const **out);
const struct session_module *session_module_here(const struct session *s); /* of the launch, or NULL */
/* A file as .loc names it, to one that can be opened: it, or in the folder of the program. NULL: none. */
const char *session_source(struct session *s, const char *file);

/* ---- breakpoints ---- */

enum session_breakpoint_kind {
    SESSION_AT_PLACE, /* FILE:LINE, LINE, FUNCTION, *FUNCTION+INDEX */
    SESSION_AT_ENTRY, /* of kernels; place: one kernel, or NULL */
    SESSION_AT_WATCH, /* place: an expression, which is evaluated now */
    SESSION_AT_DIVERGENCE,
    SESSION_AT_BANKS, /* more */
    SESSION_AT_FINDING, /* place: tools of `lockstep check`, with commas, or NULL: the four of compute-sanitizer. Pending until
                           the program is started: the tools listen from its beginning */
    SESSION_AT_CALL,
};

/* SESSION_AT_CALL: in front of a call of CUDA's API that the program makes; place: its name, "cudaLaunch*", or NULL: any. No
 * launch is under way there; session_host_call says from where it is called. */
struct session_breakpoint_spec {
    enum session_breakpoint_kind kind;
    const char *place;        /* copied */
    const char *condition;    /* NULL: none */
    bool temporary, on_write; /* watch: also a write of the same value */
    u32 ignore;
    u32 more;
};

struct session_breakpoint {
    u32 number;
    struct session_breakpoint_spec spec;
    bool enabled, pending;
    bool slow; /* its condition is evaluated here, at each hit */
    u64 hits;
    u32 nplaces;
    const struct session_breakpoint_place {
        const char *function;
        struct debug_line line;
        struct debug_place at;
        u64 stop; /* the agent's */
    } *places;
    u64 address, size;             /* watch */
    const struct debug_type *type; /* watch */
};

bool session_break(struct session *s, const struct session_breakpoint_spec *spec, u32 *number);
bool session_delete(struct session *s, u32 number);
bool session_enable(struct session *s, u32 number, bool on);
bool session_ignore(struct session *s, u32 number, u32 hits);
bool session_condition(struct session *s, u32 number, const char *condition); /* NULL: none */
const struct session_breakpoint *session_breakpoint(const struct session *s, u32 number);
u32 session_breakpoints(const struct session *s, const struct session_breakpoint *const **out); /* by number */
/* Launches stop where they end, too: one can go back from there. */
bool session_stop_at_end(struct session *s, bool on);

/* ---- going on; a SESSION_STOP follows ---- */

bool session_continue(struct session *s, bool backwards);

enum session_step {
    SESSION_STEP,             /* to another line, into functions */
    SESSION_NEXT,             /* over them, inlined ones too */
    SESSION_STEP_INSTRUCTION, /* of PTX */
    SESSION_NEXT_INSTRUCTION,
    SESSION_FINISH, /* out of the focus's function */
};

bool session_step(struct session *s, enum session_step how, bool backwards);
bool session_until(struct session *s, const char *place); /* NULL: a line further down than this one */
bool session_goto(struct session *s, u64 tick);

/* ---- values ---- */

/* For the focus; fails where there is none. Everything is cached until the launch goes on. */
bool session_context(struct session *s, struct debug_context *c);
bool session_context_of(struct session *s, u32 lane, struct debug_context *c); /* another lane of the warp */
/* Text as `print` says it. */
bool session_print_value(struct session *s, const char *expression, const struct debug_format *f, const char **text);
/* The same, and the value is $N then; 0: it is not kept. */
bool session_print_and_keep(struct session *s, const char *expression, const struct debug_format *f, const char **text,
                            u32 *number);
u32 session_values(const struct session *s); /* how many are kept */
/* What the call behind which the focus's lane stands has returned; false: that is not known. */
bool session_returned(struct session *s, const char **text, u32 *number);
bool session_assign(struct session *s, const char *expression); /* a = b */
/* In each lane of `lanes` by itself: the text, or why there is none; NULL: the lane is in another function. */
bool session_print_lanes(struct session *s, const char *expression, u32 lanes, const struct debug_format *f,
                         const char *text[32]);
/* PTX registers of the focus's function: 32 lanes each. */
struct session_register {
    const char *name, *type;
    u32 bits;
    const char *lanes[32]; /* hexadecimal */
};
bool session_registers(struct session *s, const struct session_register **out, u32 *n);
/* Where an expression's value lies: false: it is none of memory. */
bool session_address(struct session *s, const char *expression, enum ptx_space *space, u64 *address, u64 *size);
bool session_read_memory(struct session *s, enum ptx_space space, u64 address, u64 size, u8 *to, u64 *got);

struct session_write {
    u64 tick, block;
    u32 warp, lanes;
    bool lanes_known;
    const char *function, *before, *after; /* before, after: as values of the expression's type */
    struct debug_line line;
    struct debug_place at;
};

/* The last store to an expression's value before now. *found: there was one; go: the launch then goes to it (a SESSION_STOP
 * follows). It has not stopped at all while it is looked for, but Ctrl-C ends nothing here. */
bool session_last_write(struct session *s, const char *expression, bool go, bool *found, struct session_write *out);

/* ---- what has happened up to here: the launch is run again to learn it ---- */

/* What a source line has cost so far; of the basic blocks that warps are in, all of it. Instructions (PTX, of warps and
 * threads), sectors (32 bytes, of global and local memory) and wavefronts (of shared memory) are counted, cycles of warps
 * modelled. */
struct session_cost {
    const char *file; /* NULL: no line is known; ptx_line */
    u32 line, ptx_line;
    u64 instructions, threads, sectors, wavefronts, cycles;
};

bool session_costs(struct session *s, const struct session_cost **out, u32 *n);

struct session_writer {
    bool written; /* by this launch, so far */
    u64 tick;
    u32 warp, lane, thread[3];
    const char *function;
    struct debug_line line;
    struct debug_place at;
};

/* A variable of the focus's block, element by element; of arrays of arrays the innermost elements. */
struct session_shared {
    const char *name;
    u64 address, size; /* bytes */
    const struct debug_type *element;
    u32 n;
    const struct session_writer *writers;
};

u32 session_shared_variables(struct session *s, const char *const **out); /* of the kernel */
bool session_shared(struct session *s, const char *name, struct session_shared *out);
/* n elements as text */
bool session_shared_values(struct session *s, const struct session_shared *v, u32 first, u32 n, const char **text);

/* ---- findings ---- */

/* Somebody who did what a finding tells of: a thread of a launch, or an operation of the host's (launched). Text is NULL
 * where it is not known. */
struct session_party {
    bool is, has_thread, has_tick;
    u32 block[3], thread[3];
    u64 tick; /* at which it is about to do it */
    const char *does, *value, *launched, *place;
};

struct session_finding {
    u32 number; /* 0: of the host's */
    const char *tool, *kind, *title, *detail;
    bool has_tick;
    u64 tick; /* at which the launch stops for it */
    struct session_party party[2];
    const json_t *message;
};

/* All of the launch, also those that lie ahead: it has been looked at as a whole before it began. */
bool session_findings(struct session *s, const struct session_finding **out, u32 *n);
u32 session_findings_here(struct session *s, const struct session_finding **out); /* at which it stands */
void session_finding_read(struct session *s, const json_t *message, struct session_finding *out);
const char *session_finding_text(struct session *s, const struct session_finding *f);
/* To the tick of a finding (number 0: at which it stands) or of one of its parties, 1 or 2; 0: where it stops. A
 * SESSION_STOP follows. */
bool session_go_to_finding(struct session *s, u32 number, u32 party);

/* ---- the agent itself ---- */

/* A request (it is taken); its answer, which lives until the launch goes on. NULL: refused. */
const json_t *session_ask(struct session *s, const char *cmd, json_t *words);

#endif
