/* call.c - argument areas. A call's arguments lie lane by lane in the caller's call area, at the natural alignment of
 * the callee's parameter list; its results follow at the next multiple of 16. The .param variables that a call site
 * declares are names for places in that area. */
#include "ir/pass.h"

u64 ir_layout_params(struct ptx_var *const *params, u32 n, u32 *offsets)
{
    u64 at = 0;
    for (u32 k = 0; k < n; k++) {
        u64 align = params[k]->align ? params[k]->align : 1;
        at = ls_align_up(at, align);
        if (offsets)
            offsets[k] = (u32)at;
        at += params[k]->size;
    }
    return at;
}

struct areas {
    struct pass *p;
    u32 *param_at;
};

static void place_param(struct areas *a, u32 site, const struct ptx_operand *o, u32 at)
{
    const struct ptx_func *f = a->p->f;
    if (o->kind != PTX_VAR || o->var->space != SPACE_PARAM) {
        ir_poison(a->p, site, "call arguments must be .param variables");
        return;
    }
    for (u32 k = 0; k < f->nlocals; k++) {
        if (f->locals[k] != o->var)
            continue;
        if (a->param_at[k] != UINT32_MAX && a->param_at[k] != at)
            ir_poison(a->p, site, "parameter %s serves two calls at different places", o->var->name);
        a->param_at[k] = at;
        return;
    }
    ir_poison(a->p, site, "a function's own parameter cannot be passed on as it is");
}

/* Places the operands of a list one after the other from `at`; returns the end. */
static u64 place_list(struct areas *a, u32 site, const struct ptx_operand *list, u64 at)
{
    unsigned n = list->kind == PTX_LIST ? list->n : 1;
    for (unsigned k = 0; k < n; k++) {
        const struct ptx_operand *o = list->kind == PTX_LIST ? &list->elems[k] : list;
        if (o->kind != PTX_VAR) {
            ir_poison(a->p, site, "call arguments must be .param variables");
            return at;
        }
        at = ls_align_up(at, o->var->align ? o->var->align : 1);
        place_param(a, site, o, (u32)at);
        at += o->var->size;
    }
    return at;
}

void ir_call_parts(const struct ptx_inst *i, struct ir_call_parts *parts)
{
    *parts = (struct ir_call_parts){0};
    unsigned k = 0;
    if (k < i->noperands && i->operands[k].kind == PTX_LIST)
        parts->rets = &i->operands[k++];
    if (k < i->noperands)
        parts->callee = &i->operands[k++];
    if (k < i->noperands && i->operands[k].kind == PTX_LIST)
        parts->args = &i->operands[k++];
    if (k < i->noperands)
        parts->proto = &i->operands[k];
}

/* Where results begin: after the arguments. */
static u64 args_end(const struct ptx_operand *args)
{
    u64 at = 0;
    for (unsigned k = 0; args && k < args->n; k++)
        if (args->elems[k].kind == PTX_VAR)
            at = ls_align_up(at, args->elems[k].var->align ? args->elems[k].var->align : 1) + args->elems[k].var->size;
    return ls_align_up(at, 16);
}

u32 ir_call_ret_at(const struct ptx_inst *i)
{
    struct ir_call_parts parts;
    ir_call_parts(i, &parts);
    return (u32)args_end(parts.args);
}

void ir_layout_calls(struct pass *p)
{
    const struct ptx_func *f = p->f;
    struct areas a = {p, arena_array(p->mem, u32, f->nlocals + 1)};
    memset(a.param_at, 0xff, sizeof *a.param_at * (f->nlocals + 1));
    p->param_at = a.param_at;
    for (u32 s = 0; s < f->ninsts; s++) {
        const struct ptx_inst *i = &f->insts[s];
        struct ir_call_parts parts;
        if (i->op != OP_CALL)
            continue;
        p->out->has_calls = true;
        ir_call_parts(i, &parts);
        if (parts.args)
            place_list(&a, s, parts.args, 0);
        u64 end = args_end(parts.args);
        if (parts.rets)
            end = place_list(&a, s, parts.rets, end);
        end = ls_align_up(end, 16);
        p->out->call_bytes = end > p->out->call_bytes ? end : p->out->call_bytes;
    }
}
