/* node_shared.c - the instructions that make the address of a shared variable (sass/shared_address.c). What all lanes come to has uniform
 * registers for that. */
#include "meter/code/estimate/build.h"

/* All lanes of a warp come there, as far as the way through the function says. */
static bool is_common(const struct build *b)
{
    u32 at = 0;
    while (at != b->block && at < b->f->nblocks)
        at = b->f->blocks[at].ipdom;
    return at == b->block;
}

static struct shared_address *find(struct build *b, const struct ptx_var *var)
{
    for (u32 k = 0; k < b->addresses.len; k++)
        if (b->addresses.at[k].var == var)
            return &b->addresses.at[k];
    return NULL;
}

struct value build_shared_address(struct build *b, u32 site, const struct ptx_var *var)
{
    const struct shared_address *known = find(b, var);
    if (known && !b->guarded)
        return build_result(b, known->node);
    const char unit = is_common(b) ? 'u' : 'a';
    const u32 number = b->addresses.len && !b->guarded ? b->addresses.at[0].number : build_unit(b, 's', site);
    const u32 offset = build_unit(b, unit, site), node = build_unit(b, unit, site);
    struct value parts = build_result(b, number);
    value_add(b, &parts, offset);
    build_use(b, &parts, node);
    if (!b->guarded)
        vec_push(b->mem, &b->addresses, ((struct shared_address){var, number, node}));
    return build_result(b, node);
}
