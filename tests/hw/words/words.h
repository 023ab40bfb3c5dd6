/* words.h - the instructions that words.c asks for, and their operands. */
#ifndef LS_HW_WORDS_H
#define LS_HW_WORDS_H

#include <stdbool.h>
#include <stdint.h>

enum { IMAGE_WORDS = 10 << 10 };

enum element { E_F16, E_BF16, E_TF32, E_E4M3, E_E5M2, E_F32, E_INT };

/* Exponents close together; from very small to large; any bits. */
enum kind { NEAR, WIDE, ANY, KINDS };
extern const char *const kind_names[KINDS];

struct matrix_case {
    const char *name, *tail; /* tail: the immediates of wgmma */
    int na, nb, nc, nd;      /* registers */
    enum element a, b, c;
    int metadata; /* bits an index has: 2 of 16-bit elements, 4 of tf32 */
    bool group, sparse;
    int selector;
    uint64_t a_at, b_at; /* descriptors, the image at 0 */
};
extern const struct matrix_case matrix_cases[];
extern const int matrix_ncases;

uint32_t words_next(void);
uint32_t words_of(enum element e, enum kind kind);
uint32_t words_metadata(const struct matrix_case *x);

#endif
