/* finding.c - the kinds of findings, and the parties: which thread, which line. */
#include "check/core/finding.h"

#include <string.h>

/* ---- kinds ---- */

static const struct finding_info infos[] = {
#define FINDING(id, name, tool, severity, title, remedy)                                                               \
    [FINDING_##id] = {name, CHECK_##tool, SEVERITY_##severity, title, remedy},
#include "check/core/findings.def"
#undef FINDING
};

const struct finding_info *finding_info(enum finding_kind kind)
{
    LS_BUG_ON((unsigned)kind >= FINDING_KINDS);
    return &infos[kind];
}

bool finding_by_name(const char *name, enum finding_kind *out)
{
    for (u32 k = 0; k < FINDING_KINDS; k++)
        if (!strcmp(infos[k].name, name)) {
            *out = (enum finding_kind)k;
            return true;
        }
    return false;
}

static const char *const tools[] = {
#define TOOL(id, name, ...) #name,
#include "check/tools.def"
};

const char *check_tool_name(enum check_tool tool)
{
    for (u32 k = 0; k < CHECK_TOOLS; k++)
        if (1u << k == (unsigned)tool)
            return tools[k];
    return "unknown";
}

bool check_tool_by_name(const char *name, unsigned *out)
{
    *out = !strcmp(name, "all") ? CHECK_ALL : 0;
    for (u32 k = 0; k < CHECK_TOOLS; k++)
        if (!strcmp(tools[k], name))
            *out = 1u << k & CHECK_ALL;
    return *out != 0;
}

void finding_init(struct finding *f, enum finding_kind kind)
{
    *f = (struct finding){.kind = kind, .severity = finding_info(kind)->severity, .count = 1};
}

/* ---- parties ---- */

/* The .loc of an instruction, or NULL. Line 0 is what compilers give to what they moved: the line before it is nearest. */
static const struct ptx_loc *loc_of(const struct ir_func *func, u32 site)
{
    enum { BACK = 64 };
    if (!func || site >= func->src->ninsts)
        return NULL;
    for (u32 k = 0; k < BACK && k <= site; k++) {
        const u32 loc = func->src->insts[site - k].loc;
        if (!loc || loc > func->mod->nlocs)
            return NULL;
        if (func->mod->locs[loc - 1].line)
            return &func->mod->locs[loc - 1];
    }
    return NULL;
}

static const struct ptx_loc *caller_of(const struct ptx_module *m, const struct ptx_loc *l)
{
    return l->inlined_at && l->inlined_at <= m->nlocs ? &m->locs[l->inlined_at - 1] : NULL;
}

static const char *file_of(const struct ptx_module *m, const struct ptx_loc *l)
{
    return l->file < m->nfiles && m->files[l->file] ? m->files[l->file] : "";
}

/* Code of the compiler's and the toolkit's headers is inlined into the program's: a reader wants the call. */
static bool is_foreign(const char *file)
{
    static const char *const marks[] = {"/include/cuda/", "/clang/", "/targets/x86_64-linux/include/",
                                        "/targets/sbsa-linux/include/", "/cuda/include/"};
    for (u32 k = 0; k < LS_ARRAY_LEN(marks); k++)
        if (strstr(file, marks[k]))
            return true;
    return false;
}

static const struct ptx_loc *own_loc(const struct ir_func *func, u32 site)
{
    const struct ptx_loc *l = loc_of(func, site), *first = l;
    while (l && is_foreign(file_of(func->mod, l)))
        l = caller_of(func->mod, l);
    return l ? l : first;
}

u32 finding_place(const struct ir_func *func, u32 site)
{
    u32 place = 0;
    const struct ptx_loc *l = loc_of(func, site);
    if (!l)
        return site;
    for (u32 depth = 0; l && depth < 16; depth++, l = caller_of(func->mod, l))
        place = (place ^ l->file << 24 ^ l->line << 8 ^ l->column) * 0x9e3779b1u;
    return place | 1u << 31;
}

void party_place(struct party *p, const struct ir_func *func, u32 site)
{
    const struct ptx_module *m = func->mod;
    p->function = func->name;
    p->ptx_file = m->file;
    if (site >= func->src->ninsts)
        return;
    const struct ptx_inst *i = &func->src->insts[site];
    p->ptx_line = i->line;
    ptx_print_inst(i, p->ptx, sizeof p->ptx);
    p->ptx[strcspn(p->ptx, ";")] = 0;
    const struct ptx_loc *l = own_loc(func, site);
    if (!l)
        return;
    p->file = l->file < m->nfiles ? m->files[l->file] : NULL;
    p->line = l->line;
    p->column = l->column;
}

static void split(u64 linear, const u32 dim[3], u32 out[3])
{
    out[0] = (u32)(linear % dim[0]);
    out[1] = (u32)(linear / dim[0] % dim[1]);
    out[2] = (u32)(linear / dim[0] / dim[1]);
}

void party_thread_linear(struct party *p, const struct exec_launch *l, u64 block, u32 linear)
{
    p->kernel = l->kernel->name;
    p->has_thread = true;
    split(block, l->grid, p->block);
    split(linear, l->block, p->thread);
}

void party_thread(struct party *p, const struct exec_block_info *b, u32 warp, unsigned lane)
{
    party_thread_linear(p, b->launch, b->linear, warp * IR_LANES + lane);
}
