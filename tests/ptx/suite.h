/* suite.h - the tests that a .ptx file announces in its comments, their inputs and what they must give. */
#ifndef PTX_SUITE_H
#define PTX_SUITE_H

#include <stddef.h>

#include "ref.h"

enum { MAX_IN = 4, CHUNKS = 16 };
enum verdict_kind { EXACT, NAN_ANY, APPROX, RECORD_ONLY, SELF };

/* An operand: its type and which values it takes. */
struct operand {
    const struct type *type;
    unsigned size; /* bytes in memory */
    enum { ANY_VALUE, NONZERO, RANGE, SHIFT, TRIG } values;
    i64 lo, hi;
};

struct test {
    char name[128], op[96], err[24];
    enum verdict_kind kind;
    struct ref ref;
    struct operand in[MAX_IN], out[MAX_IN];
    unsigned nin, nout;
    unsigned grid, block, shared; /* SELF */
    bool warp;                    /* the reference works on whole warps */
    u64 n;                        /* threads, or words of a SELF test */
    void *data[MAX_IN];           /* the inputs */
    u64 *want;                    /* n * nout words, NULL for APPROX and RECORD_ONLY */
    u64 result_hash[8];           /* what each mode gave */
};

struct suite {
    char *text;
    struct test *tests;
    unsigned n;
    unsigned bad; /* tests whose comments make no sense */
};

/* Reads the file; inputs and expectations are made by test_prepare. */
bool suite_read(const char *path, struct suite *s);
bool test_prepare(struct test *t);
void test_release(struct test *t);
u64 input_bits(const struct test *t, unsigned operand, u64 i);

/* How many results are wrong; the first few are printed with a label. */
u64 test_judge(const struct test *t, const u64 *got, const char *label);
u64 hash_words(const u64 *w, u64 n);

/* ref_warp.c: instructions of a whole warp; in[k][lane], out[k][lane]. */
bool warp_find(const char *op);
void warp_eval(const struct ref *r, u64 in[][32], u64 out[][32]);

#endif
