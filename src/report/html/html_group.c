/* html_group.c - launches put together as kernels (html_parts.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/html_parts.h"

static int by_words(const u32 *a, const u32 *b, u32 n)
{
    for (u32 i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* 0: the same kernel. */
static int compare_keys(const struct meter_report *a, const struct meter_report *b)
{
    const u32 x[] = {a->dynamic_shared, a->cluster[0], a->cluster[1], a->cluster[2]};
    const u32 y[] = {b->dynamic_shared, b->cluster[0], b->cluster[1], b->cluster[2]};
    int c = strcmp(a->kernel, b->kernel);
    c = c ? c : by_words(a->grid, b->grid, 3);
    c = c ? c : by_words(a->block, b->block, 3);
    c = c ? c : by_words(x, y, LS_ARRAY_LEN(x));
    return c ? c : strcmp(a->device ? a->device : "", b->device ? b->device : "");
}

/* Of one kernel in the order in which they were launched. */
static int by_kernel(const void *a, const void *b)
{
    const struct ncu_launch *x = *(const struct ncu_launch *const *)a, *y = *(const struct ncu_launch *const *)b;
    const int c = compare_keys(x->r, y->r);
    return c ? c : (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
    const struct html_kernel *x = a, *y = b;
    const double s = isnan(x->ns) ? -1 : x->ns, t = isnan(y->ns) ? -1 : y->ns;
    return s != t ? (s < t) - (s > t) : (x->launches[0] > y->launches[0]) - (x->launches[0] < y->launches[0]);
}

static double modelled_time(const struct ncu_launch *l) { return meter_value(l->r, METRIC_gpu_time); }

static void finish(struct html_page *p, struct html_kernel *k)
{
    const size_t size = 16384;
    char *name = arena_alloc(p->mem, size);
    k->shown = k->launches[0];
    k->ns = NAN;
    for (u32 i = 0; i < k->n; i++) {
        const double ns = modelled_time(k->launches[i]);
        if (isnan(ns))
            continue;
        k->ns = k->timed++ ? k->ns + ns : ns;
        if (!(ns <= modelled_time(k->shown)))
            k->shown = k->launches[i];
    }
    const char *mangled = k->shown->r->kernel;
    kernel_name(mangled, KERNEL_DEMANGLED, name, size);
    k->name = arena_strndup(p->mem, name, strlen(name));
    kernel_name(mangled, KERNEL_FUNCTION, name, size);
    k->function = arena_strndup(p->mem, name, strlen(name));
}

/* ---- back from a launch ---- */

static int by_address(const void *a, const void *b)
{
    const struct html_launch *x = a, *y = b;
    return (x->r > y->r) - (x->r < y->r);
}

static void index_launches(struct html_page *p)
{
    struct html_launch *all = arena_array(p->mem, struct html_launch, p->r->n + 1);
    u32 n = 0;
    for (u32 k = 0; k < p->n; k++)
        for (u32 i = 0; i < p->kernels[k].n; i++)
            all[n++] = (struct html_launch){p->kernels[k].launches[i]->r, k};
    if (n)
        qsort(all, n, sizeof *all, by_address);
    p->by_report = all;
}

int html_kernel_of(const struct html_page *p, const struct meter_report *r)
{
    const struct html_launch key = {.r = r};
    const struct html_launch *found =
        r && p->r->n ? bsearch(&key, p->by_report, p->r->n, sizeof key, by_address) : NULL;
    return found ? (int)found->kernel : -1;
}

void html_group(struct html_page *p)
{
    const u32 n = p->r->n;
    const struct ncu_launch **all = arena_array(p->mem, const struct ncu_launch *, n + 1);
    for (u32 i = 0; i < n; i++)
        all[i] = &p->r->launches[i];
    if (n)
        qsort(all, n, sizeof *all, by_kernel);
    p->kernels = arena_array(p->mem, struct html_kernel, n + 1);
    for (u32 i = 0, next; i < n; i = next) {
        for (next = i + 1; next < n && !compare_keys(all[i]->r, all[next]->r);)
            next++;
        struct html_kernel *k = &p->kernels[p->n++];
        *k = (struct html_kernel){.launches = all + i, .n = next - i};
        finish(p, k);
    }
    if (p->n)
        qsort(p->kernels, p->n, sizeof *p->kernels, by_time);
    index_launches(p);
}
