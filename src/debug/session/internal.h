/* internal.h - what the files of src/debug/session share.
 *
 * Vocabulary. A *message* is an object of the agent's. A *call* is a frame as the agent counts them: of functions of the
 * PTX text; a frame of the session is a call and how far inside inlined functions. */
#ifndef LS_DEBUG_SESSION_INTERNAL_H
#define LS_DEBUG_SESSION_INTERNAL_H

#include "base/vec.h"
#include "debug/session/session.h"

struct breakpoint {
    struct session_breakpoint told;
    struct session_breakpoint_place *places; /* told.places */
    u32 cap;
    bool resolved_now;
};

struct kept_value {
    const struct debug_type *type;
    const u8 *bytes;
};

struct session {
    char error[400];
    struct arena mem;      /* of the session; all others have its recovery point */
    struct arena stop_mem; /* until the launch goes on */
    volatile int *interrupt;

    /* client.c */
    int fd;
    char *in;
    size_t in_len, in_cap;
    u64 last_id;
    json_t *events; /* that have come while an answer was waited for */
    json_t *given;  /* what session_wait gave out last */
    json_t *kept;   /* answers since the launch stopped */
    json_t *cache;  /* request as text -> answer */
    bool gone;      /* the connection has ended */

    pid_t pid;
    enum session_state state;
    json_t *hello;
    bool stop_at_end;
    bool told_of_lines; /* that kernels have none */

    VEC(const struct session_module *) modules;
    VEC(struct kept_value) values;                      /* that were printed */
    VEC(const struct session_breakpoint *) breakpoints; /* that there are */
    u32 last_number;

    json_t *stop_message;
    struct session_stop where;
    struct session_launch launch;
    bool has_launch;
    u64 module; /* of the launch */
    struct session_focus focus;
    const struct session_frame *frames; /* of the focus; NULL: not asked yet */
    u32 nframes;
    struct debug_target target;
    struct lane_of {
        struct session *s;
        u64 block;
        u32 warp;
    } self;
    const struct debug_type *address_type; /* of what session_address was asked last */
    const char *last_cmd;                  /* how it went on last, */
    json_t *last_words;                    /* for stops that the user is not to see */
    struct {                               /* a step by lines that has not ended yet */
        bool on, over;
        u32 rounds;
        const struct ptx_func *func; /* where it began */
        u32 depth;
    } stepping;
};

/* session.c */
bool session_fail(struct session *s, const char *fmt, ...) LS_PRINTF(2, 3); /* false */
void forget_stop(struct session *s);                                        /* the launch goes on */

/* client.c */
const json_t *client_ask(struct session *s, const char *cmd, json_t *words);
const json_t *client_ask_cached(struct session *s, const char *cmd, json_t *words);
bool client_send(struct session *s, const char *cmd, json_t *words, u64 *id);
/* The next message that is an event: the caller's. NULL: timeout, interrupted, or s->gone. */
json_t *client_event(struct session *s, int timeout);
/* Members of messages. */
u64 member_u64(const json_t *o, const char *name, u64 otherwise);
const char *member_text(const json_t *o, const char *name);
void member_dim(const json_t *o, const char *name, u32 out[3]);
u64 text_u64(const json_t *v);
bool text_bytes(const char *text, u8 *to, u64 n);
const char *space_word(enum ptx_space space);

/* modules.c */
void modules_refresh(struct session *s);
const struct ptx_func *module_function(const struct session *s, const char *name, const struct session_module **of);
const struct session_module *module_of(const struct session *s, const struct ptx_func *f);
const char *function_name(const struct session *s, const struct ptx_func *f);
struct debug_place place_of(const struct session *s, const json_t *message); /* func NULL: unknown */
struct debug_line line_of(const struct session *s, struct debug_place at);

/* places.c: what a text names */
bool places_find(struct session *s, const struct session_module *m, const char *text, const struct debug_place **places,
                 u32 *n);
bool places_is_name(const char *text);

/* where.c */
void launch_set(struct session *s, const json_t *message);
void where_set(struct session *s, json_t *message);
bool focus_frames(struct session *s);

/* breakpoints.c */
bool breakpoints_resolve(struct session *s); /* all of them, in the modules that there are; false: one was refused */
bool breakpoints_arm(struct session *s);     /* those that were made before the program was */
/* A breakpoint of a line that no module has, or NULL. */
const struct breakpoint *breakpoint_pending_line(const struct session *s);
bool breakpoint_keeps_going(struct session *s); /* the stop is one that the user is not to see */
struct breakpoint *breakpoint_of_stop(const struct session *s, u64 stop);
void breakpoints_watch_again(struct session *s);
void breakpoints_disarm(struct session *s); /* the program has gone */

/* code.c: NULL: it cannot be said in the agent's steps */
json_t *code_of(struct session *s, const struct debug_node *n, struct debug_info *info, struct debug_place at);

/* values.c: bytes as digits, as a value of that type */
const char *bytes_text(struct debug_context *c, const struct debug_type *t, const char *hex);

/* convenience.c */
u32 convenience_keep(struct session *s, struct debug_context *c,
                     struct debug_value v); /* its number; 0: it is not kept */
bool convenience_value(void *s, const char *name, struct debug_value *out);

/* target.c */
void target_init(struct session *s);

/* steps.c */
bool go(struct session *s, const char *cmd, json_t *words);
bool go_again(struct session *s);    /* as it went on last */
bool steps_go_on(struct session *s); /* the step has not ended where the launch stands */

#endif
