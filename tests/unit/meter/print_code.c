/* print_code.c - print_code FILE.ptx KERNEL [GPU [estimate]]: the machine code of a kernel, as the replay would run it on that GPU, from
 * the installed ptxas, or as it is estimated without one. By PTX block its programs; a line each instruction:
 *
 *     where  mnemonic  pipe  stall  write and read scoreboard, those waited for  latency, interval  copy  PTX line and opcode */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "lowered.h"
#include "meter/code/make_code.h"

static const char *const pipes[PIPE_COUNT] = {"none", "fma",    "fmaheavy", "alu",    "fp16", "fp16mma", "fp64",
                                              "xu",   "tensor", "uniform",  "branch", "adu",  "lsu",     "tex"};
static const char *const ops[] = {"",        "memory", "barrier", "fence", "commit", "copies",
                                  "product", "groups", "waits",   "sleep", "exit"};

/* Of the first programs: accesses moved up, and those moved down or lost. */
static u32 count(const struct ir_func *f, const struct replay_code *r, bool up, bool lost)
{
    u32 n = 0;
    for (u32 b = 0; b < r->nblocks; b++)
        for (u32 i = 0; r->blocks[b].n && i < r->blocks[b].programs[0].n; i++) {
            const struct replay_inst *x = &r->blocks[b].programs[0].insts[i];
            if (lost || x->op != REPLAY_MEMORY)
                n += lost && code_is_lost(f, r, b, x);
            else
                n += !r->moved ? 0 : up ? r->moved[x->site].up == b + 1 : r->moved[x->site].down;
        }
    return n;
}

static void print_bar(char letter, u8 bar)
{
    if (bar == REPLAY_NO_BAR)
        printf(" --");
    else
        printf(" %c%u", letter, bar);
}

static void print_inst(const struct ir_func *f, const struct sass_func *code, const struct gpu *gpu, bool lost,
                       const struct replay_inst *i)
{
    const struct sass_row *row = code ? sass_row_of(code->insts[i->at].low, gpu->cc_major) : NULL;
    printf("    %5u %-10s %-8s %-7s %2u", i->at,
           row    ? row->name
           : code ? "?"
                  : "-",
           pipes[i->pipe], ops[i->op], i->stall);
    print_bar('w', i->write_bar);
    print_bar('r', i->read_bar);
    printf(" ");
    for (u32 k = 0; k < REPLAY_BARS; k++)
        printf("%c", i->wait >> k & 1 ? (char)('0' + k) : '.');
    printf(" %3u %3u %c %2u", i->latency, i->interval, i->constant ? 'c' : ' ', i->copy);
    if (i->site != REPLAY_NO_SITE)
        printf("   %u %s", f->src->insts[i->site].line, ptx_op_rows[f->src->insts[i->site].op].name);
    printf("%s\n", lost ? " LOST" : "");
}

static void print_code(const struct ir_func *f, const struct sass_func *code, const struct gpu *gpu,
                       const struct replay_code *r)
{
    printf("%s: %u machine instructions, %u of no known opcode, %u accesses moved up, %u down, %u lost\n", f->name,
           r->ninsts, r->unknown, count(f, r, true, false), count(f, r, false, false), count(f, r, false, true));
    for (u32 b = 0; b < r->nblocks; b++) {
        const struct ir_block *at = &f->blocks[b];
        printf("block %u, lines %u to %u, loop depth %u: %u programs\n", b, f->src->insts[at->first].line,
               f->src->insts[at->end - 1].line, at->loop_depth, r->blocks[b].n);
        for (u32 p = 0; p < r->blocks[b].n; p++) {
            const struct replay_program *program = &r->blocks[b].programs[p];
            printf("  for %u entries: %u instructions\n", program->copies, program->n);
            for (u32 i = 0; i < program->n; i++)
                print_inst(f, code, gpu, code_is_lost(f, r, b, &program->insts[i]), &program->insts[i]);
        }
    }
}

static int fail(const char *what)
{
    fprintf(stderr, "print_code: %s\n", what);
    return 1;
}

static char text[1 << 24];

static size_t read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    const size_t n = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    return n;
}

int main(int argc, char **argv)
{
    static const struct ptxas with = {.program = "ptxas", .tmp = "/tmp"};
    struct gpu gpu;
    struct diag_list d;
    struct ptx_module *mod;
    if (argc < 3)
        return fail("print_code FILE.ptx KERNEL [GPU [estimate]]");
    diag_init(&d);
    const size_t n = read_text(argv[1]);
    if (gpu_find(argc > 3 ? argv[3] : NULL, &gpu, &d) != LS_OK || ptx_parse(text, n, argv[1], &mod, &d) != LS_OK)
        return fail(d.first ? d.first->text : "no memory");
    const struct ptx_func *src = ptx_find_func(mod, argv[2]);
    if (!src)
        return fail("there is no such kernel");
    struct arena mem = ARENA("print_code");
    if (setjmp(mem.oom))
        return fail("no memory");
    const struct ir_func *f = ir_lower(&mem, mod, src, &lowered_target);
    const struct sass_func *code = NULL;
    const bool estimated = argc > 4 && !strcmp(argv[4], "estimate");
    if (!estimated)
        ptxas_ask(&with, text, n, gpu.cc_major * 10 + gpu.cc_minor, argv[2], &code);
    const struct replay_code *r = code        ? code_from_sass(&mem, &gpu, f, code)
                                  : estimated ? code_from_ptx(&mem, &gpu, f, estimate_make(&mem, f, gpu.cc_major, NULL))
                                              : NULL;
    if (!r)
        return fail("ptxas made nothing of it");
    print_code(f, code, &gpu, r);
    arena_free(&mem);
    return 0;
}
