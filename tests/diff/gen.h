/* gen.h - the generator's parts: gen.c (text, choice, numbering), gen_expr.c (expressions), gen_stmt.c (statements of one
 * thread), gen_kernel.c (what threads do together). */
#ifndef DIFF_GEN_H
#define DIFF_GEN_H

#include <stdbool.h>
#include <stddef.h>

/* Registers of a thread: V(0..7) u32, W(0..3) u64, F(0..3) float, D(0..1) double, and A(0..7), u32 in local memory. */
enum { NV = 8, NW = 4, NF = 4, ND = 2, NA = 8 };

struct shape {
    unsigned seed, threads, blocks;
    unsigned nfuncs; /* device functions f<seed>_0 .. of two u32 */
};

/* What an expression may name at this place. */
struct scope {
    const struct shape *sh;
    unsigned counters; /* i0 .. i<counters - 1> */
    bool in_function;  /* only the parameters a, b and counters */
    bool shared;       /* s0 may be read: nobody writes it until the next barrier */
    bool uniform;      /* only what is the same for the block: n, BLOCK, constants */
    bool by_warp;      /* only what is the same for a warp */
};

unsigned rnd(unsigned n); /* 0 .. n - 1 */
void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct mark {
    size_t at;
    int id;
};
struct mark item_begin(void);
void item_end(struct mark m);

void expr_u32(const struct scope *s, int depth);
void expr_u64(const struct scope *s, int depth);
void expr_f32(const struct scope *s, int depth);
void expr_f64(const struct scope *s, int depth);
void expr_cond(const struct scope *s, int depth);

/* n statements of one thread; `loop`: break and continue are allowed. */
void statements(struct scope s, int n, int depth, bool loop);
void function(const struct shape *sh, unsigned index);

void gen_kernel(struct shape *sh);

#endif
