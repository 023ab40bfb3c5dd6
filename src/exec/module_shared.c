/* module_shared.c - where the shared variables of a module lie.
 *
 * Those at module scope that device functions name lie at one place for every kernel of the module (the common part); those
 * that only kernels name are laid out kernel by kernel, so that a kernel's static shared memory is what nvcc says. */
#include <string.h>

#include "exec/module.h"

static bool is_shared(const struct ptx_var *v) { return v->space == SPACE_SHARED; }
static bool is_dynamic(const struct ptx_var *v) { return is_shared(v) && !v->size; }
static u64 most(u64 a, u64 b) { return a > b ? a : b; }

/* Marks the shared variables at module scope that an operand names, by their places. */
static void mark_operand(struct exec_module *m, const struct exec_func *f, const struct ptx_operand *o, u8 *named)
{
    const struct exec_var *v;
    switch (o->kind) {
    case PTX_VAR:
        v = is_shared(o->var) ? module_find_var(m, f->unit, o->var) : NULL;
        if (v && v->src == o->var && v->place < m->nshared && m->shared[v->place] == v)
            named[v->place] = 1;
        break;
    case PTX_ADDR:
    case PTX_VEC:
    case PTX_PAIR:
    case PTX_LIST:
        for (unsigned k = 0; k < o->n; k++)
            mark_operand(m, f, &o->elems[k], named);
        break;
    default:
        break;
    }
}

static void mark_named(struct exec_module *m, const struct exec_func *f, u8 *named)
{
    for (u32 s = 0; s < f->src->ninsts && m->nshared; s++)
        for (unsigned k = 0; k < f->src->insts[s].noperands; k++)
            mark_operand(m, f, &f->src->insts[s].operands[k], named);
}

static void put_shared(struct exec_module *m, struct shared_layout *x, const struct ptx_var *v, u64 *address)
{
    const u64 align = v->align ? v->align : 1;
    const u32 gap = x->vars.len ? m->device->shared_gap : 0;
    const struct ir_shared_var place = {v->name, ls_align_up(x->at + gap, align), v->size};
    *address = place.at;
    x->at = place.at + v->size;
    x->bytes = ls_align_up(x->bytes, align) + v->size;
    vec_push(&m->mem, &x->vars, place);
}

/* The dynamic shared memory among those named, by its first variable there, else the function's own; or NULL. */
static const char *dynamic_name(const struct exec_module *m, const u8 *named, const struct ptx_func *f)
{
    for (u32 k = 0; k < m->nshared; k++)
        if (m->shared[k]->is_dynamic && named[k])
            return m->shared[k]->src->name;
    for (u32 k = 0; k < f->nlocals; k++)
        if (is_dynamic(f->locals[k]))
            return f->locals[k]->name;
    return NULL;
}

/* Lists the shared variables at module scope, and marks those that device functions name. */
static void collect_shared(struct exec_module *m)
{
    m->shared = arena_array(&m->mem, struct exec_var *, m->nvars + 1);
    m->by_functions = arena_array(&m->mem, u8, m->nvars + 1);
    u8 *named = arena_array(&m->mem, u8, m->nvars + 1);
    for (u32 k = 0; k < m->nvars; k++)
        if (is_shared(m->vars[k].src)) {
            m->vars[k].is_dynamic = is_dynamic(m->vars[k].src);
            m->vars[k].place = m->nshared;
            m->shared[m->nshared++] = &m->vars[k];
        }
    for (u32 f = 0; f < m->nfuncs; f++) {
        if (m->funcs[f].src->is_entry)
            continue;
        memset(named, 0, m->nshared);
        mark_named(m, &m->funcs[f], named);
        for (u32 k = 0; k < m->nshared; k++)
            m->by_functions[k] |= named[k];
        if (!m->dynamic)
            m->dynamic = dynamic_name(m, named, m->funcs[f].src);
    }
}

/* Module-scope shared variables that a device function names get their places once and for all. */
void module_place_shared(struct exec_module *m)
{
    collect_shared(m);
    for (u32 k = 0; k < m->nshared; k++) {
        struct exec_var *v = m->shared[k];
        if (v->is_dynamic || v->src->linkage == LINK_EXTERN)
            continue;
        if (m->by_functions[k])
            put_shared(m, &m->common, v->src, &v->address);
        else
            v->address = UINT64_MAX; /* a kernel's own business */
    }
    for (u32 f = 0; f < m->nfuncs; f++) { /* device functions' own static shared variables */
        const struct ptx_func *src = m->funcs[f].src;
        for (u32 i = 0; !src->is_entry && i < src->nlocals; i++) {
            struct exec_var *v = &m->vars[m->nvars];
            if (!is_shared(src->locals[i]) || !src->locals[i]->size)
                continue;
            *v = (struct exec_var){.src = src->locals[i], .unit = m->funcs[f].unit};
            put_shared(m, &m->common, v->src, &v->address);
            module_index_late(m, v);
            m->nvars++;
        }
    }
}

/* Lays out a kernel's shared memory behind the common part, when it has to do with that. */
static void lay_out(struct exec_module *m, const struct exec_func *f, bool with_common, struct kernel_shared *s)
{
    const struct ptx_func *src = f->src;
    struct shared_layout *x = &s->layout;
    for (u32 k = 0; with_common && k < m->common.vars.len; k++)
        vec_push(&m->mem, &x->vars, m->common.vars.at[k]);
    x->at = with_common ? m->common.at : 0;
    x->bytes = with_common ? m->common.bytes : 0;
    s->places = arena_array(&m->mem, u64, m->nshared + src->nlocals + 1);
    for (u32 k = 0; k < m->nshared; k++)
        if (m->shared[k]->address == UINT64_MAX && s->named[k])
            put_shared(m, x, m->shared[k]->src, &s->places[k]);
    for (u32 k = 0; k < src->nlocals; k++)
        if (is_shared(src->locals[k]) && src->locals[k]->size)
            put_shared(m, x, src->locals[k], &s->places[m->nshared + k]);
}

static bool names_common(const struct exec_module *m, const u8 *named)
{
    for (u32 k = 0; k < m->nshared; k++)
        if (named[k] && !m->shared[k]->is_dynamic && m->shared[k]->address != UINT64_MAX)
            return true;
    return false;
}

struct kernel_shared module_lay_out_shared(struct exec_module *m, const struct exec_func *f)
{
    struct kernel_shared s = {.named = arena_array(&m->mem, u8, m->nshared + 1)};
    mark_named(m, f, s.named);
    lay_out(m, f, m->common.at && (module_calls(f) || names_common(m, s.named)), &s);
    return s;
}

/* The alignment of the dynamic shared memory that a kernel may see, 0: it sees none. As ptxas does, every such variable
 * of its translation unit counts, whether the kernel names it or not; the other units' count when it calls functions,
 * which may be theirs. */
static u64 dynamic_align(const struct exec_module *m, const struct exec_func *f)
{
    enum { LEAST = 16 }; /* what ptxas and nvlink align it to at least */
    const bool calls = module_calls(f);
    u64 align = 0;
    for (u32 k = 0; k < m->nshared; k++)
        if (m->shared[k]->is_dynamic && (m->shared[k]->unit == f->unit || calls))
            align = most(align, most(m->shared[k]->src->align, LEAST));
    for (u32 k = 0; k < f->src->nlocals; k++)
        if (is_dynamic(f->src->locals[k]))
            align = most(align, most(f->src->locals[k]->align, LEAST));
    return align;
}

/* What a kernel says of its shared memory. The bytes up to dynamic memory count as static, as ptxas and nvlink count
 * them; nvlink, which joins units that were compiled apart, counts them only where the kernel reaches such memory, and
 * only up to a multiple of 16. */
void module_note_shared(struct exec_module *m, const struct exec_func *f, struct kernel_shared *s)
{
    struct shared_layout *x = &s->layout;
    const char *own = dynamic_name(m, s->named, f->src), *dynamic = own || !module_calls(f) ? own : m->dynamic;
    const u32 gap = x->vars.len ? m->device->shared_gap : 0;
    const u64 align = dynamic_align(m, f), counted = m->nunits == 1 ? align : dynamic ? 16 : 0;
    f->ir->shared_align = align ? (u32)align : 1;
    f->ir->shared_bytes = (u32)ls_align_up(x->bytes, counted ? counted : 1);
    f->ir->shared_placed = (u32)x->at;
    if (dynamic)
        vec_push(&m->mem, &x->vars, ((struct ir_shared_var){dynamic, ls_align_up(x->at + gap, align), 0}));
    f->ir->shared_vars = x->vars.at;
    f->ir->nshared_vars = (u32)x->vars.len;
}

bool exec_shared_variable(const struct ir_func *kernel, u64 offset, const char **name, u64 *base, u64 *size)
{
    const struct ir_shared_var *best = NULL;
    for (u32 k = 0; k < kernel->nshared_vars && kernel->shared_vars[k].at <= offset; k++)
        best = &kernel->shared_vars[k];
    if (best) {
        *name = best->name;
        *base = best->at;
        *size = best->size;
    }
    return best;
}
