/* graph.cu - graphs: levels of a search, ranks, distances, triangles, trees of a union. */
#include "corpus.h"

/* Neighbours of n vertices in compressed rows, in order where that is wanted. Degrees follow a power law; targets are random. */
struct graph {
    int n, edges;
    int *begin, *target; /* n + 1, edges */
};

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Sorts each list and leaves out who stands there twice. */
static void sort_lists(struct graph *g)
{
    int to = 0;
    for (int v = 0, first = 0; v < g->n; v++) {
        const int last = g->begin[v + 1];
        qsort(g->target + first, last - first, sizeof *g->target, compare_ints);
        for (int k = first; k < last; k++)
            if (k == first || g->target[k] != g->target[k - 1]) g->target[to++] = g->target[k];
        first = last;
        g->begin[v + 1] = to;
    }
    g->edges = to;
}

static struct graph random_graph(int n, bool sorted)
{
    struct graph g = {n, 0, host_array<int>(n + 1), NULL};
    for (int v = 0; v < n; v++) {
        const float u = random_float();
        const int degree = (int)(3.0f / (u + 0.01f)); /* 3 to 300, 13 on the average */
        g.begin[v + 1] = g.begin[v] + degree;
    }
    g.edges = g.begin[n];
    g.target = host_array<int>(g.edges);
    for (int k = 0; k < g.edges; k++)
        g.target[k] = random_below(n);
    if (sorted) sort_lists(&g);
    return g;
}

static struct graph to_device_graph(struct graph g)
{
    struct graph d = g;
    d.begin = to_device(g.begin, g.n + 1);
    d.target = to_device(g.target, g.edges);
    return d;
}

static void free_graph(struct graph g) { free(g.begin), free(g.target); }

/* The vertex at the beginning of each edge. */
static int *edge_sources(struct graph g)
{
    int *source = host_array<int>(g.edges);
    for (int v = 0; v < g.n; v++)
        for (int k = g.begin[v]; k < g.begin[v + 1]; k++)
            source[k] = v;
    return source;
}

/* ---- one level of a breadth-first search: vertices of level 1 mark their neighbours that have none ---- */

enum { UNSEEN = 1 << 30 };

/* A vertex a thread: most threads leave at once, the rest have lists of all lengths. */
__global__ void bfs_vertex_a_thread(struct graph g, const int *, int *level)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n || level[v] != 1) return;
    for (int k = g.begin[v]; k < g.begin[v + 1]; k++)
        if (level[g.target[k]] > 2) level[g.target[k]] = 2;
}

/* A vertex a warp: lists are read together. */
__global__ void bfs_vertex_a_warp(struct graph g, const int *, int *level)
{
    const int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (v >= g.n || level[v] != 1) return;
    for (int k = g.begin[v] + lane; k < g.begin[v + 1]; k += 32)
        if (level[g.target[k]] > 2) level[g.target[k]] = 2;
}

/* An edge a thread: no lane waits for another, but all edges are read. */
__global__ void bfs_edge_a_thread(struct graph g, const int *source, int *level)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= g.edges || level[source[k]] != 1) return;
    if (level[g.target[k]] > 2) level[g.target[k]] = 2;
}

static void run_bfs(int size, void (*kernel)(struct graph, const int *, int *), int lanes)
{
    static const int sizes[] = {20000, 300000, 2000000};
    const struct graph g = random_graph(sizes[size], false), d = to_device_graph(g);
    int *source = edge_sources(g), *level = host_array<int>(g.n);
    for (int v = 0; v < g.n; v++)
        level[v] = random_below(8) ? UNSEEN : random_below(2);
    int *device_level = to_device(level, g.n), *device_source = to_device(source, g.edges);
    const size_t threads = lanes ? (size_t)g.n * lanes : g.edges;
    LAUNCH(kernel<<<blocks_for(threads, 256), 256>>>(d, device_source, device_level));
    int *got = to_host(device_level, g.n);
    for (int k = 0; k < g.edges; k++)
        if (level[source[k]] == 1 && level[g.target[k]] > 2) level[g.target[k]] = 2;
    EXPECT(!memcmp(got, level, g.n * sizeof *got), "levels differ");
    free_graph(g), free(source), free(level), free(got);
}

/* ---- a step of PageRank: a vertex adds up what its neighbours give ---- */

/* A vertex a thread: gathers from random places, one after the other; bound by latency and the longest list of a warp. */
__global__ void pagerank_thread(struct graph g, const float *__restrict__ share, float *rank)
{
    const int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= g.n) return;
    float sum = 0;
    for (int k = g.begin[v]; k < g.begin[v + 1]; k++)
        sum += share[g.target[k]];
    rank[v] = 0.15f + 0.85f * sum;
}

/* A vertex four lanes. */
__global__ void pagerank_four(struct graph g, const float *__restrict__ share, float *rank)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x, v = thread / 4, lane = thread % 4;
    float sum = 0;
    if (v < g.n)
        for (int k = g.begin[v] + lane; k < g.begin[v + 1]; k += 4)
            sum += share[g.target[k]];
    sum += __shfl_xor_sync(~0u, sum, 1);
    sum += __shfl_xor_sync(~0u, sum, 2);
    if (v < g.n && lane == 0) rank[v] = 0.15f + 0.85f * sum;
}

static void run_pagerank(int size, void (*kernel)(struct graph, const float *, float *), int lanes)
{
    static const int sizes[] = {5000, 200000, 2000000};
    const struct graph g = random_graph(sizes[size], false), d = to_device_graph(g);
    float *share = host_array<float>(g.n);
    for (int v = 0; v < g.n; v++)
        share[v] = random_float();
    float *device_share = to_device(share, g.n), *device_rank = device_zeros<float>(g.n);
    LAUNCH(kernel<<<blocks_for((size_t)g.n * lanes, 128), 128>>>(d, device_share, device_rank));
    float *rank = to_host(device_rank, g.n);
    for (int v = 0; v < g.n; v += 31) {
        double sum = 0;
        for (int k = g.begin[v]; k < g.begin[v + 1]; k++)
            sum += share[g.target[k]];
        EXPECT(close_to(rank[v], 0.15 + 0.85 * sum, 1e-5), "vertex %d: %g", v, rank[v]);
    }
    free_graph(g), free(share), free(rank);
}

/* ---- relaxation of all edges for shortest paths: an atomic minimum an edge at a random place; bound by L2's atomics ---- */

__global__ void sssp_relax(int edges, const int *source, const int *target, const int *weight, const int *from, int *to)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < edges) atomicMin(&to[target[k]], from[source[k]] + weight[k]);
}

static void run_sssp(int size)
{
    static const int sizes[] = {4000, 200000, 1500000};
    const struct graph g = random_graph(sizes[size], false);
    int *source = edge_sources(g), *weight = host_array<int>(g.edges), *distance = host_array<int>(g.n);
    for (int k = 0; k < g.edges; k++)
        weight[k] = 1 + random_below(100);
    for (int v = 0; v < g.n; v++)
        distance[v] = random_below(10000);
    int *device_source = to_device(source, g.edges), *device_target = to_device(g.target, g.edges);
    int *device_weight = to_device(weight, g.edges);
    int *from = to_device(distance, g.n), *to = to_device(distance, g.n);
    LAUNCH(sssp_relax<<<blocks_for(g.edges, 512), 512>>>(g.edges, device_source, device_target, device_weight, from, to));
    int *got = to_host(to, g.n), *want = host_array<int>(g.n);
    memcpy(want, distance, g.n * sizeof *want);
    for (int k = 0; k < g.edges; k++) {
        const int through = distance[source[k]] + weight[k];
        if (through < want[g.target[k]]) want[g.target[k]] = through;
    }
    EXPECT(!memcmp(got, want, g.n * sizeof *got), "distances differ");
    free_graph(g), free(source), free(weight), free(distance), free(got), free(want);
}

/* ---- triangles: neighbours that the two ends of an edge have in common ---- */

__host__ __device__ static inline int common_by_merge(const int *a, const int *a_end, const int *b, const int *b_end)
{
    int count = 0;
    while (a < a_end && b < b_end) {
        const int x = *a, y = *b;
        count += x == y;
        a += x <= y, b += y <= x;
    }
    return count;
}

/* An edge a thread walks both lists: chains of dependent reads, divergent. */
__global__ void triangles_merge(struct graph g, const int *source, int *count)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= g.edges) return;
    const int *a = g.target + g.begin[source[k]], *a_end = g.target + g.begin[source[k] + 1];
    const int *b = g.target + g.begin[g.target[k]], *b_end = g.target + g.begin[g.target[k] + 1];
    count[k] = common_by_merge(a, a_end, b, b_end);
}

/* An edge a warp: each lane searches for one neighbour of the source among those of the target. */
__global__ void triangles_search(struct graph g, const int *source, int *count)
{
    const int k = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (k >= g.edges) return;
    const int first = g.begin[source[k]], last = g.begin[source[k] + 1];
    const int other = g.begin[g.target[k]], end = g.begin[g.target[k] + 1];
    int found = 0;
    for (int i = first + lane; i < last; i += 32) {
        int low = other, high = end;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (g.target[middle] < g.target[i]) low = middle + 1;
            else high = middle;
        }
        found += low < end && g.target[low] == g.target[i];
    }
    found = __reduce_add_sync(~0u, found);
    if (lane == 0) count[k] = found;
}

static void run_triangles(int size, void (*kernel)(struct graph, const int *, int *), int lanes)
{
    static const int sizes[] = {400, 6000, 60000};
    const struct graph g = random_graph(sizes[size], true);
    const struct graph d = to_device_graph(g);
    int *source = edge_sources(g), *device_source = to_device(source, g.edges), *device_count = device_zeros<int>(g.edges);
    LAUNCH(kernel<<<blocks_for((size_t)g.edges * lanes, 256), 256>>>(d, device_source, device_count));
    int *count = to_host(device_count, g.edges);
    for (int k = 0; k < g.edges; k += 13) {
        const int *a = g.target + g.begin[source[k]], *a_end = g.target + g.begin[source[k] + 1];
        const int *b = g.target + g.begin[g.target[k]], *b_end = g.target + g.begin[g.target[k] + 1];
        const int want = common_by_merge(a, a_end, b, b_end);
        EXPECT(count[k] == want, "edge %d: %d, not %d", k, count[k], want);
    }
    free_graph(g), free(source), free(count);
}

/* ---- the roots of trees: each thread follows parents to the end; random dependent reads of different number ---- */

__global__ void find_roots(const int *parent, int *root, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const int i = v;
    while (parent[v] != v)
        v = parent[v];
    root[i] = v;
}

static void run_find_roots(int size)
{
    static const int sizes[] = {10000, 500000, 8000000};
    const int n = sizes[size];
    int *parent = host_array<int>(n), *root = host_array<int>(n);
    for (int v = 0; v < n; v++) { /* parents come before, so that roots are known in order */
        parent[v] = v && random_below(1000) ? (int)random_below(v) : v;
        root[v] = parent[v] == v ? v : root[parent[v]];
    }
    int *device_parent = to_device(parent, n), *device_root = device_zeros<int>(n);
    LAUNCH(find_roots<<<blocks_for(n, 96), 96>>>(device_parent, device_root, n));
    int *got = to_host(device_root, n);
    EXPECT(!memcmp(got, root, n * sizeof *got), "roots differ");
    free(parent), free(root), free(got);
}

CORPUS({"bfs_vertex_a_thread", "bfs", [](int size) { run_bfs(size, bfs_vertex_a_thread, 1); }},
       {"bfs_vertex_a_warp", "bfs", [](int size) { run_bfs(size, bfs_vertex_a_warp, 32); }},
       {"bfs_edge_a_thread", "bfs", [](int size) { run_bfs(size, bfs_edge_a_thread, 0); }},
       {"pagerank_thread", "pagerank", [](int size) { run_pagerank(size, pagerank_thread, 1); }},
       {"pagerank_four", "pagerank", [](int size) { run_pagerank(size, pagerank_four, 4); }}, {"sssp_relax", NULL, run_sssp},
       {"triangles_merge", "triangles", [](int size) { run_triangles(size, triangles_merge, 1); }},
       {"triangles_search", "triangles", [](int size) { run_triangles(size, triangles_search, 32); }},
       {"find_roots", NULL, run_find_roots})
