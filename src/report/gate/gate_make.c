/* gate_make.c - the launches of a session as the kernels of a baseline: launches of one name with one shape are one kernel,
 * their counters added up, by source line too. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/gpu.h"
#include "report/gate/gate.h"
#include "report/limit.h"

#define MUCH 0.1 /* of a kernel's instructions: a line is kept for them alone */

/* ---- the table ---- */

static const struct gate_metric_info infos[] = {
#define GATE_COUNT(id, how, metric, label, formula) {#id, label, GATE_##how, metric, true},
#define GATE_FACT(id, how, metric, label) {#id, label, GATE_##how, metric, false},
#include "report/gate/gate.def"
#undef GATE_FACT
#undef GATE_COUNT
};

const struct gate_metric_info *gate_metric_info(enum gate_metric m) { return &infos[m]; }

int gate_metric_find(const char *name)
{
    const int id = metric_find(name);
    for (int m = 0; m < GATE_METRICS; m++)
        if (!strcmp(name, infos[m].name) || (id >= 0 && infos[m].metric == id))
            return m;
    return -1;
}

/* What events say, into `v`; what is no sum of them stays. */
static void counts_of(const u64 *n, double v[GATE_METRICS])
{
#define E(x) ((double)n[EVENT_##x])
#define GATE_COUNT(id, how, metric, label, formula) v[GATE_##id] = formula;
#define GATE_FACT(id, how, metric, label)
#include "report/gate/gate.def"
#undef GATE_FACT
#undef GATE_COUNT
#undef E
}

const char *gate_function(struct arena *mem, const char *name)
{
    static const char unnamed[] = "(anonymous namespace)::";
    const char *in = strstr(name, unnamed);
    name = in ? in + sizeof unnamed - 1 : name;
    const size_t n = strcspn(name, "<(");
    const char *from = name + n;
    while (from > name && from[-1] != ' ' && from[-1] != ':')
        from--;
    return arena_strndup(mem, from, (size_t)(name + n - from));
}

/* ---- texts of lines ---- */

enum { TEXT_MOST = 80 };

/* Blanks together, cut to what tells lines apart. */
static const char *words_of(struct arena *mem, const char *line)
{
    char out[TEXT_MOST + 1];
    size_t n = 0;
    for (; *line && n < TEXT_MOST; line++) {
        const bool blank = *line == ' ' || *line == '\t';
        if (!blank || (n && out[n - 1] != ' '))
            out[n++] = blank ? ' ' : (char)((u8)*line < ' ' ? '?' : *line);
    }
    while (n && (out[n - 1] == ' ' || ((u8)out[n - 1] & 0xc0) == 0x80 ||
                 (u8)out[n - 1] >= 0xc0)) /* no part of a character */
        n--;
    return arena_strndup(mem, out, n);
}

/* Registers are numbered anew by each compilation: "%rd12" is "%rd". */
static const char *ptx_words(struct arena *mem, const char *ptx)
{
    const char *words = words_of(mem, ptx);
    char *text = arena_strndup(mem, words, strlen(words)), *to = text;
    bool name = false;
    for (const char *at = text; *at; at++) {
        const bool digit = *at >= '0' && *at <= '9';
        name = *at == '%' || (name && (digit || (*at >= 'a' && *at <= 'z')));
        if (!name || !digit)
            *to++ = *at;
    }
    *to = 0;
    return text;
}

static struct gate_line line_of(struct arena *mem, const struct check_paths *paths, const struct meter_line *l)
{
    char name[4096], text[4096];
    struct gate_line to = {.line = l->line ? l->line : l->ptx_line};
    counts_of(l->n, to.v);
    if (!l->line || !l->file) {
        to.text = l->ptx ? ptx_words(mem, l->ptx) : NULL;
        return to;
    }
    struct check_paths whole = *paths;
    whole.strip = false;
    check_file(&whole, l->file, name, sizeof name);
    to.file = arena_printf(mem, "%s", *name == '/' ? check_base_name(name) : name);
    to.path = arena_printf(mem, "%s", l->file);
    if (check_source_line(paths, l->file, l->line, text, sizeof text))
        to.text = words_of(mem, text);
    return to;
}

/* ---- groups of launches ---- */

struct group {
    struct gate_kernel *kernel;
    struct meter_report *sum; /* of its first launch, and then of all */
    const char *mangled;
    VEC(struct meter_line) lines;
    double ns, bytes, timed; /* modelled, of so many launches: the others are as long on average */
};

struct maker {
    struct arena *mem;
    const struct session *session;
    const struct check_paths *paths;
    VEC(struct group *) groups;
};

static bool same_shape(const struct meter_report *a, const struct meter_report *b)
{
    return !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block) &&
           a->dynamic_shared == b->dynamic_shared;
}

static struct group *group_of(const struct maker *m, const struct meter_report *r)
{
    for (u32 i = 0; i < m->groups.len; i++) {
        struct group *g = m->groups.at[i];
        if (same_shape(g->sum, r) && !strcmp(g->mangled, r->kernel))
            return g;
    }
    return NULL;
}

static const char *limit_of(const struct maker *m, const struct meter_report *r)
{
    struct gpu gpu;
    struct limits limits;
    struct diag_list diags;
    const char *named = r->process < m->session->nprocesses ? m->session->processes[r->process].gpu : NULL;
    diag_init(&diags);
    const bool known = gpu_find(named ? named : r->device, &gpu, &diags) == LS_OK;
    diag_free(&diags);
    return known && limits_of(r, &gpu, &limits) ? limit_name(limits.nearest) : NULL;
}

static double product(const u32 v[3]) { return (double)v[0] * v[1] * v[2]; }

static struct group *new_group(struct maker *m, struct meter_report *r)
{
    char name[4096];
    struct group *g = arena_new(m->mem, struct group);
    struct gate_kernel *k = g->kernel = arena_new(m->mem, struct gate_kernel);
    *g = (struct group){.kernel = k, .sum = r, .mangled = r->kernel};
    k->name = arena_printf(m->mem, "%s", kernel_name(r->kernel, KERNEL_DEMANGLED, name, sizeof name));
    k->function = gate_function(m->mem, k->name);
    memcpy(k->grid, r->grid, sizeof k->grid);
    memcpy(k->block, r->block, sizeof k->block);
    k->limit = limit_of(m, r);
    k->v[GATE_blocks] = product(r->grid);
    k->v[GATE_block_size] = product(r->block);
    k->v[GATE_shared_static] = r->static_shared;
    k->v[GATE_shared_dynamic] = r->dynamic_shared;
    k->v[GATE_registers] = r->registers;
    k->v[GATE_occupancy] = round(10 * r->occupancy.pct) / 10;
    return g;
}

static bool same_place(const struct meter_line *a, const struct meter_line *b)
{
    const bool source = a->line && a->file;
    if (source != (b->line && b->file))
        return false;
    return source ? a->line == b->line && !strcmp(a->file, b->file) : a->ptx_line == b->ptx_line;
}

/* Launches of a kernel mostly have the same lines in the same order: *next is where the last one was. */
static void add_line(struct maker *m, struct group *g, const struct meter_line *l, u32 *next)
{
    for (u32 i = 0; i < g->lines.len; i++) {
        struct meter_line *to = &g->lines.at[(*next + i) % g->lines.len];
        if (!same_place(to, l))
            continue;
        for (u32 e = 0; e < EVENT_COUNT; e++)
            to->n[e] += l->n[e];
        *next = (u32)(to - g->lines.at) + 1;
        return;
    }
    vec_push(m->mem, &g->lines, *l);
}

static void add_launch(struct maker *m, struct group *g, struct meter_report *r)
{
    struct arena tmp = ARENA_UNDER("tmp", m->mem);
    u32 n, next = 0;
    const struct meter_line *lines = meter_source_lines(r, &tmp, &n);
    for (u32 i = 0; i < n; i++)
        add_line(m, g, &lines[i], &next);
    arena_free(&tmp);
    g->kernel->v[GATE_launches]++;
    if (!isnan(meter_value(r, METRIC_gpu_time))) {
        g->ns += meter_value(r, METRIC_gpu_time);
        g->bytes += meter_value(r, METRIC_dram_bytes);
        g->timed++;
    }
    if (r != g->sum)
        meter_report_add(g->sum, r);
}

static int by_place(const void *a, const void *b)
{
    const struct gate_line *x = a, *y = b;
    const int file = strcmp(x->file ? x->file : "", y->file ? y->file : "");
    return file ? file : (x->line > y->line) - (x->line < y->line);
}

/* Worth a line of the baseline: it touches memory, waits, or has much of the work. */
static bool is_kept(const struct gate_line *l, const struct gate_kernel *k)
{
    for (u32 m = 0; m < GATE_METRICS; m++)
        if (infos[m].by_line && infos[m].how < GATE_CODE && l->v[m] > 0)
            return true;
    return l->v[GATE_inst] >= MUCH * k->v[GATE_inst] && l->v[GATE_inst] > 0;
}

static void finish(struct maker *m, struct group *g)
{
    struct gate_kernel *k = g->kernel;
    counts_of(g->sum->n, k->v);
    const double share = k->v[GATE_launches] / g->timed;
    k->v[GATE_time_ns] = g->timed > 0 ? round(g->ns * share) : NAN;
    k->v[GATE_dram_bytes] = g->timed > 0 ? round(g->bytes * share) : NAN;
    k->lines = arena_array(m->mem, struct gate_line, g->lines.len + 1);
    for (u32 i = 0; i < g->lines.len; i++) {
        const struct gate_line l = line_of(m->mem, m->paths, &g->lines.at[i]);
        if (is_kept(&l, k))
            k->lines[k->nlines++] = l;
    }
    if (k->nlines)
        qsort(k->lines, k->nlines, sizeof *k->lines, by_place);
}

static int by_sequence(const void *a, const void *b)
{
    const struct meter_report *x = *(struct meter_report *const *)a, *y = *(struct meter_report *const *)b;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

bool gate_make(struct arena *mem, const struct session *s, const struct check_paths *paths, struct gate_baseline *to,
               const char **why)
{
    char name[4096];
    struct maker m = {mem, s, paths, {0}};
    struct meter_report **all = arena_array(mem, struct meter_report *, s->n + 1);
    memcpy(all, s->reports, s->n * sizeof *all);
    if (s->n)
        qsort(all, s->n, sizeof *all, by_sequence);
    for (u32 i = 0; i < s->n; i++) {
        struct meter_report *r = all[i];
        if (strcmp(r->status, "ok") != 0) {
            *why = arena_printf(mem, "a launch of %s ended with: %s",
                                kernel_name(r->kernel, KERNEL_DEMANGLED, name, sizeof name), r->status);
            return false;
        }
        struct group *g = group_of(&m, r);
        if (!g) {
            g = new_group(&m, r);
            vec_push(mem, &m.groups, g);
        }
        add_launch(&m, g, r);
        if (!to->gpu)
            to->gpu = arena_printf(mem, "%s", r->device);
    }
    for (u32 i = 0; i < m.groups.len; i++) {
        finish(&m, m.groups.at[i]);
        vec_push(mem, &to->kernels, m.groups.at[i]->kernel);
    }
    return true;
}

/* ---- copies ---- */

static struct gate_kernel *copies_of(struct arena *mem, struct gate_baseline *b, const char *name)
{
    for (u32 i = 0; i < b->kernels.len; i++)
        if (b->kernels.at[i]->copies && !strcmp(b->kernels.at[i]->name, name))
            return b->kernels.at[i];
    struct gate_kernel *k = arena_new(mem, struct gate_kernel);
    k->name = k->function = name;
    k->copies = true;
    vec_push(mem, &b->kernels, k);
    return k;
}

static bool is_host(const char *place) { return place && (!strcmp(place, "pageable") || !strcmp(place, "pinned")); }

/* "HtoD" of a copy, "fill"; NULL: neither. */
static const char *direction_of(const json_t *o)
{
    static const char *const names[2][2] = {{"DtoD", "DtoH"}, {"HtoD", "HtoH"}};
    const char *op = json_string_value(json_object_get(o, "op"));
    if (!op || (strcmp(op, "copy") != 0 && strcmp(op, "set") != 0))
        return NULL;
    if (*op == 's')
        return "fill";
    return names[is_host(json_string_value(json_object_get(o, "from")))]
                [is_host(json_string_value(json_object_get(o, "to")))];
}

void gate_add_copies(struct arena *mem, const char *path, struct gate_baseline *to)
{
    char line[2048];
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        json_t *o = strncmp(line, "{\"op\"", 5) == 0 ? json_loads(line, 0, NULL) : NULL;
        const char *name = o ? direction_of(o) : NULL;
        if (name) {
            struct gate_kernel *k = copies_of(mem, to, name);
            k->v[GATE_copies]++;
            k->v[GATE_copy_bytes] += (double)json_integer_value(json_object_get(o, "bytes"));
        }
        json_decref(o);
    }
    if (f)
        fclose(f);
}

/* ---- order ---- */

void gate_sort(struct gate_baseline *b)
{
    for (u32 i = 1; i < b->kernels.len; i++) { /* by insertion: those that are alike stay in their order */
        struct gate_kernel *k = b->kernels.at[i];
        u32 at = i;
        for (; at; at--) {
            const struct gate_kernel *before = b->kernels.at[at - 1];
            if (before->copies != k->copies ? k->copies : strcmp(before->name, k->name) <= 0)
                break;
            b->kernels.at[at] = b->kernels.at[at - 1];
        }
        b->kernels.at[at] = k;
    }
}
