/* dap.h - `lockstep debug --dap`: an editor drives a debugging session (debug/session/session.h) by the Debug Adapter
 * Protocol, over stdin and stdout.
 *
 * Words. A *thread* of the protocol is a warp of the stopped block, or a lane of the stopped warp; thread 1 is the launch, when no
 * warp is about to run. A *holder* is something that has variables: a scope, or a value with parts. Frames and holders are known by
 * numbers, which are good until the launch goes on; what they need is in the session's memory, which
 * lives as long. When that runs out, the request or event is given up (server.c, dap.c).
 *
 * Files: port.c messages; text.c JSON's values; server.c who answers; dap.c the loop and the program's output; start.c
 * its beginning and end; stop.c why it stands still; run.c going on; breakpoints.c; threads.c warps and frames; scopes.c and
 * variables.c what they hold; repl.c words of the command line; memory.c; disassemble.c. */
#ifndef LS_CLI_DEBUG_DAP_DAP_H
#define LS_CLI_DEBUG_DAP_DAP_H

#include <pthread.h>

#include "base/vec.h"
#include "cli/debug/dap/port.h"
#include "cli/debug/dap/text.h"
#include "debug/session/session.h"

/* Serves one editor on descriptors 0 and 1; the exit status of the command. */
int dap_serve(void);

/* ---- what a session has ---- */

enum { DAP_LAUNCH_THREAD = 1 };

struct dap_focus {
    u64 block;
    u32 warp, lane;
    u32 frame; /* of session_frames_of */
};

enum holder_kind {
    HOLDER_ARGUMENTS,
    HOLDER_LOCALS,
    HOLDER_SHARED,
    HOLDER_GLOBALS,
    HOLDER_REGISTERS,
    HOLDER_LANES, /* of a register: name */
    HOLDER_SPECIALS,
    HOLDER_VALUE,
};

struct holder {
    enum holder_kind kind;
    struct dap_focus focus;
    const char *name; /* of a value: the expression that gives it, or NULL */
    struct debug_value value;
};

enum breakpoint_group { GROUP_SOURCE, GROUP_TEXT, GROUP_FUNCTION, GROUP_INSTRUCTION, GROUP_DATA, GROUP_EXCEPTION };

struct dap_breakpoint { /* of those that the editor has made */
    struct dap_breakpoint *next;
    enum breakpoint_group group;
    u32 number;    /* the session's */
    char *log;     /* text to say instead of stopping; NULL: it stops */
    char source[]; /* of a line: its file */
};

enum {
    EXCEPTION_FAULT = 1,
    EXCEPTION_DIVERGENCE = 2,
    EXCEPTION_BANKS = 4,
    EXCEPTION_MEMCHECK = 8,
    EXCEPTION_RACECHECK = 16,
    EXCEPTION_INITCHECK = 32,
    EXCEPTION_SYNCCHECK = 64,
    EXCEPTION_FINDING = EXCEPTION_MEMCHECK | EXCEPTION_RACECHECK | EXCEPTION_INITCHECK | EXCEPTION_SYNCCHECK,
};

struct dap {
    struct port port;
    pthread_mutex_t sending; /* the port: the relay of output is a thread */
    struct session *session;
    bool initialized, launched, begun, configured, stopped, exited, over;
    bool lines_from_0, lanes_as_threads, stop_on_entry, no_debug;
    bool in_warp;
    bool hexadecimal;             /* what is told now */
    bool backwards;               /* it was last sent backwards */
    u32 exceptions;               /* EXCEPTION_* that stop */
    void (*after)(struct dap *d); /* what is done behind the response */
    struct dap_breakpoint *breakpoints;

    struct arena *memory; /* the session's: until the launch goes on */
    VEC(struct dap_focus) frames;
    VEC(struct holder) holders;
    struct dap_focus here; /* the stop's, if in_warp */
    struct relay *relay;
};

/* ---- dap.c, server.c ---- */

void dap_event(struct dap *d, const char *event, json_t *body); /* takes body, which may be NULL */
void dap_output(struct dap *d, const char *category, const char *text, size_t n);
void dap_say(struct dap *d, const char *text); /* to the console, with a newline */
void dap_send(struct dap *d, json_t *message);
void server_answer(struct dap *d, const json_t *message);
void server_refuse(struct dap *d, const char *why);

/* Handlers: the body, or NULL with why (or without: no memory). */
#define REQUEST(command, function, needs)                                                                              \
    json_t *request_##function(struct dap *d, const json_t *arguments, char why[DAP_WHY]);
#include "cli/debug/dap/requests.def"

json_t *dap_fail(char why[DAP_WHY], const char *fmt, ...) LS_PRINTF(2, 3); /* NULL */
json_t *dap_failed(const struct dap *d, char why[DAP_WHY]);                /* with the session's error; NULL */

/* ---- relay.c ---- */

/* From now on what this process and what it starts print becomes output events. NULL: it could not. */
struct relay *relay_open(struct dap *d, int in);
void relay_watch(struct relay *r,
                 pid_t pid);       /* killed when the editor has gone, even if the server waits for it; 0: none */
void relay_flush(struct relay *r); /* what has been printed has been sent */
void relay_close(struct relay *r);

/* ---- stop.c ---- */

void stop_came(struct dap *d, const struct session_event *e); /* any event */
void stop_over(struct dap *d);                                /* what is known of the stop is no longer good */

/* ---- breakpoints.c ---- */

struct dap_breakpoint *breakpoint_by_number(const struct dap *d, u32 number);
void breakpoint_changed(struct dap *d, u32 number); /* tells the editor */
void breakpoints_free(struct dap *d);
bool breakpoint_exceptions(struct dap *d);                             /* makes those that `exceptions` wants */
json_t *breakpoint_log(struct dap *d, const struct dap_breakpoint *b); /* the text */

/* ---- threads.c ---- */

u64 thread_number(const struct dap *d, const struct dap_focus *f);
bool thread_focus(struct dap *d, u64 thread, struct dap_focus *f, char why[DAP_WHY]);
bool frame_focus(struct dap *d, u64 frame, struct dap_focus *f, char why[DAP_WHY]);
/* The session's focus; where no warp is about to run there is none, and only global memory. */
bool dap_look_at(struct dap *d, const struct dap_focus *f, char why[DAP_WHY]);
bool dap_context(struct dap *d, const struct dap_focus *f, struct debug_context *c, char why[DAP_WHY]);
json_t *dap_source(struct dap *d, const char *file); /* NULL: there is no such file here */
json_t *dap_ptx_source(const struct dap *d, struct debug_place at);
u32 dap_line(const struct dap *d, u32 line); /* as the editor counts */

/* ---- variables.c ---- */

u64 holder_add(struct dap *d, struct holder h);
void variable_add(struct dap *d, struct debug_context *c, json_t *list, const struct dap_focus *f, const char *name,
                  const char *expression, struct debug_value v);
/* value, type, variablesReference, ... into an object; `value` is the key of the text. */
void variable_tell(struct dap *d, struct debug_context *c, json_t *to, const char *key, const struct dap_focus *f,
                   const char *expression, struct debug_value v, bool hexadecimal);
bool variable_of(struct dap *d, u64 holder, const char *name, struct dap_focus *f, const char **expression,
                 char why[DAP_WHY]);

/* ---- scopes.c ---- */

/* The variables of a scope; false: why. */
bool scope_list(struct dap *d, const struct holder *h, json_t *list, char why[DAP_WHY]);

/* ---- repl.c ---- */

/* run.c: words of the console that go on: continue, step, ... */
bool run_is_word(const char *line);
bool run_word(struct dap *d, const struct dap_focus *f, const char *line, char why[DAP_WHY]);
bool repl_is_word(const char *line);
bool repl_line(struct dap *d, const struct dap_focus *f, const char *line, char why[DAP_WHY]);

/* ---- memory.c ---- */

json_t *memory_reference(const struct dap_focus *f, enum ptx_space space, u64 address);

/* ---- disassemble.c ---- */

json_t *instruction_reference(const struct dap *d, struct debug_place at);
/* The first instruction from a line of PTX on. */
bool text_line_place(const struct dap *d, u64 text, u32 line, struct debug_place *at);
bool instruction_place(const struct dap *d, const char *reference, i64 offset, struct debug_place *at);

#endif
