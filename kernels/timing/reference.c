/* reference.c of timing - k rounds of x = a x + b modulo 2^32, exactly.
 *
 * k rounds are one: x = a^k x + b (a^(k-1) + ... + 1). Both factors by squaring, log2(k) steps for all elements
 * together: after a map (p, q) twice comes (p p, p q + q). */
#include "kernels/families.h"

static void power(u32 k, u32 *factor, u32 *addend)
{
    u32 p = 1664525, q = 1013904223; /* the kernel's */
    *factor = 1;
    *addend = 0;
    for (; k; k >>= 1) {
        if (k & 1) {
            *addend = p * *addend + q;
            *factor *= p;
        }
        q = p * q + q;
        p *= p;
    }
}

void timing_check(const struct outcome *o, struct check *c)
{
    const u32 *before = o->before[0], *after = o->after[0];
    u32 factor, addend;
    power(o->shape->k, &factor, &addend);
    for (u64 i = 0; i < o->shape->n; i++)
        check_element(c, i, after[i], factor * before[i] + addend, 0);
}
