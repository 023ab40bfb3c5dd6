/* code.c - ls_code [--blocks] FILE.ptx ...: estimated machine code (meter/code/estimate/code_estimate.c) beside what the installed ptxas makes of the
 * same kernels for an H200. Nothing is run, so each block counts once.
 *
 * Blocks are compared that both have a program for; where one side has joined blocks that the other keeps apart, their sum.
 *
 *     instructions   of the programs for one entry
 *     stalls         the cycles that those take if nothing is waited for
 *     turn           in loops, the cycles that one warp takes for a turn, in the programs with most copies: with assumed latencies
 *     loads          issued before the first one of them is waited for, in the programs with most copies: how many are
 *                    under way at once
 *     registers      of a thread, at least 16, as a GPU gives them
 *     copies         loops of one block: whether as many turns are one program
 *
 * With --blocks there is a line for each block and loop, estimated before made. An error is |estimated / made - 1|. docs/model.md has the table of the kernels that nothing was tuned on. At most 250 files:
 * more answers of ptxas are not kept. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tests/unit/meter/lowered.h"
#include "meter/code/make_code.h"

enum { SAMPLES = 20000, TEXT_MAX = 1 << 24 };

/* ---- errors ---- */

struct errors {
    const char *what;
    double at[SAMPLES], estimated, made;
    u32 n;
};

static struct errors kernels = {.what = "instructions of a kernel"}, blocks = {.what = "instructions of a block"},
                     stalls = {.what = "stalls of a block"}, registers = {.what = "registers of a thread"},
                     turns = {.what = "cycles of a turn for one warp"},
                     flying = {.what = "loads before the first wait, where there are two"};
static u32 by_pipe[PIPE_COUNT][2];
static bool each; /* a line a block and loop */
static u32 loops, unrolled, unrolled_right, unrolled_wrongly;

static void add_error(struct errors *e, double estimated, double made)
{
    if (made <= 0 || e->n == SAMPLES)
        return;
    e->at[e->n++] = estimated > made ? estimated / made - 1 : 1 - estimated / made;
    e->estimated += estimated;
    e->made += made;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_errors(struct errors *e)
{
    if (!e->n)
        return;
    qsort(e->at, e->n, sizeof e->at[0], by_value);
    printf("| %s | %u | %.0f %% | %.0f %% | %.2f |\n", e->what, e->n, 100 * e->at[e->n / 2], 100 * e->at[e->n * 9 / 10],
           e->estimated / e->made);
}

static void print_pipes(void)
{
    static const char *const names[PIPE_COUNT] = {"none", "fma",    "fmaheavy", "alu",    "fp16", "fp16mma", "fp64",
                                                  "xu",   "tensor", "uniform",  "branch", "adu",  "lsu",     "tex"};
    printf("\n| pipe | estimated | ptxas's |\n| --- | ---: | ---: |\n");
    for (u32 p = 0; p < PIPE_COUNT; p++)
        if (by_pipe[p][0] || by_pipe[p][1])
            printf("| %s | %u | %u |\n", names[p], by_pipe[p][0], by_pipe[p][1]);
}

/* ---- blocks that are compared together ---- */

static u32 root(u32 *with, u32 b)
{
    while (with[b] != b)
        b = with[b] = with[with[b]];
    return b;
}

/* A block without a program is the one's that leads to it. */
static void join_parts(const struct ir_func *f, const struct replay_code *c, u32 *with)
{
    for (u32 b = 0; b < f->nblocks; b++)
        for (u32 s = 0; s < f->blocks[b].nsucc; s++) {
            const u32 to = f->blocks[b].succs[s];
            if (!c->blocks[to].n && to != b)
                with[root(with, to)] = root(with, b);
        }
}

/* ---- what is compared ---- */

struct sums {
    double insts, stalls, loads;
    double turn; /* cycles of one warp, in the programs with most copies */
};

static bool is_load(const struct ir_func *f, const struct replay_inst *i)
{
    return i->op == REPLAY_MEMORY && i->site < f->src->ninsts &&
           ptx_op_rows[f->src->insts[i->site].op].memory == PTX_MEM_LOAD;
}

/* Loads that are issued before one of them is waited for. */
static u32 loads_ahead(const struct ir_func *f, const struct replay_program *p)
{
    u32 n = 0;
    u8 set = 0;
    for (u32 k = 0; k < p->n; k++) {
        const struct replay_inst *i = &p->insts[k];
        if (i->wait & set)
            return n;
        n += is_load(f, i);
        if (is_load(f, i) && i->write_bar != REPLAY_NO_BAR)
            set |= (u8)(1u << i->write_bar);
        else if (i->write_bar != REPLAY_NO_BAR)
            set &= (u8) ~(1u << i->write_bar);
    }
    return n;
}

static bool is_loop(const struct ir_func *f, u32 b)
{
    for (u32 s = 0; s < f->blocks[b].nsucc; s++)
        if (f->blocks[b].succs[s] == b)
            return true;
    return false;
}

/* What a result of variable latency is assumed to take. */
static double latency_of(const struct ir_func *f, const struct replay_inst *i)
{
    enum { GLOBAL = 500, NEAR = 30, UNIT = 20 };
    const bool access = i->op == REPLAY_MEMORY && i->site < f->src->ninsts;
    const u8 space = access ? f->src->insts[i->site].space : SPACE_SHARED;
    return !access ? (i->latency ? i->latency : UNIT) : space == SPACE_GLOBAL || space == SPACE_NONE ? GLOBAL : NEAR;
}

/* The cycles that one warp takes for a program, the second time in a row if it is a loop. */
static double walk(const struct ir_func *f, const struct replay_program *p, bool loop)
{
    enum { READ = 15 };
    double now = 0, start = 0, there[REPLAY_BARS] = {0};
    for (u32 turn = 0; turn < 1u + loop; turn++) {
        start = now;
        for (u32 k = 0; k < p->n; k++) {
            const struct replay_inst *i = &p->insts[k];
            for (u32 bar = 0; bar < REPLAY_BARS; bar++)
                now = i->wait >> bar & 1 && there[bar] > now ? there[bar] : now;
            if (i->write_bar != REPLAY_NO_BAR && now + latency_of(f, i) > there[i->write_bar])
                there[i->write_bar] = now + latency_of(f, i);
            if (i->read_bar != REPLAY_NO_BAR && now + READ > there[i->read_bar])
                there[i->read_bar] = now + READ;
            now += i->stall;
        }
    }
    for (u32 bar = 0; bar < REPLAY_BARS && !loop; bar++)
        now = there[bar] > now ? there[bar] : now;
    return now - start;
}

static void add_block(const struct ir_func *f, const struct replay_block *b, struct sums *s, bool made, bool loop)
{
    if (!b->n)
        return;
    const struct replay_program *one = &b->programs[b->n - 1];
    s->insts += one->n;
    for (u32 k = 0; k < one->n; k++) {
        s->stalls += one->insts[k].stall;
        by_pipe[one->insts[k].pipe][made]++;
    }
    s->loads += loads_ahead(f, &b->programs[0]);
    s->turn += walk(f, &b->programs[0], loop) / b->programs[0].copies;
}

static void compare_loops(const struct ir_func *f, const struct replay_code *e, const struct replay_code *m)
{
    for (u32 b = 0; b < f->nblocks; b++) {
        if (!is_loop(f, b) || !m->blocks[b].n || !e->blocks[b].n)
            continue;
        const bool was = m->blocks[b].programs[0].copies > 1, is = e->blocks[b].programs[0].copies > 1;
        if (each)
            printf("%s loop of line %u: turns %u %u\n", f->name, f->src->insts[f->blocks[b].first].line,
                   e->blocks[b].programs[0].copies, m->blocks[b].programs[0].copies);
        loops++;
        unrolled += was;
        unrolled_right += was && is;
        unrolled_wrongly += is && !was;
    }
}

static void compare(struct arena *mem, const char *file, const struct ir_func *f, const struct replay_code *e,
                    const struct replay_code *m, u32 registers_made)
{
    u32 *with = arena_array(mem, u32, f->nblocks + 1);
    struct sums *es = arena_array(mem, struct sums, f->nblocks + 1),
                *ms = arena_array(mem, struct sums, f->nblocks + 1);
    struct sums eall = {0}, mall = {0};
    for (u32 b = 0; b < f->nblocks; b++)
        with[b] = b;
    join_parts(f, e, with);
    join_parts(f, m, with);
    for (u32 b = 0; b < f->nblocks; b++) {
        add_block(f, &e->blocks[b], &es[root(with, b)], false, is_loop(f, b));
        add_block(f, &m->blocks[b], &ms[root(with, b)], true, is_loop(f, b));
    }
    for (u32 b = 0; b < f->nblocks; b++) {
        eall.insts += es[b].insts;
        mall.insts += ms[b].insts;
        if (es[b].insts == 0 || ms[b].insts == 0)
            continue;
        add_error(&blocks, es[b].insts, ms[b].insts);
        add_error(&stalls, es[b].stalls, ms[b].stalls);
        if (f->blocks[b].loop_depth)
            add_error(&turns, es[b].turn, ms[b].turn);
        if (es[b].loads > 1 || ms[b].loads > 1)
            add_error(&flying, es[b].loads, ms[b].loads);
        if (each)
            printf("%s %s block %u depth %u: insts %.0f %.0f stalls %.0f %.0f turn %.0f %.0f loads %.0f %.0f\n", file,
                   f->name, b, f->blocks[b].loop_depth, es[b].insts, ms[b].insts, es[b].stalls, ms[b].stalls,
                   es[b].turn, ms[b].turn, es[b].loads, ms[b].loads);
    }
    add_error(&kernels, eall.insts, mall.insts);
    compare_loops(f, e, m);
    add_error(&registers, e->registers, registers_made < 16 ? 16 : registers_made);
    if (each)
        printf("%s %s registers: %u %u\n", file, f->name, e->registers, registers_made);
}

/* ---- files ---- */

static void compare_kernels(struct arena *mem, const struct gpu *gpu, const struct ptx_module *mod, const char *file,
                            const char *text, size_t len)
{
    const struct ptxas with = {.program = "ptxas", .tmp = "/tmp"};
    for (u32 k = 0; k < mod->nfuncs; k++) {
        const struct ptx_func *src = mod->funcs[k];
        if (!src->is_entry || !src->ninsts)
            continue;
        const struct ir_func *f = ir_lower(mem, mod, src, &lowered_target);
        const struct sass_func *code = NULL;
        const u32 registers_made = ptxas_ask(&with, text, len, gpu->cc_major * 10 + gpu->cc_minor, src->name, &code);
        const struct replay_code *made = code ? code_from_sass(mem, gpu, f, code) : NULL;
        if (made)
            compare(mem, file, f, code_from_ptx(mem, gpu, f, estimate_make(mem, f, gpu->cc_major, NULL)), made,
                    registers_made);
    }
}

static bool compare_file(const struct gpu *gpu, const char *file)
{
    static char text[TEXT_MAX];
    struct diag_list d;
    struct ptx_module *mod;
    FILE *in = fopen(file, "rb");
    const size_t len = in ? fread(text, 1, sizeof text - 1, in) : 0;
    if (in)
        fclose(in);
    text[len] = 0;
    diag_init(&d);
    if (ptx_parse(text, len, file, &mod, &d) != LS_OK) {
        fprintf(stderr, "%s: %s\n", file, d.first ? d.first->text : "it cannot be read");
        diag_free(&d);
        return false;
    }
    diag_free(&d);
    struct arena mem = ARENA("code");
    const bool ok = !setjmp(mem.oom);
    if (ok)
        compare_kernels(&mem, gpu, mod, file, text, len);
    arena_free(&mem);
    ptx_free(mod);
    return ok;
}

int main(int argc, char **argv)
{
    struct gpu gpu;
    struct diag_list d;
    bool ok = true;
    diag_init(&d);
    if (gpu_find("h200", &gpu, &d) != LS_OK)
        return 2;
    each = argc > 1 && strcmp(argv[1], "--blocks") == 0;
    for (int k = 1 + each; k < argc; k++)
        ok &= compare_file(&gpu, argv[k]);
    printf("| what | compared | median error | nine in ten below | sum / ptxas's |\n| --- | ---: | ---: | ---: | ---: "
           "|\n");
    print_errors(&kernels);
    print_errors(&blocks);
    print_errors(&stalls);
    print_errors(&turns);
    print_errors(&flying);
    print_errors(&registers);
    print_pipes();
    printf("\n%u loops of one block: ptxas unrolled %u, of which %u were expected; %u more were expected\n", loops,
           unrolled, unrolled_right, unrolled_wrongly);
    return ok ? 0 : 1;
}
