/* gate_cause.c - why a kernel's numbers changed: rules over what moved and what did not, the likeliest first. Each has the number
 * that shows it, and the source line in which that number changed most.
 *
 * A rule looks at numbers a launch, so that a kernel which is launched more often is not taken for one that does more. The
 * rules name what usually does that to the numbers; they do not compare sources. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/gate/gate.h"

#define NEAR 0.01 /* less is no change of a total */
#define SOME 0.02 /* of a ratio */

struct ruler {
    struct arena *mem;
    const struct gate_pair *p;
    struct gate_cause *c;
};

/* ---- numbers ---- */

static double value(const struct gate_kernel *k, enum gate_metric m)
{
    const double v = isnan(k->v[m]) ? 0 : k->v[m];
    const bool sum = gate_metric_info(m)->by_line;
    return sum && k->v[GATE_launches] > 0 ? v / k->v[GATE_launches] : v;
}

static double was(const struct ruler *r, enum gate_metric m) { return value(r->p->old, m); }
static double is(const struct ruler *r, enum gate_metric m) { return value(r->p->now, m); }

#define WAS(m) was(r, GATE_##m)
#define IS(m) is(r, GATE_##m)

static bool more(double a, double b) { return b > a * (1 + NEAR) && b > a; }
static bool about(double a, double b) { return fabs(a - b) <= NEAR * fmax(fabs(a), fabs(b)); }
static double ratio(double a, double b) { return b > 0 ? a / b : 0; }

#define MORE(m) more(WAS(m), IS(m))
#define LESS(m) more(IS(m), WAS(m))

/* A request takes more sectors, and fewer of their bytes are asked for. */
static bool worse(const struct ruler *r, enum gate_metric requests, enum gate_metric sectors, enum gate_metric bytes)
{
    const double each0 = ratio(was(r, sectors), was(r, requests)), each1 = ratio(is(r, sectors), is(r, requests));
    const double used0 = ratio(was(r, bytes), was(r, sectors)), used1 = ratio(is(r, bytes), is(r, sectors));
    return each0 > 0 && each1 > each0 * (1 + SOME) && used1 < used0 * (1 - SOME);
}

static const char *number(const struct ruler *r, double v) { return gate_number(r->mem, v); }

/* ---- rules: false where they do not apply ---- */

#define SAY(...) (r->c->text = arena_printf(r->mem, __VA_ARGS__))

static bool copies(struct ruler *r)
{
    if (!r->p->old->copies)
        return false;
    r->c->metric = WAS(copies) != IS(copies) ? GATE_copies : GATE_copy_bytes;
    SAY("%s: %s times with %s bytes, not %s with %s", r->p->now->name, number(r, IS(copies)), number(r, IS(copy_bytes)),
        number(r, WAS(copies)), number(r, WAS(copy_bytes)));
    return true;
}

static bool launches(struct ruler *r)
{
    if (WAS(launches) == IS(launches))
        return false;
    r->c->metric = GATE_launches;
    SAY("it is launched %s times, not %s", number(r, IS(launches)), number(r, WAS(launches)));
    return true;
}

static bool block_size(struct ruler *r)
{
    const u32 *a = r->p->old->block, *b = r->p->now->block;
    if (!memcmp(a, b, 3 * sizeof *a))
        return false;
    r->c->metric = GATE_block_size;
    SAY("a block has %ux%ux%u threads, not %ux%ux%u", b[0], b[1], b[2], a[0], a[1], a[2]);
    return true;
}

/* As many threads in blocks of another size are no change of the grid's own. */
static bool grid_size(struct ruler *r)
{
    const u32 *a = r->p->old->grid, *b = r->p->now->grid;
    const double more_threads = WAS(blocks) * WAS(block_size) - IS(blocks) * IS(block_size);
    const bool other_blocks = memcmp(r->p->old->block, r->p->now->block, 3 * sizeof *a) != 0;
    if (!memcmp(a, b, 3 * sizeof *a) || (other_blocks && fabs(more_threads) < fmax(WAS(block_size), IS(block_size))))
        return false;
    r->c->metric = GATE_blocks;
    SAY("the grid has %ux%ux%u blocks, not %ux%ux%u", b[0], b[1], b[2], a[0], a[1], a[2]);
    return true;
}

static bool local_memory(struct ruler *r)
{
    if (!MORE(lld_sectors) && !MORE(lst_sectors))
        return false;
    r->c->metric = MORE(lld_sectors) ? GATE_lld_sectors : GATE_lst_sectors;
    SAY("an array %s local memory: an index is no longer known when it is compiled, as in a loop that is not unrolled",
        WAS(lld_sectors) + WAS(lst_sectors) > 0 ? "takes more of" : "went from registers to");
    return true;
}

static bool double_precision(struct ruler *r)
{
    if (!MORE(fp64))
        return false;
    r->c->metric = GATE_fp64;
    SAY("%s arithmetic in f64: a constant without f, or a function of doubles",
        WAS(fp64) > 0 ? "more" : "there is now");
    return true;
}

static bool atomics(struct ruler *r)
{
    static const enum gate_metric all[] = {GATE_gatom_lanes, GATE_gred_lanes, GATE_satom_requests, GATE_gatom_requests,
                                           GATE_gred_requests};
    const double before = WAS(gatom_requests) + WAS(gred_requests) + WAS(satom_requests);
    for (u32 i = 0; i < LS_ARRAY_LEN(all); i++)
        if (more(was(r, all[i]), is(r, all[i]))) {
            r->c->metric = all[i];
            SAY("%s: what was added up in registers or shared memory first is not any more",
                before > 0 ? "more atomics" : "there are atomics now");
            return true;
        }
    return false;
}

static bool bank_conflicts(struct ruler *r)
{
    if (!MORE(bank_conflicts))
        return false;
    r->c->metric = GATE_bank_conflicts;
    SAY("bank conflicts: the lanes of a warp want different words of the same bank");
    if (LESS(shared_static))
        SAY("%s; the kernel declares %s bytes of shared memory, not %s, so a pad may be gone", r->c->text,
            number(r, IS(shared_static)), number(r, WAS(shared_static)));
    return true;
}

static bool asynchronous(struct ruler *r)
{
    if (!LESS(gasync_requests) || !MORE(gld_requests))
        return false;
    r->c->metric = GATE_gld_requests;
    SAY("copies to shared memory are not asynchronous any more: they go through registers");
    return true;
}

static bool vector_width(struct ruler *r)
{
    const bool load = MORE(gld_requests) && about(WAS(gld_bytes), IS(gld_bytes));
    const bool store = MORE(gst_requests) && about(WAS(gst_bytes), IS(gst_bytes));
    const bool shared = MORE(sld_requests) || MORE(sst_requests);
    if ((!load && !store && !shared) || (!LESS(memory_128b) && !LESS(memory_64b)) ||
        (!MORE(memory_32b) && !MORE(memory_64b)))
        return false;
    r->c->metric = load ? GATE_gld_requests : store ? GATE_gst_requests : GATE_sld_requests;
    SAY("narrower accesses: the same bytes, %s bytes a thread where there were %s, in more requests",
        MORE(memory_32b) ? "4" : "8", LESS(memory_128b) ? "16" : "8");
    return true;
}

static bool staging(struct ruler *r)
{
    if (!MORE(gld_requests) || !LESS(sst_requests))
        return false;
    r->c->metric = GATE_gld_requests;
    SAY("values that threads share are read from global memory, not from a tile in shared memory");
    return true;
}

/* The same bytes in more requests of fewer lanes each. */
static bool parted(double requests0, double requests1, double bytes0, double bytes1)
{
    return more(requests0, requests1) && about(bytes0, bytes1);
}

static bool divergence(struct ruler *r)
{
    const bool load = parted(WAS(gld_requests), IS(gld_requests), WAS(gld_bytes), IS(gld_bytes));
    const bool store = parted(WAS(gst_requests), IS(gst_requests), WAS(gst_bytes), IS(gst_bytes));
    if (!load && !store)
        return false;
    r->c->metric = load ? GATE_gld_requests : GATE_gst_requests;
    SAY("a branch parts the lanes of a warp: the same bytes in more requests of fewer threads each");
    return true;
}

static bool coalescing(struct ruler *r)
{
    const bool load = worse(r, GATE_gld_requests, GATE_gld_sectors, GATE_gld_bytes);
    const bool store = worse(r, GATE_gst_requests, GATE_gst_sectors, GATE_gst_bytes);
    const bool copy = worse(r, GATE_gasync_requests, GATE_gasync_sectors, GATE_gasync_bytes);
    if (!load && !store && !copy)
        return false;
    r->c->metric = load ? GATE_gld_sectors : store ? GATE_gst_sectors : GATE_gasync_sectors;
    const double a = was(r, r->c->metric), b = is(r, r->c->metric);
    if (b < 1.5 * a)
        SAY("accesses begin in the middle of a sector: %.2f times the sectors for the same bytes", b / a);
    else
        SAY("neighbouring threads no longer take neighbouring words: %.2f times the sectors", b / a);
    return true;
}

static bool barriers(struct ruler *r)
{
    if (!MORE(barriers))
        return false;
    r->c->metric = GATE_barriers;
    SAY("a barrier more: warps arrive %s times, not %s", number(r, IS(barriers)), number(r, WAS(barriers)));
    return true;
}

static bool detour(struct ruler *r)
{
    if (!MORE(gld_requests) || !MORE(gst_requests))
        return false;
    r->c->metric = GATE_gst_requests;
    SAY("values are stored to global memory and loaded again: one copy more");
    return true;
}

static bool reload(struct ruler *r)
{
    if (!MORE(gld_requests) && !MORE(gld_bytes))
        return false;
    r->c->metric = MORE(gld_requests) ? GATE_gld_requests : GATE_gld_bytes;
    SAY("the same is loaded more often: a lost __restrict__, or a value that is not kept in a register");
    return true;
}

static bool stores(struct ruler *r)
{
    if (!MORE(gst_requests) && !MORE(gst_bytes))
        return false;
    r->c->metric = MORE(gst_requests) ? GATE_gst_requests : GATE_gst_bytes;
    SAY("more is stored: a sum that is not kept in a register, or results written twice");
    return true;
}

static bool constants(struct ruler *r)
{
    if (!MORE(const_words))
        return false;
    r->c->metric = GATE_const_words;
    SAY("threads of a warp read different constants: one pass for each");
    return true;
}

static bool shared_traffic(struct ruler *r)
{
    if (!MORE(sld_requests) && !MORE(sst_requests))
        return false;
    r->c->metric = MORE(sld_requests) ? GATE_sld_requests : GATE_sst_requests;
    SAY("more goes through shared memory: values that were exchanged by shuffles or kept in registers");
    return true;
}

static bool shared_size(struct ruler *r)
{
    const double a = WAS(shared_static) + WAS(shared_dynamic), b = IS(shared_static) + IS(shared_dynamic);
    if (a == b)
        return false;
    r->c->metric = WAS(shared_static) != IS(shared_static) ? GATE_shared_static : GATE_shared_dynamic;
    SAY("a block takes %s bytes of shared memory, not %s", number(r, b), number(r, a));
    return true;
}

/* What fails and moved most; `up`: that grew. */
static bool most(struct ruler *r, bool up, bool failing)
{
    double farthest = 0;
    for (u32 i = 0; i < r->p->nchanges; i++) {
        const struct gate_change *c = &r->p->changes[i];
        const double way = fabs(c->is - c->was) / fmax(fabs(c->is), fabs(c->was));
        if ((c->is > c->was) != up || c->fails != failing || way <= farthest)
            continue;
        farthest = way;
        r->c->metric = c->metric;
    }
    return farthest > 0;
}

static bool grown(struct ruler *r)
{
    if (!most(r, true, true))
        return false;
    SAY("more %s", gate_metric_info(r->c->metric)->label);
    return true;
}

static bool shrunk(struct ruler *r)
{
    if (!most(r, false, true))
        return false;
    SAY("less: %s", gate_metric_info(r->c->metric)->label);
    return true;
}

static bool renamed(struct ruler *r)
{
    if (!r->p->renamed)
        return false;
    r->c->metric = GATE_launches;
    SAY("its parameters or template arguments changed: it was %s", r->p->old->name);
    return true;
}

static bool machine_code(struct ruler *r)
{
    if (r->p->verdict != GATE_MOVED || (!most(r, true, false) && !most(r, false, false)))
        return false;
    SAY("what the source decides is as before; the machine code or the model's view of it differs");
    return true;
}

enum { LOADS = 1, STORES = 2, SHARED = 4 };

static const struct rule {
    const char *id;
    bool (*test)(struct ruler *r);
    const char *todo;
    bool launch; /* its place is where the kernel is launched */
    bool last;   /* only where no other rule applies */
    u32 about;   /* what it explains: a later rule about the same says nothing new */
} rules[] = {
    {"copies", copies, "Copy once what is needed, and leave on the device what stays there.", false, false, 0},
    {"launches", launches, "Look at the loop around the launch.", true, false, 0},
    {"block-size", block_size, "Launch as before, or accept it if it was meant.", true, false, 0},
    {"grid-size", grid_size, "Launch as before, or accept it if it was meant.", true, false, 0},
    {"local-memory", local_memory, "Unroll the loop whole, so that all indices are constants.", false, false, 0},
    {"double-precision", double_precision, "Write constants as 1.0f and call the functions of float.", false, false, 0},
    {"atomics", atomics, "Add up in registers, by shuffles or in shared memory, and let one thread do the atomic.",
     false, false, 0},
    {"bank-conflicts", bank_conflicts, "Pad the rows of the tile by one element, or permute the index.", false, false,
     SHARED},
    {"asynchronous-copy", asynchronous, "Copy by cp.async (memcpy_async), or accept it.", false, false, LOADS},
    {"staging", staging, "Read each value once into a tile of shared memory.", false, false, LOADS | SHARED},
    {"vector-width", vector_width, "Load and store float4, or what is as wide.", false, false, LOADS | STORES},
    {"divergence", divergence, "Let whole warps take the same side of the branch.", false, false, LOADS | STORES},
    {"coalescing", coalescing, "Let neighbouring threads take neighbouring words, from a multiple of 32 bytes on.",
     false, false, LOADS | STORES},
    {"detour", detour, "Keep the value in a register or in shared memory.", false, false, LOADS | STORES},
    {"reload", reload, "Mark pointers __restrict__, and keep what is used again.", false, false, LOADS},
    {"stores", stores, "Keep the value in a register and store it once.", false, false, STORES},
    {"constants", constants, "Let the threads of a warp read the same constant, or take global memory.", false, false,
     0},
    {"barriers", barriers, "Take the barrier out, or move it out of the loop.", false, false, 0},
    {"shared-traffic", shared_traffic, "Exchange values by shuffles, or keep them in registers.", false, false, SHARED},
    {"shared-size", shared_size, "Look at what the occupancy says.", false, true, 0},
    {"more", grown, "Look at the line.", false, true, 0},
    {"less", shrunk, "If this is what was meant: lockstep gate update.", false, true, 0},
    {"renamed", renamed, "If this is what was meant: lockstep gate update.", false, true, 0},
    {"machine-code", machine_code, "Nothing needs to be done.", false, true, 0},
};

/* ---- places ---- */

static double of_line(const struct gate_line *l, enum gate_metric m) { return l ? l->v[m] : 0; }

/* The line in which the number moved most, the way in which it moved as a whole. */
static void blame(struct ruler *r)
{
    const enum gate_metric m = r->c->metric;
    const double sign = r->p->now->v[m] >= r->p->old->v[m] ? 1 : -1;
    double farthest = 0;
    for (u32 i = 0; i < r->p->nlines; i++) {
        const struct gate_line_pair *l = &r->p->lines[i];
        const double way = sign * (of_line(l->now, m) - of_line(l->old, m));
        if (way > farthest) {
            farthest = way;
            r->c->line = *l;
        }
    }
}

/* "sum<<<", "sum<4> <<<": a launch of that function. */
static bool is_launch(const char *line, const char *function)
{
    const size_t n = strlen(function);
    for (const char *at = line; (at = strstr(at, function)); at += n) {
        const char *end = at + n + strspn(at + n, " ");
        if (at > line && (isalnum((u8)at[-1]) || at[-1] == '_'))
            continue;
        if (*end == '<' && strncmp(end, "<<<", 3) != 0)
            end = strstr(end, "<<<");
        if (end && !strncmp(end, "<<<", 3))
            return true;
    }
    return false;
}

/* Where the kernel is launched, as far as the files of its lines say. */
static void find_launch(struct ruler *r, const struct check_paths *paths)
{
    char *line = NULL;
    size_t room = 0;
    const char *last = NULL;
    for (u32 i = 0; i < r->p->now->nlines && !r->c->path; i++) {
        const struct gate_line *l = &r->p->now->lines[i];
        FILE *f = l->path && (!last || strcmp(l->path, last) != 0) ? check_source_open(paths, l->path) : NULL;
        last = l->path;
        for (u32 n = 1; f && !r->c->path && getline(&line, &room, f) >= 0; n++)
            if (is_launch(line, r->p->now->function)) {
                r->c->path = l->path;
                r->c->place_text = l->file;
                r->c->place_line = n;
            }
        if (f)
            fclose(f);
    }
    free(line);
}

/* What is no number of a line is at the launch, or else at the kernel's first line. */
static void place(struct ruler *r, const struct rule *rule, const struct check_paths *paths)
{
    if (gate_metric_info(r->c->metric)->by_line)
        blame(r);
    else if (rule->launch)
        find_launch(r, paths);
    for (u32 i = 0; i < r->p->nlines && !r->c->path && !r->c->line.now && !r->c->line.old; i++)
        if (r->p->lines[i].now)
            r->c->line = r->p->lines[i];
}

void gate_causes(struct arena *mem, const struct check_paths *paths, struct gate_pair *p)
{
    u32 explained = 0;
    for (u32 i = 0; i < LS_ARRAY_LEN(rules) && p->ncauses < GATE_CAUSES; i++) {
        struct ruler r = {mem, p, &p->causes[p->ncauses]};
        *r.c = (struct gate_cause){.id = rules[i].id, .todo = rules[i].todo};
        if ((rules[i].last && p->ncauses) || (rules[i].about & explained) || !rules[i].test(&r))
            continue;
        explained |= rules[i].about;
        place(&r, &rules[i], paths);
        p->ncauses++;
    }
}
