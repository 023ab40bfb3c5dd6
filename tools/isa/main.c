/* main.c - ls_isa: what the engine runs, by walking ops.def.
 *
 *     ls_isa check [-o FILE] TESTS..
 *                           fails unless every instruction runs or stands in unsupported.def, nothing there runs, and
 *                           one of the test files has every opcode that runs; FILE becomes docs/isa.md
 *     ls_isa doc TESTS..    docs/isa.md
 *     ls_isa list           the instructions that do not run, and why */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa.h"

/* What unsupported.def says; pattern "*" is the whole row, and what has no reason is no PTX. */
static struct excuse {
    enum ptx_op op;
    const char *pattern, *reason;
    unsigned cases; /* instructions that it excuses */
} excuses[] = {
#define PTX_UNSUPPORTED(id, reason) {OP_##id, "*", reason, 0},
#define PTX_UNSUPPORTED_FORM(id, pattern, reason) {OP_##id, pattern, reason, 0},
#define PTX_NOT_PTX(id, pattern) {OP_##id, pattern, NULL, 0},
#include "ptx/unsupported.def"
#undef PTX_UNSUPPORTED
};

static struct row {
    unsigned cases, running, wrong;
    u64 incomplete;     /* bit n: something of form n does not run */
    const char *tested; /* the first test program that has it, without its folder, or NULL */
} rows[PTX_NOPS];

static bool listing;

static struct excuse *find_excuse(const struct isa_case *c)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(excuses); k++)
        if (excuses[k].op == c->op && !fnmatch(excuses[k].pattern, c->text + strlen(ptx_op_name(c->op)), FNM_EXTMATCH))
            return &excuses[k];
    return NULL;
}

static bool is_excused(enum ptx_op op)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(excuses); k++)
        if (excuses[k].op == op && !strcmp(excuses[k].pattern, "*"))
            return true;
    return false;
}

static void judge(void *ctx, const struct isa_case *c)
{
    struct row *r = ctx;
    char buf[256];
    const char *why = isa_probe(c, buf, sizeof buf);
    struct excuse *e = find_excuse(c);
    const bool is_ptx = !e || e->reason;
    r->cases += is_ptx;
    r->running += !why;
    if (why && is_ptx)
        r->incomplete |= (u64)1 << c->form;
    if (e)
        e->cases++;
    if (listing && why)
        printf("%s: %s%s\n", c->text, why, e ? " (listed)" : "");
    if (!listing && why && !e && r->wrong++ < 10)
        fprintf(stderr, "%s does not run (%s) and is not in unsupported.def\n", c->text, why);
    if (!why && e && r->wrong++ < 10)
        fprintf(stderr, "%s runs but is in unsupported.def (%s)\n", c->text, e->pattern);
}

/* ---- tests ---- */

/* The opcode that stands at the start of an instruction, or 0: the longest mnemonic, at a dot, blank or ';'. */
static enum ptx_op opcode_at(const char *s)
{
    enum ptx_op best = PTX_OP_NONE;
    for (unsigned op = 1; op < PTX_NOPS; op++) {
        const size_t n = strlen(ptx_op_name(op));
        if (!strncmp(s, ptx_op_name(op), n) && strchr(". ;", s[n]) && s[n] && (!best || n > strlen(ptx_op_name(best))))
            best = op;
    }
    return best;
}

/* Marks the opcodes of a PTX program: a line begins with one, after a label, a guard and blanks. */
static void take_test(const char *path)
{
    char line[4096];
    FILE *f = fopen(path, "r");
    const char *slash = strrchr(path, '/');
    while (f && fgets(line, sizeof line, f)) {
        const char *s = line + strspn(line, " \t{");
        if (*s == '@')
            s += strcspn(s, " \t"), s += strspn(s, " \t");
        const enum ptx_op op = opcode_at(s);
        if (op && !rows[op].tested)
            rows[op].tested = slash ? slash + 1 : path;
    }
    if (f)
        fclose(f);
}

/* ---- what to say ---- */

/* A special register runs, or its row says that it is not provided. */
static unsigned check_sregs(void)
{
    unsigned wrong = 0;
    for (unsigned k = 0; k < PTX_NSREGS && !listing; k++) {
        const struct ptx_sreg_row *r = &ptx_sreg_rows[k];
        char text[64], regs[64], buf[256];
        snprintf(text, sizeof text, "mov.%s %%v0, %s%s", ptx_type_name(r->type), r->name, r->vector ? ".x" : "");
        snprintf(regs, sizeof regs, ".reg .%s %%v0;", ptx_type_name(r->type));
        const char *why = isa_probe(&(struct isa_case){OP_MOV, 0, text, regs}, buf, sizeof buf);
        if ((why == NULL) == (r->scope == SREG_SCOPE_NONE) && ++wrong)
            fprintf(stderr, "%s: sregs.def is wrong: %s\n", r->name, why ? why : "it runs");
    }
    return wrong;
}

static int check(void)
{
    unsigned wrong = check_sregs(), cases = 0, running = 0;
    for (unsigned op = 1; op < PTX_NOPS; op++) {
        wrong += rows[op].wrong;
        cases += rows[op].cases;
        running += rows[op].running;
        if (!listing && rows[op].running && !rows[op].tested && ++wrong)
            fprintf(stderr, "%s runs, but no test program has it\n", ptx_op_name(op));
    }
    for (size_t k = 0; k < LS_ARRAY_LEN(excuses); k++)
        if (!excuses[k].cases && !listing && ++wrong)
            fprintf(stderr, "unsupported.def: %s \"%s\" matches no instruction\n", ptx_op_name(excuses[k].op),
                    excuses[k].pattern);
    printf("%u of %u instructions run; %u are wrong\n", running, cases, wrong);
    return wrong != 0;
}

/* Text in a cell of a Markdown table. */
static void put_cell(const char *s)
{
    for (; *s; s++)
        printf(*s == '|' ? "\\|" : *s == '<' ? "&lt;" : *s == '*' ? "\\*" : "%c", *s);
}

static void put_coverage(enum ptx_op op)
{
    const struct row *r = &rows[op];
    const unsigned forms = isa_forms(op), incomplete = (unsigned)__builtin_popcountll(r->incomplete);
    if (!r->incomplete)
        printf("all");
    else if (r->running)
        printf("%u of %u forms in full", forms - incomplete, forms);
    else
        printf("none");
    for (size_t k = 0; k < LS_ARRAY_LEN(excuses); k++) {
        if (excuses[k].op != op || !excuses[k].reason)
            continue;
        printf(r->running ? "; not " : ": ");
        if (r->running) {
            printf("`%s`: ", excuses[k].pattern);
        }
        put_cell(excuses[k].reason);
    }
}

static void put_sregs(void)
{
    static const char *const scopes[] = {
        [SREG_SCOPE_NONE] = "not provided: a kernel that reads it cannot be launched",
        [SREG_SCOPE_LANE] = "each lane's own",
        [SREG_SCOPE_WARP] = "one a warp",
        [SREG_SCOPE_BLOCK] = "one a block",
        [SREG_SCOPE_GRID] = "one for the grid",
        [SREG_SCOPE_MOVING] = "of the modelled clock, when it is read",
    };
    printf("\n## Special registers\n\nFrom `src/ptx/sregs.def`.\n\n| register | type | value |\n| --- | --- | --- |\n");
    for (unsigned k = 0; k < PTX_NSREGS; k++) {
        const struct ptx_sreg_row *r = &ptx_sreg_rows[k];
        printf("| `%s` | `%s.%s` | %s |\n", r->name, r->vector ? ".v4 " : "", ptx_type_name(r->type), scopes[r->scope]);
    }
}

static int doc(void)
{
    unsigned all = 0, some = 0;
    for (unsigned op = 1; op < PTX_NOPS; op++) {
        all += !rows[op].incomplete;
        some += rows[op].incomplete && rows[op].running;
    }
    printf(
        "# Which instructions run\n\n"
        "Made by `ninja bless_isa` from `src/ptx/ops.def` and `src/ptx/unsupported.def`, by lowering every form of\n"
        "every opcode; do not edit. Of PTX ISA 9.0's %u opcodes %u run in all their forms and %u in some. The\n"
        "others are parsed and checked; a kernel that has one cannot be launched, and the launch says why. Sections "
        "are\n"
        "those of the PTX ISA manual, patterns are a shell's. A test is a program of `tests/ptx` that has the opcode\n"
        "([testing.md](testing.md)).\n\n",
        PTX_NOPS - 1, all, some);
    printf("| opcode | class | section | semantics | runs | test |\n| --- | --- | --- | --- | --- | --- |\n");
    for (unsigned op = 1; op < PTX_NOPS; op++) {
        const struct ptx_op_row *o = ptx_op_row(op);
        printf("| `%s` | %s | %s | ", o->name, o->cls, o->section);
        put_cell(o->semantics);
        printf(" | ");
        put_coverage(op);
        printf(" | %s |\n", rows[op].running && rows[op].tested ? rows[op].tested : "");
    }
    put_sregs();
    return 0;
}

/* The document into that file: walking all instructions takes most of the time, so a test walks them once for both. */
static int doc_into(const char *file)
{
    if (file && !freopen(file, "w", stdout)) {
        perror(file);
        return 2;
    }
    return file ? doc() : 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *file = argc > 3 && !strcmp(argv[2], "-o") ? argv[3] : NULL;
    listing = !strcmp(what, "list");
    if (!listing && strcmp(what, "check") && strcmp(what, "doc")) {
        fprintf(stderr, "usage: ls_isa check [-o FILE] TESTS... | doc TESTS... | list\n");
        return 2;
    }
    for (int k = file ? 4 : 2; k < argc; k++)
        take_test(argv[k]);
    for (unsigned op = 1; op < PTX_NOPS; op++)
        isa_each(op, is_excused(op), judge, &rows[op]);
    if (*what == 'd')
        return doc();
    const int wrong = check(), unwritten = doc_into(file);
    return wrong ? wrong : unwritten;
}
