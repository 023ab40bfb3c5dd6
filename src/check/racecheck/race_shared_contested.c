/* race_shared_contested.c - words of shared memory into which lanes of one warp wrote different things, in no order.
 *
 * Which of the values stays is not known, but it is one of them, and that is harmless as long as nobody reads it: warps
 * compact items into shared memory and let the lanes whose item is dropped write to a place behind the last. So such a
 * hazard is kept with its cell, told when somebody reads the cell, and forgotten when a write that is ordered behind it
 * comes first. When cells become smaller, what was kept is forgotten too. */
#include "check/racecheck/race_shared.h"

/* ---- the kept hazards ---- */

static bool make_room(struct check_worker *w, struct shared_cells *c)
{
    if (!c->is_contested)
        c->is_contested = check_array(&w->mem, u8, c->n);
    return c->is_contested && check_room(&w->mem, &c->contested);
}

/* Of a cell that is contested. */
static struct contested *contested_at(struct shared_cells *c, u32 cell)
{
    struct contested *x = c->contested.at;
    while (x->cell != cell)
        x++;
    return x;
}

void contested_keep(const struct shared_event *e, const struct contested *x)
{
    struct shared_cells *c = e->c;
    if (c->is_contested && c->is_contested[x->cell]) {
        struct contested *old = contested_at(c, x->cell);
        if (x->kind == FINDING_SHARED_WAW || old->kind == FINDING_SHARED_SAME) /* that values differ is worth more */
            *old = *x;
    } else if (make_room(e->w, c)) {
        c->contested.at[c->contested.len++] = *x;
        c->is_contested[x->cell] = 1;
    }
}

void contested_drop(struct shared_cells *c)
{
    for (u32 k = 0; k < c->contested.len; k++)
        c->is_contested[c->contested.at[k].cell] = 0;
    c->contested.len = 0;
}

static void forget(struct shared_cells *c, struct contested *x)
{
    c->is_contested[x->cell] = 0;
    *x = c->contested.at[--c->contested.len];
}

/* ---- what ends them ---- */

void contested_read(const struct shared_event *e)
{
    for (u32 m = e->t->mask; m && e->c->contested.len; m &= m - 1)
        for (u32 k = touch_cell(e->t, (u32)__builtin_ctz(m)), end = k + (1u << e->t->bits); k < end; k++)
            if (e->c->is_contested[k]) {
                struct contested *x = contested_at(e->c, k);
                race_shared_report_contested(e, x);
                forget(e->c, x);
            }
}

void contested_write(const struct shared_event *e)
{
    for (u32 m = e->t->mask; m && e->c->contested.len; m &= m - 1) {
        const u32 lane = (u32)__builtin_ctz(m);
        for (u32 k = touch_cell(e->t, lane), end = k + (1u << e->t->bits); k < end; k++)
            if (e->c->is_contested[k] && !race_shared_is_hazard(e, e->c->wr[k], lane))
                forget(e->c, contested_at(e->c, k));
    }
}
