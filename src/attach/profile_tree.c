/* profile_tree.c - the time of a launch whose kernels launched kernels (profile_tree.h). */
#include "attach/profile_tree.h"

#include "base/vec.h"
#include "exec/device/launched.h"
#include "meter/session/session.h"

enum { DEPTHS = 64 };

/* Of the launch that this thread runs. Without memory it is given up. */
static _Thread_local struct {
    struct arena mem;
    VEC(struct child_grid) grids;
    u32 path[DEPTHS]; /* the last grid of each depth */
    bool lost;
    struct meter_tree kept;
} tree;

void profile_tree_begin(void)
{
    profile_tree_end();
    tree.mem.name = "tree of launches";
}

struct meter_tree *profile_tree_kept(void) { return &tree.kept; }

static enum child_order order_of(u64 stream)
{
    return stream == LAUNCHED_TAIL ? CHILD_TAIL : stream == LAUNCHED_FORGOTTEN ? CHILD_FORGOTTEN : CHILD_IN_STREAM;
}

/* The thread's own stream is one of the block's. */
static u64 stream_of(const struct exec_launched_by *by)
{
    return by->stream == LAUNCHED_PER_THREAD ? 1ull << 63 | by->thread : by->stream;
}

void profile_tree_add(const struct exec_launch *l, const struct meter_report *r, const struct gpu *gpu)
{
    const struct exec_launched_by by = exec_launched_by(l);
    const struct child_grid g = {.parent = l->depth && l->depth < DEPTHS ? tree.path[l->depth - 1] : 0,
                                 .order = order_of(by.stream),
                                 .stream = stream_of(&by),
                                 .block = by.block,
                                 .thread = by.thread,
                                 .ns = r ? (double)r->n[EVENT_time_ns] : 0,
                                 .blocks = (u64)l->grid[0] * l->grid[1] * l->grid[2],
                                 .held = r ? (double)r->occupancy.blocks_per_sm * gpu->sms : 0};
    tree.lost |= l->depth >= DEPTHS || !vec_room(&tree.mem, &tree.grids) || (l->depth > 0) != (tree.grids.len > 0);
    if (tree.lost)
        return;
    tree.path[l->depth] = tree.grids.len;
    tree.grids.at[tree.grids.len++] = g;
}

double profile_tree_ns(const struct gpu *gpu, struct child_traffic *traffic)
{
    if (tree.lost || tree.grids.len < 2 || tree.grids.at[0].ns <= 0 || setjmp(tree.mem.oom))
        return 0;
    return children_ns(&tree.mem, gpu, tree.grids.at, tree.grids.len, traffic);
}

void profile_tree_end(void)
{
    arena_free(&tree.mem);
    meter_tree_end(&tree.kept);
    memset(&tree, 0, sizeof tree);
}
