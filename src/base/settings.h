/* settings.h - what the environment says: one table (settings.def), one struct, and the only file that asks for a
 * variable (settings.c). They are read once, where something starts, and the values are handed down: the driver in
 * cuInit, the commands when they begin. The engine and the meter see values only.
 *
 *     struct settings s;
 *     if (!settings_read(&s, say, ctx))            a value that is none has been said
 *     settings_set(&s, SETTING_SEED, "5", why);    an option of a command
 *     settings_export(&s);                         what this process starts or loads finds it so
 *
 * Stands on libc, bug.c and likeness.c alone: the runtime library has a copy. */
#ifndef LS_BASE_SETTINGS_H
#define LS_BASE_SETTINGS_H

#include "base/base.h"

/* Empty text is as if nothing was given, but for WORDS. */
enum setting_type {
    SETTING_TYPE_FLAG,    /* 0 or 1 */
    SETTING_TYPE_SWITCH,  /* off when 0, else on: others' variables */
    SETTING_TYPE_COUNT,   /* a whole number: 250, 1e9 */
    SETTING_TYPE_SECONDS, /* a number, 0 or more */
    SETTING_TYPE_BYTES,   /* 64G, 512M, 1.5G, 1000000 */
    SETTING_TYPE_ROOM,    /* the same, or ROOM_HOST, ROOM_GPU; 0: not given */
    SETTING_TYPE_CHOICE,  /* one of some words: its place among them, from 1; 0: not given */
    SETTING_TYPE_BANKS,   /* 32x4 */
    SETTING_TYPE_TEXT,    /* NULL: not given */
    SETTING_TYPE_WORDS,   /* NULL: not given; may be empty */
};

enum setting_scope { SETTING_SCOPE_USER, SETTING_SCOPE_RUN, SETTING_SCOPE_FOREIGN };

#define ROOM_GPU UINT64_MAX
#define ROOM_HOST (UINT64_MAX - 1)

/* Choices, in the order of their words in the table. */
enum { MEMORY_STRONG = 1, MEMORY_WEAK };
enum { CHECK_LEAKS_NO = 1, CHECK_LEAKS_FULL };
enum { CHECK_API_EXPLICIT = 1, CHECK_API_ALL, CHECK_API_NO };
enum { CHECK_DESTROY_CONTEXT = 1, CHECK_DESTROY_KERNEL };
enum { KERNEL_BASE_FUNCTION = 1, KERNEL_BASE_DEMANGLED, KERNEL_BASE_MANGLED };
enum { CLOCK_BOOST = 1, CLOCK_BASE };
enum { TIER_AUTO = 1, TIER_OFF, TIER_FORCE, TIER_MIXED };
enum { MODEL_LAUNCHES_ALL = 1, MODEL_LAUNCHES_SAMPLED };

struct setting_banks {
    u32 banks, bytes; /* 0: the GPU's */
};

enum setting {
#define SETTING(NAME, field, TYPE, SCOPE, takes, preset, usual, meaning) SETTING_##NAME,
#include "base/settings.def"
    SETTING_COUNT
};

/* Variables of others, read as they are. */
enum setting_other {
#define SETTING(NAME, field, TYPE, SCOPE, takes, preset, usual, meaning)
#define OTHERS(NAME, meaning) OTHERS_##NAME,
#include "base/settings.def"
    OTHERS_COUNT
};

#define SETTING_IN_FLAG bool
#define SETTING_IN_SWITCH bool
#define SETTING_IN_COUNT u64
#define SETTING_IN_SECONDS f64
#define SETTING_IN_BYTES u64
#define SETTING_IN_ROOM u64
#define SETTING_IN_CHOICE u32
#define SETTING_IN_BANKS struct setting_banks
#define SETTING_IN_TEXT const char *
#define SETTING_IN_WORDS const char *

/* Texts are the environment's own, or those that settings_set was given: they must outlive the struct. */
struct settings {
#define SETTING(NAME, field, TYPE, SCOPE, takes, preset, usual, meaning) SETTING_IN_##TYPE field;
#include "base/settings.def"
    const char *given[SETTING_COUNT]; /* the text of each; NULL: not given */
};

struct setting_info {
    const char *name; /* of the variable, whole */
    enum setting_type type;
    enum setting_scope scope;
    size_t offset; /* of its field */
    const char *takes, *preset, *usual, *meaning;
};

const struct setting_info *setting_info(enum setting n);
/* A table of Markdown's words for what it takes: "`strong`, `weak`". */
void setting_takes(enum setting n, char out[160]);

enum { SETTING_WHY = 512 };

/* One thing that is wrong: a value (bad), or only a name that nobody knows. One sentence, no newline. */
typedef void settings_say(void *ctx, bool bad, const char *text);

/* What the environment says now. False: a value is none that its variable takes; it counts as not given. Variables that
 * begin with LOCKSTEP_ and are none of the table's are said too, with the nearest that is. say NULL: in silence. */
bool settings_read(struct settings *s, settings_say *say, void *ctx);
/* NULL: not given. False: why says what is wrong, the setting is as if not given. */
bool settings_set(struct settings *s, enum setting n, const char *text, char why[SETTING_WHY]);
/* What is about one run (SCOPE RUN) is not given: before a command says what it wants of its own. */
void settings_begin_run(struct settings *s);
/* The environment of this process, and so of what it starts and of a driver that it loads, says what `s` does: what is not
 * given is unset. False: no memory. */
bool settings_export(const struct settings *s);

const char *settings_other(enum setting_other n);
/* Puts text in front of the list; false: no memory. */
bool settings_prepend(enum setting_other n, const char *text, char separator);
bool settings_put(enum setting_other n, const char *text); /* unless there is a value */
const char *settings_other_name(enum setting_other n, const char **meaning);
const char *settings_tmp(void); /* the folder of temporary files */
/* The folder of Lockstep's caches, which need not exist. False: there is none, or its name is longer than n. */
bool settings_cache(char *folder, size_t n);
/* A variable that the user names: `--log-file run-%q{HOST}`. */
const char *settings_lookup(const char *name);

#endif
