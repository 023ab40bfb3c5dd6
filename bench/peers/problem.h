/* problem.h - the kernels that bench/peers.sh compares: how each is launched, on which data, and what comes out.
 *
 * One table (problem.c) for all programs. A kernel is called NAME in NAME.cu, in NAME.cl and in openmp.c; all three take
 * the same arguments in the same order. An argument is a number of four bytes or a buffer; `groups` and `group` are the
 * grid in blocks and the block in threads: in OpenCL's words, work-groups and work-items. */
#ifndef PEERS_PROBLEM_H
#define PEERS_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

enum { PEER_ARGS = 8 };

enum peer_kind { PEER_NONE, PEER_INT, PEER_FLOAT, PEER_IN, PEER_OUT };

/* OUT: the kernel writes it, and what it writes is looked at; it may also read what was in it. */
struct peer_arg {
    enum peer_kind kind;
    union {
        int i;
        float f;
        size_t bytes;
    };
};

struct problem {
    const char *name;
    unsigned groups[3], group[3];
    struct peer_arg args[PEER_ARGS];
    void (*fill)(const struct problem *p, void *const *data);  /* what the buffers hold before a launch */
    void (*plain)(const struct problem *p, void *const *data); /* does what the kernel does, in plain C */
    float tolerance; /* of an element of what comes out, of max(1, |element|); 0: whole numbers, all the same */
};

extern const struct problem problems[];
extern const unsigned problem_count;

const struct problem *problem_named(const char *name);
static inline bool peer_is_buffer(const struct peer_arg *a) { return a->kind == PEER_IN || a->kind == PEER_OUT; }

/* New buffers, one an argument (NULL for numbers), filled. problem_free ends them. */
void problem_data(const struct problem *p, void *data[PEER_ARGS]);
void problem_free(void *data[PEER_ARGS]);

/* True if `got` has what the plain function makes of fresh data; else says on stderr what differs first. */
bool problem_right(const struct problem *p, void *const *got);

#endif
