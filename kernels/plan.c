/* plan.c - making plans: each function appends one thing and keeps to the limits of struct plan. */
#include "kernels/family.h"

#include <string.h>

u32 buffer_element(enum buffer_type type)
{
    static const u8 bytes[] = {[BUFFER_INT] = 4,  [BUFFER_FLOAT] = 4, [BUFFER_DOUBLE] = 8,
                               [BUFFER_HALF] = 2, [BUFFER_BF16] = 2,  [BUFFER_BYTE] = 1};
    return bytes[type];
}

u32 plan_buffer(struct plan *p, struct buffer b)
{
    LS_BUG_ON(p->nbuffers == PLAN_BUFFERS);
    p->buffers[p->nbuffers] = b;
    return p->nbuffers++;
}

u32 plan_input(struct plan *p, enum buffer_type type, u64 count)
{
    return plan_buffer(p, (struct buffer){.use = BUFFER_IN, .type = type, .count = count});
}

u32 plan_fixed(struct plan *p, enum buffer_type type, u64 count, const void *contents)
{
    return plan_buffer(p, (struct buffer){.use = BUFFER_IN, .type = type, .count = count, .fixed = contents});
}

u32 plan_output(struct plan *p, enum buffer_type type, u64 count)
{
    return plan_buffer(p, (struct buffer){.use = BUFFER_OUT, .type = type, .count = count});
}

u32 plan_inout(struct plan *p, enum buffer_type type, u64 count)
{
    return plan_buffer(p, (struct buffer){.use = BUFFER_INOUT, .type = type, .count = count});
}

void plan_constant(struct plan *p, const char *name, const void *data, u32 bytes)
{
    LS_BUG_ON(p->nconstants == PLAN_CONSTANTS);
    p->constants[p->nconstants++] = (struct plan_constant){name, data, bytes};
}

u32 plan_texture(struct plan *p, struct plan_texture t)
{
    LS_BUG_ON(p->ntextures == PLAN_TEXTURES);
    p->textures[p->ntextures] = t;
    return p->ntextures++;
}

u32 plan_map(struct plan *p, struct plan_map m)
{
    LS_BUG_ON(p->nmaps == PLAN_MAPS);
    p->maps[p->nmaps] = m;
    return p->nmaps++;
}

void plan_step(struct plan *p, struct step s) { vec_push(p->mem, &p->steps, s); }

struct launch *plan_launch_2d(struct plan *p, const char *kernel, u64 grid_x, u64 grid_y, u32 bx, u32 by)
{
    struct launch *l = arena_new(p->mem, struct launch);
    *l = (struct launch){.kernel = kernel, .grid = {(u32)grid_x, (u32)grid_y, 1}, .block = {bx, by, 1}, .carveout = -1};
    plan_step(p, (struct step){.kind = STEP_LAUNCH, .launch = l});
    return l;
}

struct launch *plan_launch_in(struct plan *p, u32 stream, const char *kernel, u64 blocks, u32 threads)
{
    struct launch *l = plan_launch_2d(p, kernel, blocks, 1, threads, 1);
    p->steps.at[p->steps.len - 1].stream = stream;
    return l;
}

struct launch *plan_launch(struct plan *p, const char *kernel, u64 blocks, u32 threads)
{
    return plan_launch_in(p, 0, kernel, blocks, threads);
}

void launch_clusters(struct launch *l, u32 blocks)
{
    if (!blocks)
        return;
    l->cluster[0] = blocks;
    l->cluster[1] = l->cluster[2] = 1;
    l->grid[0] = ceil_div(l->grid[0], blocks) * blocks;
}

static void add_arg(struct launch *l, struct plan_arg a)
{
    LS_BUG_ON(l->nargs == PLAN_ARGS);
    l->args[l->nargs++] = a;
}

void launch_pointer(struct launch *l, u32 buffer, u64 element)
{
    add_arg(l, (struct plan_arg){.kind = ARG_BUFFER, .index = buffer, .value = element});
}

void launch_buffer(struct launch *l, u32 buffer) { launch_pointer(l, buffer, 0); }

void launch_texture(struct launch *l, u32 texture)
{
    add_arg(l, (struct plan_arg){.kind = ARG_TEXTURE, .index = texture});
}

void launch_map(struct launch *l, u32 map) { add_arg(l, (struct plan_arg){.kind = ARG_MAP, .index = map}); }

/* Little-endian: a 32-bit parameter is the low half of the 64. */
void launch_u64(struct launch *l, u64 v) { add_arg(l, (struct plan_arg){.kind = ARG_VALUE, .value = v}); }

void launch_u32(struct launch *l, u32 v) { launch_u64(l, v); }

void launch_f32(struct launch *l, f32 v)
{
    u32 bits;
    memcpy(&bits, &v, 4);
    launch_u64(l, bits);
}

const struct launch *plan_main(const struct plan *p, const struct rung *r)
{
    const struct launch *first = NULL;
    for (u32 i = 0; i < p->steps.len; i++) {
        const struct launch *l = p->steps.at[i].launch;
        if (l && strcmp(l->kernel, r->kernel) == 0)
            return l;
        first = first ? first : l;
    }
    return first;
}
