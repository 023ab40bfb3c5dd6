/* reference.c of fence - sums of blocks and of all, exact in 64 bits; messages, which come out backwards. */
#include "kernels/families.h"
#include "kernels/fence/columns.h"

static bool is(const struct outcome *o, enum task task) { return o->rung->columns->task == task; }

static void check_blocks(const struct outcome *o, u64 part, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    for (u64 block = 0; block * part < n; block++) {
        i64 sum = 0;
        for (u64 i = block * part; i < n && i < (block + 1) * part; i++)
            sum += in[i];
        check_element(c, block, out[block], (double)sum, 0);
    }
}

/* Each round's words backwards; behind the end of the data are zeros. */
static void check_message(const struct outcome *o, u64 width, struct check *c)
{
    const i32 *in = o->before[0], *out = o->after[1];
    const u64 n = o->shape->n;
    for (u64 i = 0; i < n; i++) {
        const u64 from = i / width * width + (width - 1 - i % width);
        check_element(c, i, out[i], from < n ? in[from] : 0, 0);
    }
}

void fence_check(const struct outcome *o, struct check *c)
{
    if (is(o, BLOCK_SUM))
        check_blocks(o, o->shape->bx, c);
    else if (is(o, LAST_BLOCK))
        check_blocks(o, o->shape->n, c);
    else
        check_message(o, is(o, WARP_MESSAGE) ? 32 : o->shape->bx, c);
}
