/* print.c - a module as PTX text that parses to the same tree; printing that again gives the same text.
 *
 * Scopes are flat (the parser made names unique in each function), registers are declared one by one at the head of
 * their function. Relocations are printed as expressions in the initialiser, names of inlined functions as .debug_str.
 *
 * Order: .version .target .address_size, .file, prototypes, variables, definitions, aliases, .debug_str. Variables may
 * refer to functions and to each other, so those that are referred to ahead of their place get an .extern declaration
 * before all others. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "ptx/parser.h"

/* Text that grows (module) or is cut off (instruction). */
struct out {
    char *at;
    size_t len, cap;
    bool fixed, failed;
};

static bool room(struct out *o, size_t n)
{
    if (o->len + n + 1 <= o->cap)
        return true;
    if (o->fixed || o->failed)
        return false;
    const size_t cap = (o->len + n + 1) * 2;
    char *to = ls_realloc(o->at, cap);
    if (!to) {
        o->failed = true;
        return false;
    }
    o->at = to;
    o->cap = cap;
    return true;
}

static void put_n(struct out *o, const char *s, size_t n)
{
    if (o->fixed && o->len + n + 1 > o->cap)
        n = o->cap - o->len - 1;
    if (!room(o, n))
        return;
    memcpy(o->at + o->len, s, n);
    o->len += n;
    o->at[o->len] = 0;
}

static void put(struct out *o, const char *s) { put_n(o, s, strlen(s)); }

static void putf(struct out *o, const char *fmt, ...) LS_PRINTF(2, 3);
static void putf(struct out *o, const char *fmt, ...)
{
    char buf[128];
    va_list args;
    va_start(args, fmt);
    const int n = vsnprintf(buf, sizeof(buf), fmt, args);
    va_end(args);
    put_n(o, buf, n < (int)sizeof(buf) ? (size_t)n : sizeof(buf) - 1);
}

static void put_offset(struct out *o, i64 offset)
{
    if (offset)
        putf(o, offset < 0 ? "%lld" : "+%lld", (long long)offset);
}

static void put_operand(struct out *o, const struct ptx_operand *a, bool call);

static void put_elems(struct out *o, const struct ptx_operand *a, char open, char close, bool call)
{
    put_n(o, &open, 1);
    for (u32 i = 0; i < a->n; i++) {
        if (i)
            put(o, ", ");
        put_operand(o, &a->elems[i], call);
    }
    put_n(o, &close, 1);
}

static void put_literal(struct out *o, const struct ptx_operand *a)
{
    if (a->is_float)
        putf(o, "0f%08X", (u32)a->bits);
    else if (a->is_double)
        putf(o, "0d%016llX", (unsigned long long)a->bits);
    else if (a->is_signed && a->bits == 0)
        put(o, "-0");
    else if (a->is_signed && (i64)a->bits < 0)
        putf(o, "%lld", (long long)a->bits);
    else if (a->is_signed) /* a minus sign whose result is positive */
        putf(o, "-0x%llx", (unsigned long long)(0 - a->bits));
    else
        putf(o, "%llu", (unsigned long long)a->bits);
}

static void put_name(struct out *o, const struct ptx_operand *a, const char *name)
{
    if (a->neg)
        put(o, a->kind == PTX_REG && a->var->type == PTX_PRED ? "!" : "-");
    put(o, name);
    if (a->comp)
        putf(o, ".%c", a->comp);
    if (a->sel) {
        put(o, ".");
        put(o, a->sel);
    }
    put_offset(o, a->offset);
}

static void put_operand(struct out *o, const struct ptx_operand *a, bool call)
{
    switch ((enum ptx_operand_kind)a->kind) {
    case PTX_REG:
    case PTX_VAR:
        put_name(o, a, a->var->name);
        break;
    case PTX_SREG:
        put_name(o, a, ptx_sreg_rows[a->sreg].name);
        break;
    case PTX_IMM:
        put_literal(o, a);
        put_offset(o, a->offset);
        break;
    case PTX_FUNC:
        put_name(o, a, a->func->name);
        break;
    case PTX_LABEL:
        put(o, a->label ? a->label->name : "?");
        break;
    case PTX_ADDR:
        put(o, "[");
        put_operand(o, &a->elems[0], call);
        put_offset(o, a->offset);
        put(o, "]");
        break;
    case PTX_VEC:
        put_elems(o, a, '{', '}', call);
        break;
    case PTX_PAIR:
        put_operand(o, &a->elems[0], call);
        put(o, "|");
        put_operand(o, &a->elems[1], call);
        break;
    case PTX_LIST:
        put_elems(o, a, call ? '(' : '[', call ? ')' : ']', call);
        break;
    case PTX_SINK:
        put(o, "_");
        break;
    }
    if (a->unified)
        put(o, ".unified");
}

static void put_inst(struct out *o, const struct ptx_inst *i)
{
    if (i->guard) {
        put(o, i->guard_neg ? "@!" : "@");
        put(o, i->guard->name);
        put(o, " ");
    }
    put(o, ptx_op_name(i->op));
    for (u32 k = 0, m = 0, t = 0; k < (u32)i->nmods + i->ntypes; k++) {
        put(o, ".");
        put(o, i->type_at >> k & 1 ? ptx_type_name(i->types[t++]) : ptx_mod_name(i->mods[m++]));
    }
    for (u32 k = 0; k < i->noperands; k++) {
        put(o, k ? ", " : " ");
        put_operand(o, &i->operands[k], i->op == OP_CALL);
    }
    put(o, ";");
}

void ptx_print_inst(const struct ptx_inst *i, char *buf, size_t size)
{
    if (size == 0)
        return;
    struct out o = {.at = buf, .cap = size, .fixed = true};
    buf[0] = 0;
    put_inst(&o, i);
}

static const char *space_name(u8 space)
{
    static const char *const names[] = {"",       ".reg",   ".sreg",   ".const", ".global",
                                        ".local", ".param", ".shared", ".tex"};
    return names[space];
}

static const char *linkage_name(u8 linkage)
{
    static const char *const names[] = {"", ".extern ", ".visible ", ".weak ", ".common "};
    return names[linkage];
}

/* Everything of a declaration but its initialiser. Arrays are flat. */
static void put_decl(struct out *o, const struct ptx_var *v)
{
    put(o, space_name(v->space));
    if (v->managed)
        put(o, " .attribute(.managed)");
    if (v->align != type_natural_align(v->type, v->vec))
        putf(o, " .align %u", v->align);
    if (v->vec > 1)
        putf(o, " .v%u", v->vec);
    putf(o, " .%s", ptx_type_name(v->type));
    if (v->is_ptr)
        put(o, " .ptr");
    put(o, " ");
    put(o, v->name);
    if (v->is_array && v->count == 0)
        put(o, "[]");
    else if (v->is_array)
        putf(o, "[%llu]", (unsigned long long)v->count);
}

static void put_addend(struct out *o, i64 addend)
{
    if (addend)
        putf(o, addend < 0 ? "%lld" : "+%lld", (long long)addend);
}

static void put_reloc(struct out *o, const struct ptx_reloc *r)
{
    const char *name = r->var ? r->var->name : r->func->name;
    if (r->bytes == 1)
        putf(o, "0x%llX(", 0xffull << r->shift);
    if (r->generic)
        put(o, "generic(");
    put(o, name);
    if (r->generic)
        put(o, ")");
    put_addend(o, r->addend);
    if (r->bytes == 1)
        put(o, ")");
}

static void put_element(struct out *o, const struct ptx_var *v, const u8 *at, u32 bytes)
{
    u64 bits = 0;
    memcpy(&bits, at, bytes < 8 ? bytes : 8);
    if (v->type == PTX_F32)
        putf(o, "0f%08X", (u32)bits);
    else if (v->type == PTX_F64)
        putf(o, "0d%016llX", (unsigned long long)bits);
    else
        putf(o, "%llu", (unsigned long long)bits);
}

static void put_init(struct out *o, const struct ptx_var *v)
{
    const u32 bytes = ptx_type_bits(v->type) / 8;
    const u64 n = v->size / bytes;
    const bool list = v->is_array || v->vec > 1;
    put(o, list ? " = {" : " = ");
    for (u64 i = 0, r = 0; i < n; i++) {
        if (i)
            put(o, i % 16 ? ", " : ",\n    ");
        if (r < v->nrelocs && v->relocs[r].at == i * bytes)
            put_reloc(o, &v->relocs[r++]);
        else
            put_element(o, v, v->init + i * bytes, bytes);
    }
    if (list)
        put(o, "}");
}

static void put_var(struct out *o, const struct ptx_var *v)
{
    put(o, linkage_name(v->linkage));
    put_decl(o, v);
    if (v->init)
        put_init(o, v);
    put(o, ";\n");
}

static void put_params(struct out *o, struct ptx_var *const *vars, u32 n)
{
    put(o, "(");
    for (u32 i = 0; i < n; i++) {
        put(o, i ? ", " : "");
        put_decl(o, vars[i]);
    }
    put(o, ")");
}

static void put_signature(struct out *o, const struct ptx_func *f, const char *name)
{
    if (f->nrets) {
        put_params(o, f->rets, f->nrets);
        put(o, " ");
    }
    put(o, name);
    if (f->nparams || !f->is_entry)
        put_params(o, f->params, f->nparams);
}

static void put_dims(struct out *o, const char *name, const u32 d[3])
{
    if (d[0])
        putf(o, "\n.%s %u, %u, %u", name, d[0], d[1], d[2]);
}

static void put_count(struct out *o, const char *name, u32 n)
{
    if (n)
        putf(o, "\n.%s %u", name, n);
}

static void put_header(struct out *o, const struct ptx_func *f)
{
    put(o, linkage_name(f->linkage));
    put(o, f->is_entry ? ".entry " : ".func ");
    put_signature(o, f, f->name);
    if (f->noreturn)
        put(o, "\n.noreturn");
    put_dims(o, "maxntid", f->maxntid);
    put_dims(o, "reqntid", f->reqntid);
    put_dims(o, "reqnctapercluster", f->cluster);
    put_count(o, "minnctapersm", f->minnctapersm);
    put_count(o, "maxnctapersm", f->maxnctapersm);
    put_count(o, "maxnreg", f->maxnreg);
    put_count(o, "maxclusterrank", f->maxclusterrank);
    if (f->explicitcluster)
        put(o, "\n.explicitcluster");
    if (f->blocksareclusters)
        put(o, "\n.blocksareclusters");
}

static bool same_kind(const struct ptx_var *a, const struct ptx_var *b)
{
    return a->type == b->type && a->vec == b->vec && a->align == b->align && a->is_array == b->is_array &&
           a->count == b->count;
}

/* Registers of one kind that follow each other share a declaration, eight a line. */
static void put_regs(struct out *o, const struct ptx_func *f)
{
    u32 on_line = 0;
    for (u32 i = 0; i < f->nregs; i++) {
        const struct ptx_var *v = f->regs[i];
        if (v->offset || v->space != SPACE_REG)
            continue;
        bool param = false;
        for (u32 k = 0; k < f->nparams && !param; k++)
            param = f->params[k] == v;
        for (u32 k = 0; k < f->nrets && !param; k++)
            param = f->rets[k] == v;
        if (param)
            continue;
        if (on_line && on_line < 8 && same_kind(v, f->regs[i - 1])) {
            put(o, ", ");
            put(o, v->name);
            on_line++;
            continue;
        }
        put(o, on_line ? ";\n    " : "    ");
        put_decl(o, v);
        on_line = 1;
    }
    if (on_line)
        put(o, ";\n");
}

static void put_label(struct out *o, const struct ptx_label *l)
{
    put(o, l->name);
    put(o, ":\n");
    if (l->ntargets)
        put(o, "    .branchtargets ");
    for (u32 i = 0; i < l->ntargets; i++) {
        put(o, i ? ", " : "");
        put(o, l->targets[i]->name);
    }
    if (l->ncalls)
        put(o, "    .calltargets ");
    for (u32 i = 0; i < l->ncalls; i++) {
        put(o, i ? ", " : "");
        put(o, l->calls[i]->name);
    }
    if (l->proto) {
        put(o, "    .callprototype ");
        put_signature(o, l->proto, "_");
        if (l->proto->noreturn)
            put(o, " .noreturn");
    }
    if (l->ntargets || l->ncalls || l->proto)
        put(o, ";\n");
}

/* Positions being printed. A call site with a history of its own must be the latest .loc of its place when inlined_at
 * names it, as the parser has it; `latest` follows that. */
struct locs {
    const struct ptx_module *m;
    struct arena mem;
    struct intern names; /* of inlined functions that were mentioned */
    u32 *place;          /* of a loc: the first loc with the same file, line and column */
    u32 *latest;         /* of such a first loc: 1 + the last printed loc there */
    VEC(const char *) mentioned;
};

static bool same_place(const struct ptx_loc *a, const struct ptx_loc *b)
{
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

static void find_places(struct locs *l)
{
    const u32 n = l->m->nlocs;
    u32 cap = 16;
    while (cap < n * 2)
        cap *= 2;
    u32 *table = arena_array(&l->mem, u32, cap);
    l->place = arena_array(&l->mem, u32, n);
    l->latest = arena_array(&l->mem, u32, n);
    for (u32 i = 0; i < n; i++) {
        const struct ptx_loc *at = &l->m->locs[i];
        u32 k = (at->file * 31 + at->line * 0x9e3779b9u + at->column * 0x85ebca6bu) & (cap - 1);
        while (table[k] && !same_place(&l->m->locs[table[k] - 1], at))
            k = (k + 1) & (cap - 1);
        if (table[k] == 0)
            table[k] = i + 1;
        l->place[i] = table[k] - 1;
    }
}

/* The label of a function's name in .debug_str: the name with what no label may have in hexadecimal. */
static void put_name_label(struct out *o, const char *s)
{
    put(o, "$L__name_");
    for (; *s; s++) {
        if (lex_is_ident(*s) && *s != '$')
            put_n(o, s, 1);
        else
            putf(o, "$%02X", (u8)*s);
    }
}

static void mention(struct locs *l, const char *name)
{
    const char *s = intern(&l->names, name, strlen(name));
    if (*intern_slot(s))
        return;
    *intern_slot(s) = l;
    vec_push(&l->mem, &l->mentioned, s);
}

static void put_one_loc(struct out *o, struct locs *l, u32 i)
{
    const struct ptx_loc *at = &l->m->locs[i];
    l->latest[l->place[i]] = i + 1;
    putf(o, "    .loc %u %u %u", at->file, at->line, at->column);
    if (at->inlined_at) {
        const u32 site = at->inlined_at - 1;
        const struct ptx_loc *s = &l->m->locs[site];
        const char *name = at->function_name ? at->function_name : "";
        put(o, ", function_name ");
        put_name_label(o, name);
        mention(l, name);
        putf(o, ", inlined_at %u %u %u", s->file, s->line, s->column);
        l->latest[l->place[site]] = site + 1;
    }
    put(o, "\n");
}

/* loc i, after those of its call sites that the parser would not find. inlined_at only goes to smaller indices. */
static void put_loc(struct out *o, struct locs *l, u32 i)
{
    VEC(u32) chain = {0};
    for (;;) {
        vec_push(&l->mem, &chain, i);
        const u32 up = l->m->locs[i].inlined_at;
        if (up == 0)
            break;
        const u32 latest = l->latest[l->place[up - 1]];
        if (latest == up || (latest == 0 && l->m->locs[up - 1].inlined_at == 0))
            break;
        i = up - 1;
    }
    while (chain.len)
        put_one_loc(o, l, chain.at[--chain.len]);
}

static void put_body(struct out *o, struct locs *locs, const struct ptx_func *f)
{
    u32 loc = 0, l = 0;
    put(o, "\n{\n");
    put_regs(o, f);
    for (u32 i = 0; i < f->nlocals; i++) {
        put(o, "    ");
        put_var(o, f->locals[i]);
    }
    for (u32 i = 0; i <= f->ninsts; i++) {
        while (l < f->nlabels && f->labels[l]->at == i)
            put_label(o, f->labels[l++]);
        if (i == f->ninsts)
            break;
        if (f->insts[i].loc && f->insts[i].loc != loc)
            put_loc(o, locs, (loc = f->insts[i].loc) - 1);
        put(o, "    ");
        put_inst(o, &f->insts[i]);
        put(o, "\n");
    }
    put(o, "}\n");
}

static void put_head(struct out *o, const struct ptx_module *m)
{
    putf(o, ".version %u.%u\n.target ", m->version_major, m->version_minor);
    put(o, m->target[0] ? m->target : "sm_90");
    if (m->debug)
        put(o, ", debug");
    putf(o, "\n.address_size %u\n", m->address_size);
    for (u32 i = 0; i < m->nfiles; i++)
        if (m->files[i]) {
            putf(o, ".file %u \"", i);
            put(o, m->files[i]);
            put(o, "\"\n");
        }
}

static void put_vars(struct out *o, struct arena *mem, const struct ptx_module *m)
{
    bool *ahead = arena_array(mem, bool, m->nvars); /* an initialiser names it before its own place */
    for (u32 i = 0; i < m->nvars; i++)
        for (u32 r = 0; r < m->vars[i]->nrelocs; r++) {
            const struct ptx_var *v = m->vars[i]->relocs[r].var;
            if (v && v->index > i && v->index < m->nvars && m->vars[v->index] == v)
                ahead[v->index] = true;
        }
    for (u32 i = 0; i < m->nvars; i++)
        if (ahead[i]) {
            put(o, ".extern ");
            put_decl(o, m->vars[i]);
            put(o, ";\n");
        }
    for (u32 i = 0; i < m->nvars; i++)
        put_var(o, m->vars[i]);
}

static void put_debug_str(struct out *o, const struct locs *l)
{
    if (l->mentioned.len == 0)
        return;
    put(o, ".section .debug_str {\n");
    for (u32 i = 0; i < l->mentioned.len; i++) {
        const char *s = l->mentioned.at[i];
        put_name_label(o, s);
        put(o, ":\n    .b8 ");
        for (; *s; s++)
            putf(o, "%u, ", (u8)*s);
        put(o, "0\n");
    }
    put(o, "}\n");
}

static void put_aliases(struct out *o, const struct ptx_module *m)
{
    for (u32 i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->alias) {
            put(o, ".alias ");
            put(o, m->funcs[i]->name);
            put(o, ", ");
            put(o, m->funcs[i]->alias->name);
            put(o, ";\n");
        }
}

static void put_module(struct out *o, struct locs *l)
{
    const struct ptx_module *m = l->m;
    if (setjmp(l->mem.oom)) {
        o->failed = true;
        return;
    }
    l->names.mem = &l->mem;
    find_places(l);
    put_head(o, m);
    for (u32 i = 0; i < m->nfuncs; i++) {
        put_header(o, m->funcs[i]);
        put(o, ";\n");
    }
    put_vars(o, &l->mem, m);
    for (u32 i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->defined && !m->funcs[i]->alias) {
            put_header(o, m->funcs[i]);
            put_body(o, l, m->funcs[i]);
        }
    put_aliases(o, m);
    put_debug_str(o, l);
}

char *ptx_print(const struct ptx_module *m)
{
    struct out o = {0};
    struct locs l = {.m = m, .mem = ARENA("print")};
    put_module(&o, &l);
    arena_free(&l.mem);
    if (o.failed) {
        ls_free(o.at);
        return NULL;
    }
    return o.at;
}
