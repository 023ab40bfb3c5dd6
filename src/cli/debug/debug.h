/* debug.h - `lockstep debug`: the command line of a debugging session (debug/session/session.h), in cuda-gdb's words.
 *
 * A word's function takes what stands behind the word, and says what is wrong with debug_wrong. Whether lines or objects of
 * JSON are printed is output.c's business. */
#ifndef LS_CLI_DEBUG_DEBUG_H
#define LS_CLI_DEBUG_DEBUG_H

#include <jansson.h>

#include "cli/program.h"
#include "debug/session/session.h"

struct debug_cli {
    struct session *s;
    bool json, batch, unchecked, over;
    char **program; /* its argv; NULL: none was named */
    bool ready;     /* program_ready has been asked */
    struct program_facts facts;
    int status;     /* of the command */
    pid_t detached; /* 0: none; the command waits for it */
    struct {        /* list: where it goes on */
        char file[512];
        u32 next;
    } listed;
    struct {
        char *expression;
        struct debug_format format;
    } displays[64];
    u32 ndisplays;
    char last[1024]; /* the line before, for an empty one */
    u64 told_block;  /* the focus that was told last */
    u32 told_warp, told_lane;
    u32 depth;   /* of files that are read */
    u32 finding; /* that `party` means; 0: the one at which it stands */
};

typedef void debug_word(struct debug_cli *d, const char *rest);

/* words.c */
void debug_line(struct debug_cli *d, const char *line);
bool debug_read_file(struct debug_cli *d, const char *path);
/* A table of words that stand behind a word (info ...). */
struct debug_row {
    const char *name;
    debug_word *take;
    const char *words, *help;
};
const struct debug_row *debug_find(struct debug_cli *d, const struct debug_row *rows, u32 n, const char *before,
                                   const char **rest);
extern const struct debug_row debug_info_rows[], debug_info_cuda_rows[];
extern const u32 debug_ninfo, debug_ninfo_cuda;

/* output.c */
void debug_say(struct debug_cli *d, const char *fmt, ...) LS_PRINTF(2, 3); /* a line */
void debug_wrong(struct debug_cli *d, const char *fmt, ...) LS_PRINTF(2, 3);
void debug_failed(struct debug_cli *d); /* with the session's error */
/* With --json the object (taken), else the line. */
void debug_tell(struct debug_cli *d, json_t *object, const char *fmt, ...) LS_PRINTF(3, 4);

/* stops.c: going on, and what is said where it stands */
void debug_wait(struct debug_cli *d); /* until it stands still or has ended */
void debug_say_frame(struct debug_cli *d, const struct session_frame *f, u32 number, bool numbered, u32 breakpoint);
void debug_say_focus(struct debug_cli *d);
/* Frame and source line of the focus. breakpoint: that was hit, or 0. */
void debug_say_here(struct debug_cli *d, u32 breakpoint);
const char *debug_place_text(struct debug_cli *d, const char *function, const struct debug_line *line);

/* source.c */
void debug_list_lines(struct debug_cli *d, const char *file, u32 first, u32 last, u32 here);
bool debug_source_line(struct debug_cli *d, const struct debug_line *line, char *out, size_t size);

/* values.c */
bool debug_format_of(struct debug_cli *d, const char **rest, struct debug_format *f, u32 *count, char *size);
void debug_show_displays(struct debug_cli *d);
const char *debug_arguments(struct debug_cli *d, const struct session_frame *f);
void debug_context_of(struct debug_cli *d, const struct session_frame *f, struct debug_context *c);

/* finding_words.c */
debug_word debug_catch_finding, word_info_findings, word_party, word_finding;
void debug_say_finding(struct debug_cli *d, const struct session_finding *f);
void debug_say_findings_here(struct debug_cli *d);

/* history_words.c */
debug_word word_info_shared, word_info_cost;

/* host_words.c */
debug_word debug_catch_call;
void debug_catch_host_launch(struct debug_cli *d);
bool debug_say_host_frames(struct debug_cli *d); /* false: it does not stand in a call of the host's */
void debug_say_host_call(struct debug_cli *d);

debug_word word_run, word_continue, word_step, word_next, word_stepi, word_nexti, word_finish, word_until,
    word_reverse_continue, word_reverse_step, word_reverse_next, word_reverse_stepi, word_reverse_finish, word_kill,
    word_goto, word_reverse_watch;
debug_word word_break, word_tbreak, word_delete, word_disable, word_enable, word_ignore, word_condition, word_watch,
    word_info_breakpoints, word_catch;
debug_word word_show, word_detach, word_print, word_x, word_display, word_undisplay, word_set, word_info_locals,
    word_info_args, word_info_registers, word_info_write, word_ptype, word_info_display;
debug_word word_list, word_disassemble, word_info_line, word_info_source, word_info_functions;
debug_word word_bt, word_up, word_down, word_frame, word_thread, word_info_cuda, word_cuda, word_info_warp,
    word_info_program;

#endif
