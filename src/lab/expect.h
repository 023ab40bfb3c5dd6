/* expect.h - what a rung's head claims about its counters, read and evaluated.
 *
 *     // LET: whole = n % bx == 0
 *     // EXPECT: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum == 4 * warps when whole
 *     // CLAIM: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum == 0
 *     // CAUGHT: any n 1000 size 64x64 block 32x16
 *     // AGAINST: setRowReadCol
 *
 * LET names an expression for the lines below. EXPECT must hold wherever its `when` does. CLAIM is something printed
 * that must be false. CAUGHT says how a broken rung is found out (wrong: a wrong result; fault: a fault; any: either;
 * claim: its CLAIM is false) and at what shape (n, size, block, k, batch). AGAINST names the rung that this one's counters
 * are compared with when it is not the one before.
 *
 * An expression has C's operators || && == != <= >= < > + - * / % ! and unary minus with C's precedence, numbers,
 * names, parentheses, and ceil_div(a, b), min(a, b), max(a, b), log2(a). Values are doubles: / does not round. Names:
 * n, rows, cols, k, batch, bx, by (the block asked for); and of the launch that stands for the plan: threads (of a block),
 * block_warps, blocks, grid_x, grid_y, warps (of the grid), shared (dynamic shared memory a block, in bytes); and the
 * columns of ladder.def that the family gives to formulas (formula_columns). */
#ifndef LS_LAB_EXPECT_H
#define LS_LAB_EXPECT_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "kernels/family.h"

struct expect_name {
    const char *name;
    double value;
};

struct expect_names {
    struct expect_name at[40];
    u32 n;
};

enum expect_kind { EXPECT_LET, EXPECT_MUST, EXPECT_CLAIM };

struct expect_line {
    enum expect_kind kind;
    const char *subject; /* a metric, or the name of a LET */
    char relation[3];    /* "==", "<=", ">=" */
    const char *formula;
    const char *when; /* NULL: always */
    u32 line;         /* in the source */
};

enum expect_catch { CATCH_NONE, CATCH_WRONG, CATCH_FAULT, CATCH_ANY, CATCH_CLAIM };

struct expectations {
    struct expect_line *lines;
    u32 nlines;
    enum expect_catch caught;
    struct shape caught_at;
    const char *against; /* a rung's name, or NULL */
};

/* Reads a source's head. Bad lines are diagnostics with file and line. */
enum ls_status expect_read(const char *source, const char *path, struct arena *mem, struct expectations *out,
                           struct diag_list *diags);

/* The names that every launch has. */
void expect_bind(struct expect_names *names, const struct family *f, const struct rung *r, const struct shape *s,
                 const struct plan *p);
void expect_set(struct expect_names *names, const char *name, double value);

/* The value of an expression; on failure NaN, and *error says why (static text), else NULL. */
double expect_eval(const char *text, const struct expect_names *names, const char **error);

/* Does `got` stand in the relation to `want`? Equality is to 1 part in 10^9: ratios are quotients. NaN never does. */
bool expect_holds(const char *relation, double got, double want);

#endif
