/* lower.c - the passes in order, and the layout of a frame. */
#include <stdio.h>

#include "ir/pass.h"

void ir_poison(struct pass *p, u32 site, const char *fmt, ...)
{
    const struct ptx_inst *i = &p->f->insts[site];
    char why[256], what[256];
    if (p->out->poison)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    const char *reason = ptx_unsupported(i);
    ptx_print_inst(i, what, sizeof what);
    p->out->poison = arena_printf(p->mem, "%s:%u: function %s: cannot run `%s`: %s", p->out->mod->file, i->line,
                                  p->f->name, what, reason ? reason : why);
}

/* Register numbers of a class become byte offsets. */
static void lay_out_frame(struct pass *p)
{
    static const u32 bytes[CLASS_COUNT] = {IR_SLOT, 2 * IR_SLOT, 4 * IR_SLOT, 4};
    u32 at = 0;
    for (int c = 0; c < CLASS_COUNT; c++) {
        if (c == CLASS_PRED)
            p->out->masks_at = at;
        p->class_base[c] = at;
        at += p->class_count[c] * bytes[c];
    }
    p->carry = at;
    at = (u32)ls_align_up(at + 4, IR_SLOT); /* never 0: a scratch slot at 0 would look unplaced */
    p->out->consts_at = p->out->frame_bytes = at;
    for (u32 r = 0; r < p->f->nregs; r++) {
        enum slot_class c = ir_class(p->f->regs[r]->type);
        p->place[r] = p->class_base[c] + p->place[r] * bytes[c];
    }
}

/* What alloca may take altogether in a kernel: four times the stack that CUDA gives a thread unless told otherwise. */
enum { STACK_BYTES = 4096 };

static bool uses_stack(const struct ptx_func *f)
{
    for (u32 s = 0; s < f->ninsts; s++)
        if (f->insts[s].op == OP_ALLOCA || f->insts[s].op == OP_STACKSAVE || f->insts[s].op == OP_STACKRESTORE)
            return true;
    return false;
}

static u64 local_begin(u64 end, const struct ptx_var *v) { return ls_align_up(end, v->align ? v->align : 1); }

bool ir_local_at(const struct ptx_func *f, const struct ptx_var *v, u64 *at)
{
    u64 end = 0;
    for (u32 k = 0; k < f->nlocals; k++) {
        if (f->locals[k]->space != SPACE_LOCAL)
            continue;
        *at = local_begin(end, f->locals[k]);
        if (f->locals[k] == v)
            return true;
        end = *at + f->locals[k]->size;
    }
    return false;
}

/* .local variables, one after the other; .shared ones are placed by the engine, which knows all functions. */
static void lay_out_local(struct pass *p)
{
    const struct ptx_func *f = p->f;
    u32 *at = arena_array(p->mem, u32, f->nlocals + 1);
    u64 end = 0;
    for (u32 k = 0; k < f->nlocals; k++) {
        if (f->locals[k]->space != SPACE_LOCAL)
            continue;
        at[k] = (u32)local_begin(end, f->locals[k]);
        end = at[k] + f->locals[k]->size;
    }
    p->local_at = at;
    p->stack_at = (u32)ls_align_up(end, 16);
    p->stack_end = p->stack_at + (uses_stack(f) ? STACK_BYTES : 0);
    p->out->local_bytes = p->stack_end > p->stack_at ? p->stack_end : (u32)end; /* the exact bound of accesses */
}

/* Stops the program when a pass broke its promise; debug builds only. */
static void verify(const struct ir_func *f, const struct ir_target *target)
{
    char why[512];
    if (LS_DEBUG && !ir_verify(f, target, why, sizeof why))
        ls_bug(__FILE__, __LINE__, why);
}

struct ir_func *ir_lower(struct arena *mem, const struct ptx_module *mod, const struct ptx_func *f,
                         const struct ir_target *target)
{
    struct ir_func *out = arena_new(mem, struct ir_func);
    struct pass p = {.mem = mem, .f = f, .target = target, .out = out};
    out->src = f;
    out->mod = mod;
    out->name = f->name;
    out->param_bytes = f->is_entry ? f->param_bytes : ir_layout_params(f->params, f->nparams, NULL);
    out->ret_bytes = ir_layout_params(f->rets, f->nrets, NULL);
    lay_out_local(&p);
    ir_layout_calls(&p);
    if (f->ninsts) {
        ir_build_cfg(&p);
        ir_build_dom(&p);
        ir_build_flight(&p);
        ir_build_live(&p);
    }
    lay_out_frame(&p);
    if (p.stack_end > p.stack_at) {
        p.stack = out->frame_bytes;
        out->frame_bytes += 2 * IR_SLOT;
    }
    ir_emit(&p, IR_FAST);
    ir_emit(&p, IR_TRACED);
    if (target->cost)
        ir_emit(&p, IR_TIMED);
    out->consts = p.consts.at;
    out->nconsts = p.consts.len;
    out->frame_bytes = (u32)ls_align_up(out->frame_bytes, IR_SLOT);
    out->place = p.place;
    verify(out, target);
    return out;
}
