/* tree.cu - searches down trees: sorted keys in four layouts, decision forests, nearest points, rays in boxes, a trie. Most
 * are chains of loads that depend on each other, with lanes that part and end at different depths.
 */
#include "corpus.h"
#include <algorithm>

/* ---- where a key is among n sorted keys, or -1 ---- */

struct keys {
    const uint32_t *sorted, *heap; /* heap[k] has its children at 2k and 2k + 1, from 1 */
    const int *heap_rank;          /* the place of heap[k] among the sorted */
    const int4 *nodes;             /* a search tree, nodes anywhere in memory: key, left, right, rank; -1: none */
    const uint32_t *levels;        /* every 32nd of the level below, the top first */
    int n, root, level[8], length[8], nlevels;
};

/* Halves of the sorted array, a thread a query: a chain of loads a thread, from L2 or DRAM. */
__global__ void binary_search(struct keys t, const uint32_t *query, int *rank, int queries)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= queries)
        return;
    const uint32_t q = query[k];
    int low = 0, high = t.n; /* sorted[low] <= q < sorted[high], if at all */
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (t.sorted[middle] <= q)
            low = middle;
        else
            high = middle;
    }
    rank[k] = t.sorted[low] == q ? low : -1;
}

/* The keys in the order of a heap: the upper levels stay in L1, the rest is a chain of loads. */
__global__ void heap_search(struct keys t, const uint32_t *query, int *rank, int queries)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= queries)
        return;
    const uint32_t q = query[k];
    int at = 1, found = -1;
    while (at <= t.n) {
        const uint32_t key = t.heap[at];
        if (key == q)
            found = at;
        at = 2 * at + (key <= q);
    }
    rank[k] = found < 0 ? -1 : t.heap_rank[found];
}

/* A tree of nodes with links: a chain of loads of 16 bytes, each in another sector, lanes end at different depths. */
__global__ void tree_search(struct keys t, const uint32_t *query, int *rank, int queries)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= queries)
        return;
    const uint32_t q = query[k];
    int at = t.root, found = -1;
    while (at >= 0) {
        const int4 node = t.nodes[at];
        if ((uint32_t)node.x == q) {
            found = node.w;
            break;
        }
        at = q < (uint32_t)node.x ? node.y : node.z;
    }
    rank[k] = found;
}

/* A tree of nodes of 32 keys, a warp a query, the child by ballot: fewer loads, coalesced, but 32 lanes a query. */
__global__ void btree_search(struct keys t, const uint32_t *query, int *rank, int queries)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = (int)threadIdx.x % 32;
    if (k >= queries)
        return;
    const uint32_t q = query[k];
    int at = 0;
    for (int l = 0; l < t.nlevels; l++) {
        const int e = at * 32 + lane;
        const bool below = e < t.length[l] && t.levels[t.level[l] + e] <= q;
        at = at * 32 + max(0, __popc(__ballot_sync(~0u, below)) - 1);
    }
    if (lane == 0)
        rank[k] = t.sorted[at] == q ? at : -1;
}

static void fill_heap(const uint32_t *sorted, uint32_t *heap, int *heap_rank, int n, int at, int *next)
{
    if (at > n)
        return;
    fill_heap(sorted, heap, heap_rank, n, 2 * at, next);
    heap_rank[at] = *next;
    heap[at] = sorted[(*next)++];
    fill_heap(sorted, heap, heap_rank, n, 2 * at + 1, next);
}

/* The keys from..to as a tree of a random shape near balance; the nodes' places come from `place`. Its root. */
static int fill_nodes(const uint32_t *sorted, int4 *nodes, const int *place, int from, int to)
{
    if (from >= to)
        return -1;
    const int quarter = (to - from) / 4, m = from + quarter + (int)random_below((uint32_t)(to - from - 2 * quarter));
    nodes[place[m]].x = (int)sorted[m];
    nodes[place[m]].w = m;
    nodes[place[m]].y = fill_nodes(sorted, nodes, place, from, m);
    nodes[place[m]].z = fill_nodes(sorted, nodes, place, m + 1, to);
    return place[m];
}

static int *shuffled(int n)
{
    int *a = host_array<int>((size_t)n);
    for (int k = 0; k < n; k++)
        a[k] = k;
    for (int k = n - 1; k > 0; k--)
        std::swap(a[k], a[random_below((uint32_t)k + 1)]);
    return a;
}

static void fill_levels(struct keys *t, const uint32_t *sorted)
{
    uint32_t *levels = host_array<uint32_t>((size_t)t->n + (size_t)t->n / 16 + 64);
    int step = 1, total = 0;
    while ((t->n + step - 1) / step > 32)
        step *= 32;
    for (; step; step /= 32) {
        t->level[t->nlevels] = total;
        for (int k = 0; k < t->n; k += step)
            levels[total++] = sorted[k];
        t->length[t->nlevels] = total - t->level[t->nlevels];
        t->nlevels++;
    }
    t->levels = to_device(levels, (size_t)total);
}

static void search_case(int size, void (*kernel)(struct keys, const uint32_t *, int *, int), int block, int lanes)
{
    const int n = size == 0 ? 1 << 12 : size == 1 ? 1 << 19 : 3 << 20;
    const int queries = size == 0 ? 1 << 13 : size == 1 ? 1 << 18 : 3 << 18;
    uint32_t *sorted = host_array<uint32_t>((size_t)n), *heap = host_array<uint32_t>((size_t)n + 1);
    int *heap_rank = host_array<int>((size_t)n + 1), next = 0;
    int4 *nodes = host_array<int4>((size_t)n);
    for (int k = 0; k < n; k++)
        sorted[k] = (k ? sorted[k - 1] : 0) + 1 + random_below(600);
    fill_heap(sorted, heap, heap_rank, n, 1, &next);
    struct keys t;
    memset(&t, 0, sizeof t);
    t.n = n;
    t.root = fill_nodes(sorted, nodes, shuffled(n), 0, n);
    fill_levels(&t, sorted);
    t.sorted = to_device(sorted, (size_t)n);
    t.heap = to_device(heap, (size_t)n + 1);
    t.heap_rank = to_device(heap_rank, (size_t)n + 1);
    t.nodes = to_device(nodes, (size_t)n);
    uint32_t *query = host_array<uint32_t>((size_t)queries); /* three of four are there */
    int *want = host_array<int>((size_t)queries), *rank = device_zeros<int>((size_t)queries);
    for (int k = 0; k < queries; k++) {
        const int r = (int)random_below((uint32_t)n);
        const bool there = random_below(4) || (r + 1 < n && sorted[r + 1] == sorted[r] + 1);
        query[k] = sorted[r] + !there;
        want[k] = there ? r : -1;
    }
    uint32_t *dq = to_device(query, (size_t)queries);
    LAUNCH(kernel<<<blocks_for((size_t)queries * lanes, block), block>>>(t, dq, rank, queries));
    const int *got = to_host(rank, (size_t)queries);
    for (int k = 0; k < queries; k++)
        EXPECT(got[k] == want[k], "query %d: %d, not %d", k, got[k], want[k]);
}

static void run_binary_search(int size) { search_case(size, binary_search, 256, 1); }
static void run_heap_search(int size) { search_case(size, heap_search, 256, 1); }
static void run_tree_search(int size) { search_case(size, tree_search, 128, 1); }
static void run_btree_search(int size) { search_case(size, btree_search, 512, 32); }

/* ---- a forest of decision trees: the sum of a leaf of each of 32 trees ---- */

enum { TREES = 32, FEATURES = 16, NODES = 511 };

struct decision {
    int feature; /* -1: a leaf */
    float value; /* the threshold, or the leaf's */
    int left;    /* the right child is behind it */
};

static __host__ __device__ float leaf_of(const struct decision *tree, const float *sample)
{
    struct decision d = tree[0];
    while (d.feature >= 0)
        d = tree[d.left + (sample[d.feature] > d.value)];
    return d.value;
}

/* A thread a sample, tree after tree: divergent chains, scattered loads of nodes that L1 holds. */
__global__ void forest_samples(const struct decision *trees, const float *samples, float *sum, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n)
        return;
    float all = 0;
    for (int t = 0; t < TREES; t++)
        all += leaf_of(trees + t * NODES, samples + (size_t)k * FEATURES);
    sum[k] = all;
}

/* A warp a sample, a lane a tree, a sum by shuffles: divergent chains, the sample in one line, nodes all over. */
__global__ void forest_trees(const struct decision *trees, const float *samples, float *sum, int n)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), k = t / 32, lane = t % 32;
    if (k >= n)
        return;
    float all = leaf_of(trees + lane * NODES, samples + (size_t)k * FEATURES);
    for (int d = 16; d; d /= 2)
        all += __shfl_xor_sync(~0u, all, d);
    if (lane == 0)
        sum[k] = all;
}

/* A block takes one tree into shared memory at a time for its 128 samples: bound by bank conflicts and barriers. */
__global__ void forest_shared(const struct decision *trees, const float *samples, float *sum, int n)
{
    __shared__ struct decision tree[NODES];
    __shared__ float sample[128][FEATURES + 1];
    const int t = (int)threadIdx.x, first = (int)blockIdx.x * 128;
    for (int e = t; e < 128 * FEATURES; e += 128)
        if (first + e / FEATURES < n)
            sample[e / FEATURES][e % FEATURES] = samples[(size_t)first * FEATURES + e];
    float all = 0;
    for (int k = 0; k < TREES; k++) {
        __syncthreads();
        for (int e = t; e < NODES; e += 128)
            tree[e] = trees[k * NODES + e];
        __syncthreads();
        all += leaf_of(tree, sample[t]);
    }
    if (first + t < n)
        sum[first + t] = all;
}

static void grow(struct decision *tree, int at, int depth, int *used)
{
    const bool leaf = depth == 8 || (depth > 2 && random_below(5) == 0);
    tree[at].feature = leaf ? -1 : (int)random_below(FEATURES);
    tree[at].value = leaf ? (float)random_below(100) : 0.2f + 0.6f * random_float();
    if (leaf)
        return;
    const int left = tree[at].left = *used;
    *used += 2;
    grow(tree, left, depth + 1, used);
    grow(tree, left + 1, depth + 1, used);
}

static void forest_case(int size, void (*kernel)(const struct decision *, const float *, float *, int), int lanes)
{
    const int n = size == 0 ? 2048 : size == 1 ? 65536 : 262144;
    struct decision *trees = host_array<struct decision>(TREES * NODES);
    float *samples = host_array<float>((size_t)n * FEATURES);
    for (int t = 0; t < TREES; t++) {
        int used = 1;
        grow(trees + t * NODES, 0, 0, &used);
    }
    for (size_t k = 0; k < (size_t)n * FEATURES; k++)
        samples[k] = random_float();
    struct decision *dt = to_device(trees, TREES * NODES);
    float *ds = to_device(samples, (size_t)n * FEATURES), *sum = device_zeros<float>((size_t)n);
    LAUNCH(kernel<<<blocks_for((size_t)n * lanes, 128), 128>>>(dt, ds, sum, n));
    const float *got = to_host(sum, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 20000) {
        float all = 0;
        for (int t = 0; t < TREES; t++)
            all += leaf_of(trees + t * NODES, samples + (size_t)k * FEATURES);
        EXPECT(got[k] == all, "sample %d: %g, not %g", k, got[k], all);
    }
}

static void run_forest_samples(int size) { forest_case(size, forest_samples, 1); }
static void run_forest_trees(int size) { forest_case(size, forest_trees, 32); }
static void run_forest_shared(int size) { forest_case(size, forest_shared, 1); }

/* ---- the nearest of n points in a plane: a balanced kd-tree, the middle of a range is its root ---- */

/* Sorts points so that the middle of each range parts the rest, by x at even depths and by y at odd. */
static void build_kd(float2 *p, int from, int to, int depth)
{
    if (to - from < 2)
        return;
    const int m = (from + to) / 2;
    std::nth_element(p + from, p + m, p + to,
                     [depth](const float2 &a, const float2 &b) { return depth & 1 ? a.y < b.y : a.x < b.x; });
    build_kd(p, from, m, depth + 1);
    build_kd(p, m + 1, to, depth + 1);
}

struct range {
    int from, to, depth;
    float gap; /* the square of the least distance to its side of the plane */
};

/* A thread a query, its stack in local memory: divergent, bound by latency of local memory and of the points. */
__global__ void kd_nearest(const float2 *point, const float2 *query, float *distance, int n, int queries)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= queries)
        return;
    const float2 q = query[k];
    struct range stack[32];
    int top = 0;
    float best = 1e30f;
    stack[top++] = {0, n, 0, 0.0f};
    while (top) {
        const struct range r = stack[--top];
        if (r.from >= r.to || r.gap >= best)
            continue;
        const int m = (r.from + r.to) / 2;
        const float2 p = point[m];
        const float dx = q.x - p.x, dy = q.y - p.y, side = r.depth & 1 ? dy : dx;
        best = fminf(best, dx * dx + dy * dy);
        const struct range low = {r.from, m, r.depth + 1, side <= 0 ? 0.0f : side * side},
                           high = {m + 1, r.to, r.depth + 1, side <= 0 ? side * side : 0.0f};
        stack[top++] = side <= 0 ? high : low; /* the far half first, so that the near one is taken first */
        stack[top++] = side <= 0 ? low : high;
    }
    distance[k] = best;
}

static void run_kd_nearest(int size)
{
    const int n = size == 0   ? 256
                  : size == 1 ? 16384
                              : 1 << 19,
              queries = size == 0   ? 2048
                        : size == 1 ? 65536
                                    : 1 << 19;
    float2 *point = host_array<float2>((size_t)n), *query = host_array<float2>((size_t)queries);
    for (int k = 0; k < n; k++)
        point[k] = make_float2(random_float(), random_float());
    for (int k = 0; k < queries; k++)
        query[k] = make_float2(random_float(), random_float());
    build_kd(point, 0, n, 0);
    float2 *dp = to_device(point, (size_t)n), *dq = to_device(query, (size_t)queries);
    float *dd = device_zeros<float>((size_t)queries);
    LAUNCH(kd_nearest<<<blocks_for(queries, 64), 64>>>(dp, dq, dd, n, queries));
    const float *got = to_host(dd, (size_t)queries);
    for (int k = 0; k < queries; k += 1 + queries / 100) {
        float best = 1e30f;
        for (int e = 0; e < n; e++) {
            const float dx = query[k].x - point[e].x, dy = query[k].y - point[e].y;
            best = fminf(best, dx * dx + dy * dy);
        }
        EXPECT(fabsf(got[k] - best) <= 1e-5f * best, "query %d: %g, not %g", k, got[k], best);
    }
}

/* ---- rays through spheres in a tree of boxes ---- */

struct box {
    float3 low, high;
    int first, count; /* count 0: two children from `first`; else spheres */
};

static __host__ __device__ float hit_sphere(float4 s, float3 from, float3 to)
{
    const float x = from.x - s.x, y = from.y - s.y, z = from.z - s.z;
    const float b = x * to.x + y * to.y + z * to.z, c = x * x + y * y + z * z - s.w * s.w, d = b * b - c;
    const float t = d < 0 ? -1.0f : -b - sqrtf(d);
    return t > 0 ? t : 1e30f;
}

static __device__ bool hits_box(const struct box &b, float3 from, float3 inverse, float most)
{
    const float x0 = (b.low.x - from.x) * inverse.x, x1 = (b.high.x - from.x) * inverse.x;
    const float y0 = (b.low.y - from.y) * inverse.y, y1 = (b.high.y - from.y) * inverse.y;
    const float z0 = (b.low.z - from.z) * inverse.z, z1 = (b.high.z - from.z) * inverse.z;
    const float enter = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fmaxf(fminf(z0, z1), 0.0f));
    const float leave = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fminf(fmaxf(z0, z1), most));
    return enter <= leave;
}

static __host__ __device__ float3 ray_of(int k, int width)
{
    const float u = ((float)(k % width) + 0.5f) / (float)width - 0.5f,
                v = ((float)(k / width) + 0.5f) / (float)width - 0.5f;
    const float scale = 1.0f / sqrtf(u * u + v * v + 1.0f);
    float3 d;
    d.x = u * scale, d.y = v * scale, d.z = scale;
    return d;
}

/* A thread a ray, 8x8 pixels a block, the nearest sphere: divergent, bound by latency, rays of a warp near each other. */
__global__ void boxes_nearest(const struct box *boxes, const float4 *spheres, float *distance, int width)
{
    const int x = (int)(blockIdx.x * blockDim.x + threadIdx.x), y = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int k = y * width + x;
    const float3 from = make_float3(0.5f, 0.5f, -1.0f), to = ray_of(k, width);
    const float3 inverse = make_float3(1.0f / to.x, 1.0f / to.y, 1.0f / to.z);
    int stack[32], top = 0;
    float best = 1e30f;
    stack[top++] = 0;
    while (top) {
        const struct box b = boxes[stack[--top]];
        if (!hits_box(b, from, inverse, best))
            continue;
        for (int s = 0; s < b.count; s++)
            best = fminf(best, hit_sphere(spheres[b.first + s], from, to));
        if (b.count == 0) {
            stack[top++] = b.first;
            stack[top++] = b.first + 1;
        }
    }
    distance[k] = best;
}

static void build_boxes(struct box *boxes, int at, float4 *s, int from, int to, int axis, int *used)
{
    struct box *b = &boxes[at];
    b->low = make_float3(1e30f, 1e30f, 1e30f);
    b->high = make_float3(-1e30f, -1e30f, -1e30f);
    for (int k = from; k < to; k++) {
        b->low.x = fminf(b->low.x, s[k].x - s[k].w), b->high.x = fmaxf(b->high.x, s[k].x + s[k].w);
        b->low.y = fminf(b->low.y, s[k].y - s[k].w), b->high.y = fmaxf(b->high.y, s[k].y + s[k].w);
        b->low.z = fminf(b->low.z, s[k].z - s[k].w), b->high.z = fmaxf(b->high.z, s[k].z + s[k].w);
    }
    b->first = from;
    b->count = to - from;
    if (to - from <= 4)
        return;
    const int m = (from + to) / 2, first = *used;
    std::nth_element(s + from, s + m, s + to, [axis](const float4 &p, const float4 &q) {
        return axis == 0 ? p.x < q.x : axis == 1 ? p.y < q.y : p.z < q.z;
    });
    b->first = first;
    b->count = 0;
    *used += 2;
    build_boxes(boxes, first, s, from, m, (axis + 1) % 3, used);
    build_boxes(boxes, first + 1, s, m, to, (axis + 1) % 3, used);
}

static void run_boxes_nearest(int size)
{
    const int n = size == 0 ? 128 : size == 1 ? 8192 : 32768, width = size == 0 ? 128 : size == 1 ? 320 : 512;
    float4 *spheres = host_array<float4>((size_t)n);
    struct box *boxes = host_array<struct box>((size_t)n);
    const float radius = 0.3f / cbrtf((float)n);
    int used = 1;
    for (int k = 0; k < n; k++)
        spheres[k] = make_float4(random_float(), random_float(), random_float(), radius * (0.5f + random_float()));
    build_boxes(boxes, 0, spheres, 0, n, 0, &used);
    struct box *db = to_device(boxes, (size_t)used);
    float4 *ds = to_device(spheres, (size_t)n);
    float *dd = device_zeros<float>((size_t)width * width);
    LAUNCH(boxes_nearest<<<dim3(width / 8, width / 8), dim3(8, 8)>>>(db, ds, dd, width));
    const float *got = to_host(dd, (size_t)width * width);
    int wrong = 0;
    for (int k = 0; k < width * width; k += 1 + width * width / 200) {
        float best = 1e30f, from[3] = {0.5f, 0.5f, -1.0f};
        for (int s = 0; s < n; s++)
            best = fminf(best, hit_sphere(spheres[s], make_float3(from[0], from[1], from[2]), ray_of(k, width)));
        wrong += fabsf(got[k] - best) > 1e-3f * best;
    }
    EXPECT(wrong <= 2, "%d of 200 rays", wrong); /* a ray may graze a sphere: rounding decides */
}

/* ---- words in a trie ---- */

enum { LETTERS = 8, LONGEST = 12 };

/* A thread a word of 3 to 12 letters: a chain of loads a letter, lanes end where their word leaves the trie. */
__global__ void trie_lookup(const int *child, const unsigned char *words, int *node, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= n)
        return;
    int at = 0;
    for (int e = 0; e < LONGEST && at >= 0; e++) {
        const int letter = words[(size_t)k * LONGEST + e];
        if (letter == LETTERS)
            break;
        at = child[at * LETTERS + letter];
    }
    node[k] = at;
}

static void run_trie_lookup(int size)
{
    const int known = size == 0   ? 1000
                      : size == 1 ? 100000
                                  : 1000000,
              n = size == 0   ? 8192
                  : size == 1 ? 1 << 19
                              : 1 << 22;
    int *child = host_array<int>((size_t)known * LONGEST * LETTERS), used = 1;
    unsigned char *words = host_array<unsigned char>((size_t)n * LONGEST);
    memset(child, -1, (size_t)known * LONGEST * LETTERS * sizeof(int));
    for (int k = 0; k < n; k++) {
        const int length = 3 + (int)random_below(LONGEST - 2);
        for (int e = 0; e < LONGEST; e++)
            words[(size_t)k * LONGEST + e] = e < length ? (unsigned char)random_below(LETTERS) : LETTERS;
    }
    for (int k = 0; k < known; k++) { /* the first words are in the trie */
        const unsigned char *word = words + (size_t)k * LONGEST;
        for (int e = 0, at = 0; e < LONGEST && word[e] < LETTERS; e++) {
            int *to = &child[at * LETTERS + word[e]];
            if (*to < 0)
                *to = used++;
            at = *to;
        }
    }
    for (int k = n / 2; k < n; k++) /* and come again */
        memcpy(words + (size_t)k * LONGEST, words + (size_t)random_below((uint32_t)known) * LONGEST, LONGEST);
    int *dc = to_device(child, (size_t)used * LETTERS), *dn = device_zeros<int>((size_t)n);
    unsigned char *dw = to_device(words, (size_t)n * LONGEST);
    LAUNCH(trie_lookup<<<blocks_for(n, 1024), 1024>>>(dc, dw, dn, n));
    const int *got = to_host(dn, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 200000) {
        int at = 0;
        for (int e = 0; e < LONGEST && at >= 0 && words[(size_t)k * LONGEST + e] < LETTERS; e++)
            at = child[at * LETTERS + words[(size_t)k * LONGEST + e]];
        EXPECT(got[k] == at, "word %d: %d, not %d", k, got[k], at);
    }
}

CORPUS({"binary_search", "search", run_binary_search}, {"heap_search", "search", run_heap_search},
       {"tree_search", "search", run_tree_search}, {"btree_search", "search", run_btree_search},
       {"forest_samples", "forest", run_forest_samples}, {"forest_trees", "forest", run_forest_trees},
       {"forest_shared", "forest", run_forest_shared}, {"kd_nearest", NULL, run_kd_nearest},
       {"boxes_nearest", NULL, run_boxes_nearest}, {"trie_lookup", NULL, run_trie_lookup})
