/* reference.c of shuffle - where each element must come from; exact. */
#include <string.h>

#include "kernels/families.h"

enum move { BROADCAST, UP, DOWN, WRAP, XOR, ROWS };

static enum move move_of(const char *kernel)
{
    return strstr(kernel, "roadcast") ? BROADCAST
           : strstr(kernel, "_up")    ? UP
           : strstr(kernel, "_down")  ? DOWN
           : strstr(kernel, "_wrap")  ? WRAP
           : strstr(kernel, "_2d")    ? ROWS
                                      : XOR;
}

/* The thread whose value thread i gets; its group of 16 is i / 16 * 16 on. */
static u64 source(enum move m, u64 i)
{
    const u64 group = i / 16 * 16, lane = i % 16;
    switch (m) {
    case BROADCAST:
        return group + 2;
    case UP:
        return lane < 2 ? i : i - 2;
    case DOWN:
        return lane > 13 ? i : i + 2;
    case WRAP:
        return group + (lane + 2) % 16;
    case XOR:
        return i ^ 1;
    case ROWS:
        return i ^ 8;
    }
    return i;
}

/* Threads hold `unroll` consecutive elements, or those `unroll` parts of the data apart (struct); without data, 0. An odd
 * element at the end of pairs belongs to nobody: it stays poison, and is not looked at. */
void shuffle_check(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    const enum move m = move_of(o->rung->kernel);
    const u64 width = strstr(o->rung->kernel, "array") ? o->rung->unroll : 1;
    const bool halves = strstr(o->rung->kernel, "struct") != NULL;
    const u64 part = halves ? n / 2 : n;
    for (u64 i = 0; i < (halves ? 2 * part : n); i++) {
        const u64 base = i / part * part, at = i % part;
        const u64 from = source(m, at / width) * width + at % width;
        check_element(c, i, out[i], from < part ? in[base + from] : 0, 0);
    }
}
