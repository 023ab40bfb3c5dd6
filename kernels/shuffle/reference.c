/* reference.c of shuffle - where each element must come from; exact. */
#include "kernels/families.h"
#include "kernels/shuffle/columns.h"

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

/* Threads without data give 0. An odd element at the end of pairs (two parts) belongs to nobody: it stays poison, and is not
 * looked at. */
void shuffle_check(const struct outcome *o, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    const struct columns *own = o->rung->columns;
    const u64 width = own->consecutive, part = n / own->parts;
    for (u64 i = 0; i < own->parts * part; i++) {
        const u64 base = i / part * part, at = i % part;
        const u64 from = source(own->move, at / width) * width + at % width;
        check_element(c, i, out[i], from < part ? in[base + from] : 0, 0);
    }
}
