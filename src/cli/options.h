/* options.h - the commands' options: each command has a table of rows, and one function reads all of them.
 *
 * A row says how an option is spelled, what kind of value it takes, where the value goes and what --help says. getopt_long
 * walks the words (so names may be shortened, values follow a blank or a =, letters may stand together), argp lays out
 * --help. Both know the options from the table alone. `--help`, `-?`, `-h` and `--usage` belong to every command. */
#ifndef LS_CLI_OPTIONS_H
#define LS_CLI_OPTIONS_H

#include "base/base.h"

enum option_kind {
    /* What no value is stored for. */
    OPTION_SECTION, /* no option: `help` is the title of the rows behind it */
    OPTION_HELP,
    OPTION_USAGE,
    OPTION_VERSION,
    OPTION_CALL,    /* `take` does it all */
    OPTION_UNUSED,  /* taken, told, without effect */
    OPTION_REFUSED, /* `help` says why */
    OPTION_ALWAYS,  /* yes is what is done anyhow; no is refused, and `help` says why */
    /* What is stored, and as what. */
    OPTION_FLAG,    /* bool */
    OPTION_YES_NO,  /* bool; also on, off, 1, 0, true, false */
    OPTION_CONST,   /* u32: `constant` */
    OPTION_CHOICE,  /* u32: the place of the word in `value`, "a|b|c"; bool: whether it is the second of two */
    OPTION_NUMBER,  /* u64 or u32, decimal, from `least` to `most` */
    OPTION_COUNT,   /* u64 or u32, the same with k, m, g for powers of 1024, or 0x... */
    OPTION_SECONDS, /* f64, from 0 on */
    OPTION_SIZES,   /* u32[3]: `least` to `most` numbers with an x between them; those left out are 1 */
    OPTION_TEXT,    /* const char * */
    OPTION_OUTPUT,  /* struct option_output */
};

struct option_output {
    bool wanted;
    const char *to; /* a file; NULL: with the rest of what is printed */
};

struct option_value {
    const char *text; /* as written; NULL: left out */
    u64 n;            /* of bool, u32 and u64 */
    f64 seconds;
    u32 sizes[3];
};

/* A command line while it is read. */
struct option_reader {
    void *into; /* the command's struct */
    const struct option_table *table;
    const char *name; /* "lockstep check" */
    bool given[200];  /* by row */
    char unused[1000];
    char wrong[2048]; /* the first error; "" */
};

struct option_row {
    const char *name;
    enum option_kind kind;
    const char *value; /* as --help writes it, and for a choice all its words; NULL: takes none */
    const char *help;  /* NULL: not in --help */
    struct option_place {
        size_t offset, size;
    } at; /* where the value goes: OPTION_AT(struct, member); size 0: nowhere */
    void (*take)(struct option_reader *o, const struct option_value *v); /* called when the value has been stored */
    const char *alias;                                                   /* a second name */
    const char *takes;                                                   /* for errors: "--NAME needs ..." */
    const char *note;                                                    /* stands behind them */
    u64 least, most;                                                     /* most 0: no limit */
    u32 constant;
    char letter;
    bool optional; /* the value may be left out */
    bool negate;   /* a bool is stored the other way round */
    bool as_text;  /* the value is checked, and its text is stored (const char *) */
    bool runs;     /* says how a program shall run: makes no sense where none does */
};

/* A row: OPTION(FLAG, "csv", NULL, "As CSV", .at = ...). Fields that are left out are 0. */
#define OPTION(kind_, name_, value_, help_, ...)                                                                       \
    {.kind = OPTION_##kind_, .name = name_, .value = value_, .help = help_, __VA_ARGS__}
#define OPTION_TITLE(help_) {.kind = OPTION_SECTION, .help = help_}
#define OPTION_AT(type, member) {offsetof(type, member), sizeof(((type *)0)->member)}

struct option_table {
    const struct option_row *rows;
    u32 n;
    const char *words;           /* what stands behind the options: "PROGRAM [ARGUMENT...]\n--import FILE" */
    const char *about;           /* behind \v: what --help prints at its end */
    struct option_place program; /* char **: the first word that is no option, and all behind it, is a program's */
    void (*word)(struct option_reader *o, const char *word); /* else: takes such a word; NULL: there are none */
    void (*finish)(struct option_reader *o);                 /* checks what was read; NULL: nothing to check */
};

/* Reads a command line; false: the command is over, with *status for the shell, after --help or a message on stderr. */
bool options_read(const struct option_table *table, void *into, int argc, char **argv, int *status);

/* ---- the tables themselves, for what describes the commands (describe.c) ---- */

/* From here on options_read reads nothing: it hands its table to `taker` and returns false. */
typedef void option_taker(void *ctx, const struct option_table *table, const char *name);
void options_collect(option_taker *taker, void *ctx);
/* True when that is so: a command that has tables of several verbs hands on all of them. */
bool options_collected(void);

/* The rows with those that every command has. */
u32 option_row_count(const struct option_table *table);
const struct option_row *option_row_at(const struct option_table *table, u32 i);
/* Whether --help tells of it. */
bool option_is_shown(const struct option_row *r);

/* ---- for take, word and finish ---- */

/* Something is wrong with the command line; the first such text is told. Returns, unlike argp_error. */
void option_wrong(struct option_reader *o, const char *fmt, ...) LS_PRINTF(2, 3);
/* This option has no effect. */
void option_unused(struct option_reader *o, const char *name);
bool option_given(const struct option_reader *o, const char *name);
/* An option of those that say how a program shall run; NULL: none was given. */
const char *option_given_for_run(const struct option_reader *o);

/* ---- values ---- */

/* "4096", "64k", "16m", "1g", "0x100"; false: it is no such number, or more than `most`. */
bool option_read_count(const char *text, u64 most, u64 *n);
/* "32x8": `least` to `most` (3 at most) positive numbers; those left out are 1. */
bool option_read_sizes(const char *text, u64 least, u64 most, u32 out[3]);

#endif
