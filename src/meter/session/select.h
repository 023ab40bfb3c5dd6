/* select.h - which launches are wanted, by ncu's filters: the kernel's name, how many to skip and to take, and ids. The
 * driver selects by it what runs traced, from its environment; the command line what it prints of a report file.
 *
 * A launch must pass all filters. Skipping and taking count launches that match the name or the id.
 *
 * The id's context, stream and invocation are regular expressions that must match the whole number: `7|13`, `[2-4]`,
 * `1.`. Invocations are counted kernel by kernel, by their names in the form of `base`: in the form `function`, b<1>
 * and b<2> are both b. An id that names streams counts each stream's launches on their own, and contexts likewise. That
 * is what ncu 2025.3 does on an H200. */
#ifndef LS_METER_SELECT_H
#define LS_METER_SELECT_H

#include <pthread.h>
#include <regex.h>

#include "base/base.h"
#include "base/kernel_name.h"

/* NULL and 0 mean no filter; the texts must outlive the filter. */
struct select_options {
    const char *kernel;    /* a name, or "regex:" and an extended regular expression that must match somewhere */
    const char *base;      /* "function", "demangled", "mangled"; NULL: the function's bare name or the mangled one */
    const char *kernel_id; /* "context:stream:name:invocation", each of them may be empty; kernel is ignored then */
    u64 skip, count;       /* of the launches that match; count 0: all */
    u64 skip_any;          /* of all launches, before anything else is looked at */
};

struct select_name {
    const char *name; /* NULL: every kernel, or by pattern */
    bool by_pattern;
    regex_t pattern;
};

/* A part of the id that is a number. */
struct select_number {
    bool given;
    regex_t pattern;
};

/* Launches of one kernel so far; context and stream are 0 where the id does not name any. */
struct select_count {
    char *name;
    u64 context, stream, n;
};

struct select {
    struct select_options options;
    enum kernel_base base;
    bool any_base, by_id;
    struct select_name kernel, id_name;
    struct select_number id_context, id_stream, id_invocation;
    char id_text[4096];
    u64 seen, matched;           /* launches so far */
    struct select_count *counts; /* of kernels that the id's other parts match */
    u32 ncounts;
    pthread_mutex_t lock;
};

/* Whether any filter was given. */
bool select_given(const struct select_options *o);
/* False: why says what is wrong; the filter then lets everything pass. */
bool select_init(struct select *s, const struct select_options *options, char why[256]);
/* Counts one launch; whether it is wanted. Safe to call from several threads. */
bool select_take(struct select *s, const char *mangled, u64 context, u64 stream);
void select_free(struct select *s);

#endif
