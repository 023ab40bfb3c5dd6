/* mem_tree.c - a treap (Seidel and Aragon 1996): a search tree by base that is also a heap by random priorities, so its
 * expected depth is logarithmic whatever the order of the keys. Priorities come from the base by a hash, which makes
 * the shape, and with it every run, reproducible. */
#include "exec/memory/mem_tree.h"

/* The finaliser of splitmix64. */
static u32 hash(u64 x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (u32)(x >> 32);
}

static u64 max_free(const struct extent *e) { return e ? e->max_free : 0; }

static void update(struct extent *e)
{
    u64 most = e->state == EXTENT_FREE ? e->span : 0;
    if (max_free(e->left) > most)
        most = max_free(e->left);
    if (max_free(e->right) > most)
        most = max_free(e->right);
    e->max_free = most;
}

/* Parts t into the extents below `base` and those at or above it. */
static void split(struct extent *t, u64 base, struct extent **low, struct extent **high)
{
    if (!t) {
        *low = *high = NULL;
        return;
    }
    if (t->base < base) {
        split(t->right, base, &t->right, high);
        *low = t;
    } else {
        split(t->left, base, low, &t->left);
        *high = t;
    }
    update(t);
}

/* All of low lies below all of high. */
static struct extent *merge(struct extent *low, struct extent *high)
{
    if (!low || !high)
        return low ? low : high;
    if (low->priority > high->priority) {
        low->right = merge(low->right, high);
        update(low);
        return low;
    }
    high->left = merge(low, high->left);
    update(high);
    return high;
}

void tree_insert(struct extent **root, struct extent *e)
{
    struct extent *low, *high;
    if (LS_DEBUG) { /* extents never overlap */
        const struct extent *before = tree_floor(*root, e->base), *after = tree_above(*root, e->base);
        LS_BUG_ON(before && before->base + before->span > e->base);
        LS_BUG_ON(after && e->base + e->span > after->base);
    }
    e->priority = hash(e->base);
    e->left = e->right = NULL;
    update(e);
    split(*root, e->base, &low, &high);
    *root = merge(merge(low, e), high);
}

void tree_remove(struct extent **root, struct extent *e)
{
    struct extent *t = *root;
    LS_BUG_ON(!t);
    if (t == e) {
        *root = merge(t->left, t->right);
        return;
    }
    tree_remove(e->base < t->base ? &t->left : &t->right, e);
    update(t);
}

struct extent *tree_floor(struct extent *t, u64 address)
{
    struct extent *best = NULL;
    while (t) {
        if (t->base <= address) {
            best = t;
            t = t->right;
        } else {
            t = t->left;
        }
    }
    return best;
}

struct extent *tree_above(struct extent *t, u64 address)
{
    struct extent *best = NULL;
    while (t) {
        if (t->base > address) {
            best = t;
            t = t->left;
        } else {
            t = t->right;
        }
    }
    return best;
}

struct extent *tree_fit(struct extent *t, u64 span)
{
    while (t && t->max_free >= span) {
        if (max_free(t->left) >= span)
            t = t->left;
        else if (t->state == EXTENT_FREE && t->span >= span)
            return t;
        else
            t = t->right;
    }
    return NULL;
}

void tree_each(struct extent *t, void (*fn)(void *ctx, struct extent *e), void *ctx)
{
    while (t) {
        struct extent *right = t->right; /* fn may free t */
        tree_each(t->left, fn, ctx);
        fn(ctx, t);
        t = right;
    }
}
