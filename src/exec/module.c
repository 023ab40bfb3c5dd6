/* module.c - linking parsed modules, giving their variables memory, lowering their functions.
 *
 * Names with external linkage are one symbol over all units; a definition wins over declarations, a strong one over a
 * weak one. They are looked up by hash, since large programs have thousands. Functions are lowered when
 * a kernel is first asked for; a kernel that calls any function brings all functions with it, since a call may be
 * indirect. */
#include "exec/module.h"
#include "exec/tier/tier.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/bodies/bodies.h"
#include "exec/clock/clock.h"
#include "exec/device/builtin.h"
#include "exec/texture/texture.h"
#include "model/latency.h"

static bool is_global(const struct ptx_var *v) { return v->space == SPACE_GLOBAL || v->space == SPACE_CONST; }
static bool is_shared(const struct ptx_var *v) { return v->space == SPACE_SHARED; }

/* ---- symbols ---- */

static u32 hash_of(const struct exec_module *m, const char *name)
{
    u32 h = 2166136261u; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (u8)*name) * 16777619u;
    return (h ^ h >> 15) & m->index_mask;
}

static struct exec_var *first_var(const struct exec_module *m, const char *name)
{
    return m->var_index[hash_of(m, name)];
}

static struct exec_func *first_func(const struct exec_module *m, const char *name)
{
    return m->func_index[hash_of(m, name)];
}

struct exec_var *module_find_var(struct exec_module *m, const struct ptx_module *unit, const struct ptx_var *v)
{
    struct exec_var *best = NULL;
    for (struct exec_var *o = first_var(m, v->name); o; o = o->same_hash) {
        if (o->src == v && (v->linkage != LINK_EXTERN || is_shared(v)))
            return o;
        bool shared_name = v->linkage != LINK_NONE && o->src->linkage != LINK_NONE && o->unit != unit;
        if (shared_name && o->src->linkage != LINK_EXTERN && !strcmp(o->src->name, v->name) && !best)
            best = o;
    }
    return best;
}

static struct exec_func *find_func(struct exec_module *m, const struct ptx_module *unit, const struct ptx_func *f)
{
    struct exec_func *best = NULL;
    for (struct exec_func *o = first_func(m, f->name); o; o = o->same_hash) {
        if (o->unit == unit && !strcmp(o->src->name, f->name))
            return o;
        bool visible = o->src->linkage != LINK_NONE || o->src->is_entry;
        if (visible && !strcmp(o->src->name, f->name) && (!best || best->src->linkage == LINK_WEAK))
            best = o;
    }
    return best;
}

/* Backwards, so that each list is in the module's order. */
static void index_names(struct exec_module *m)
{
    u32 n = 16;
    while (n < m->nvars || n < m->nfuncs)
        n *= 2;
    m->index_mask = n - 1;
    m->var_index = arena_array(&m->mem, struct exec_var *, n);
    m->func_index = arena_array(&m->mem, struct exec_func *, n);
    m->kernels = arena_array(&m->mem, struct exec_func *, m->nfuncs + 1);
    for (u32 k = m->nvars; k-- > 0;) {
        struct exec_var **head = &m->var_index[hash_of(m, m->vars[k].src->name)];
        m->vars[k].same_hash = *head;
        *head = &m->vars[k];
    }
    for (u32 k = m->nfuncs; k-- > 0;) {
        struct exec_func **head = &m->func_index[hash_of(m, m->funcs[k].src->name)];
        m->funcs[k].same_hash = *head;
        *head = &m->funcs[k];
    }
    for (u32 k = 0; k < m->nfuncs; k++)
        if (m->funcs[k].src->is_entry)
            m->kernels[m->nkernels++] = &m->funcs[k];
}

/* A variable that is found when the index stands already: last in its list. */
void module_index_late(struct exec_module *m, struct exec_var *v)
{
    struct exec_var **at = &m->var_index[hash_of(m, v->src->name)];
    while (*at)
        at = &(*at)->same_hash;
    *at = v;
}

static void collect(struct exec_module *m)
{
    u32 nvars = 0, nfuncs = 0;
    for (unsigned u = 0; u < m->nunits; u++) {
        nvars += m->units[u]->nvars;
        nfuncs += m->units[u]->nfuncs;
        for (u32 f = 0; f < m->units[u]->nfuncs; f++)
            nvars += m->units[u]->funcs[f]->nlocals;
    }
    m->vars = arena_array(&m->mem, struct exec_var, nvars + 1);
    m->funcs = arena_array(&m->mem, struct exec_func, nfuncs + 1);
    for (unsigned u = 0; u < m->nunits; u++) {
        struct ptx_module *unit = m->units[u];
        for (u32 k = 0; k < unit->nvars; k++)
            if (is_global(unit->vars[k]) || is_shared(unit->vars[k]))
                m->vars[m->nvars++] = (struct exec_var){.src = unit->vars[k], .unit = unit};
        for (u32 k = 0; k < unit->nfuncs; k++) {
            const struct ptx_func *f = unit->funcs[k];
            if (!f->defined)
                continue;
            m->funcs[m->nfuncs] = (struct exec_func){.module = m, .src = f, .unit = unit, .number = m->nfuncs};
            m->funcs[m->nfuncs].reads_clock = clock_is_read(f);
            m->has_clock |= m->funcs[m->nfuncs].reads_clock;
            m->function_has_clock |= !f->is_entry && m->funcs[m->nfuncs].reads_clock;
            m->nfuncs++;
            for (u32 i = 0; i < f->nlocals; i++) /* static variables of functions */
                if (is_global(f->locals[i]))
                    m->vars[m->nvars++] = (struct exec_var){.src = f->locals[i], .unit = unit};
        }
    }
    index_names(m);
}

/* ---- variables in device memory ---- */

static enum ls_status place_variables(struct exec_module *m, const struct exec_module *sibling)
{
    for (u32 k = 0; k < m->nvars; k++) {
        struct exec_var *v = &m->vars[k];
        if (!is_global(v->src) || v->src->linkage == LINK_EXTERN || !v->src->size)
            continue;
        if (v->src->managed && sibling) {
            v->address = sibling->vars[k].address;
            v->borrowed = true;
            continue;
        }
        enum mem_kind kind = v->src->space == SPACE_CONST ? MEM_CONST : v->src->managed ? MEM_MANAGED : MEM_GLOBAL;
        u64 align = v->src->align > MEM_ALIGN ? v->src->align : MEM_ALIGN;
        enum ls_status s = mem_alloc(m->device->mem, v->src->size, align, kind, v->src->name, &v->address);
        if (s)
            return s;
        void *to = (void *)(uintptr_t)v->address;
        if (v->src->init)
            memcpy(to, v->src->init, v->src->size);
        else
            memset(to, 0, v->src->size);
    }
    return LS_OK;
}

static void relocate(struct exec_module *m, const struct exec_var *v)
{
    u8 *to = (u8 *)(uintptr_t)v->address;
    for (u32 k = 0; k < v->src->nrelocs; k++) {
        const struct ptx_reloc *r = &v->src->relocs[k];
        u64 value = 0;
        if (r->var) {
            struct exec_var *target = module_find_var(m, v->unit, r->var);
            value = target ? target->address : 0;
        } else if (r->func) {
            struct exec_func *target = find_func(m, v->unit, r->func);
            value = (u64)(uintptr_t)target;
        }
        value = (value + (u64)r->addend) >> r->shift;
        if (v->address && r->at + r->bytes <= v->src->size)
            memcpy(to + r->at, &value, r->bytes);
    }
}

/* ---- lowering ---- */

struct lowering {
    struct exec_module *m;
    struct exec_func *f;
    const struct kernel_shared *shared; /* of a kernel */
};

static bool var_address(void *ctx, const struct ptx_func *f, const struct ptx_var *v, u64 *address)
{
    struct lowering *l = ctx;
    for (u32 k = 0; k < f->nlocals; k++)
        if (f->locals[k] == v && is_shared(v) && f->is_entry) {
            *address = l->shared->places[l->m->nshared + k];
            return true;
        }
    struct exec_var *found = module_find_var(l->m, l->f->unit, v);
    if (!found || (is_global(v) && !found->address && found->src->size))
        return false;
    const bool own = is_shared(v) && found->address == UINT64_MAX;
    LS_BUG_ON(own && !l->f->src->is_entry); /* what device functions name is common */
    *address = own ? l->shared->places[found->place] : found->address;
    return true;
}

static u64 func_handle(void *ctx, const struct ptx_func *f)
{
    struct lowering *l = ctx;
    return (u64)(uintptr_t)find_func(l->m, l->f->unit, f);
}

static int find_builtin(void *ctx, const char *name)
{
    (void)ctx;
    return builtin_find(name);
}

static ir_body find_body(void *ctx, const char *name, enum ir_mode mode)
{
    const struct lowering *l = ctx;
    const struct exec_device *d = l->m->device;
    return d->weak_memory ? bodies_find_weak(d->isa, name, mode) : bodies_find_isa(d->isa, name, mode);
}

bool module_calls(const struct exec_func *f)
{
    for (u32 s = 0; s < f->src->ninsts; s++)
        if (f->src->insts[s].op == OP_CALL)
            return true;
    return false;
}

static bool reaches_clock(struct exec_module *m, struct exec_func *f, u8 *seen);

/* Whether what stands in a call may read a clock. A register among its operands is an indirect callee. */
static bool callee_reaches_clock(struct exec_module *m, const struct exec_func *f, const struct ptx_operand *o,
                                 u8 *seen)
{
    if (o->kind == PTX_REG)
        return m->function_has_clock;
    struct exec_func *callee = o->kind == PTX_FUNC ? find_func(m, f->unit, o->func) : NULL;
    return callee && !seen[callee->number] && reaches_clock(m, callee, seen);
}

/* Whether the function, or one that it may call, reads a clock. */
static bool reaches_clock(struct exec_module *m, struct exec_func *f, u8 *seen)
{
    bool found = f->reads_clock;
    seen[f->number] = 1;
    for (u32 s = 0; s < f->src->ninsts && !found; s++)
        for (unsigned k = 0; f->src->insts[s].op == OP_CALL && k < f->src->insts[s].noperands && !found; k++)
            found = callee_reaches_clock(m, f, &f->src->insts[s].operands[k], seen);
    return found;
}

/* Device functions have timed code where anything reads a clock: any kernel may call them. */
static bool needs_timed_code(struct exec_module *m, struct exec_func *f)
{
    if (!m->has_clock || !f->src->is_entry)
        return m->has_clock;
    return reaches_clock(m, f, arena_array(&m->mem, u8, m->nfuncs + 1));
}

static void lower(struct exec_module *m, struct exec_func *f)
{
    struct lowering l = {.m = m, .f = f};
    struct ir_target target = {
        .ctx = &l,
        .body = find_body,
        .var_address = var_address,
        .func_handle = func_handle,
        .builtin = find_builtin,
        .shared_window = mem_shared_window(m->device->mem),
        .local_window = mem_local_window(m->device->mem),
        .keep_apart = m->device->keep_apart,
        .weak_memory = m->device->weak_memory,
        .cost = needs_timed_code(m, f) ? latency_cost : NULL,
    };
    if (!f->src->is_entry) {
        f->ir = ir_lower(&m->mem, f->unit, f->src, &target);
        return;
    }
    struct kernel_shared shared = module_lay_out_shared(m, f);
    l.shared = &shared;
    f->ir = ir_lower(&m->mem, f->unit, f->src, &target);
    module_note_shared(m, f, &shared);
}

/* A kernel cannot run when a function that it calls by name cannot. */
static const char *poison_of_callees(struct exec_module *m, struct exec_func *f, u8 *seen)
{
    seen[f->number] = 1;
    for (u32 s = 0; s < f->src->ninsts; s++) {
        const struct ptx_inst *i = &f->src->insts[s];
        for (unsigned k = 0; i->op == OP_CALL && k < i->noperands; k++) {
            struct exec_func *callee =
                i->operands[k].kind == PTX_FUNC ? find_func(m, f->unit, i->operands[k].func) : NULL;
            if (!callee || seen[callee->number] || !callee->ir)
                continue;
            const char *why = callee->ir->poison ? callee->ir->poison : poison_of_callees(m, callee, seen);
            if (why)
                return why;
        }
    }
    return NULL;
}

static void lower_kernel(struct exec_module *m, struct exec_func *f)
{
    lower(m, f);
    if (!module_calls(f))
        return;
    for (u32 k = 0; k < m->nfuncs && !m->all_lowered; k++)
        if (!m->funcs[k].src->is_entry && !m->funcs[k].ir)
            lower(m, &m->funcs[k]);
    m->all_lowered = true;
    u8 *seen = arena_array(&m->mem, u8, m->nfuncs + 1);
    if (!f->ir->poison)
        f->ir->poison = poison_of_callees(m, f, seen);
}

/* ---- the interface ---- */

static enum ls_status load(struct exec_module *m, const struct exec_module *sibling)
{
    if (setjmp(m->mem.oom))
        return LS_ERR_NOMEM;
    collect(m);
    enum ls_status s = place_variables(m, sibling);
    if (s)
        return s;
    for (u32 k = 0; k < m->nvars; k++)
        if (!m->vars[k].borrowed)
            relocate(m, &m->vars[k]);
    module_place_shared(m);
    return LS_OK;
}

enum ls_status exec_module_load(struct exec_device *d, struct ptx_module **mods, unsigned n, struct exec_module **out,
                                struct diag_list *diags)
{
    return exec_module_load_beside(d, mods, n, NULL, out, diags);
}

enum ls_status exec_module_load_beside(struct exec_device *d, struct ptx_module **mods, unsigned n,
                                       const struct exec_module *sibling, struct exec_module **out,
                                       struct diag_list *diags)
{
    struct exec_module *m = ls_calloc(1, sizeof *m);
    struct ptx_module **units = ls_calloc(n, sizeof *units);
    *out = NULL;
    if (!m || !units) {
        ls_free(m);
        ls_free(units);
        for (unsigned k = 0; k < n; k++)
            ptx_free(mods[k]);
        return LS_ERR_NOMEM;
    }
    memcpy(units, mods, sizeof *units * n);
    m->mem.name = "mod";
    m->device = d;
    m->units = units;
    m->nunits = n;
    pthread_mutex_init(&m->lock, NULL);
    enum ls_status s = load(m, sibling);
    if (s) {
        diag_add(diags, DIAG_ERROR, (struct diag_place){.file = mods[0]->file},
                 "no device memory for the module's variables");
        exec_module_free(m);
        return s;
    }
    *out = m;
    return LS_OK;
}

void exec_module_free(struct exec_module *m)
{
    if (!m)
        return;
    tier_forget(m);
    for (u32 k = 0; k < m->nvars; k++)
        if (is_global(m->vars[k].src) && m->vars[k].address && !m->vars[k].borrowed)
            mem_free(m->device->mem, m->vars[k].address);
    for (unsigned k = 0; k < m->nunits; k++)
        ptx_free(m->units[k]);
    pthread_mutex_destroy(&m->lock);
    arena_free(&m->mem);
    ls_free(m->units);
    ls_free(m);
}

void exec_module_hand_over(struct exec_module *m, struct exec_module *sibling)
{
    for (u32 k = 0; k < m->nvars; k++) {
        if (m->vars[k].src->managed && !m->vars[k].borrowed) {
            m->vars[k].borrowed = true;
            sibling->vars[k].borrowed = false;
        }
    }
}

struct exec_func *exec_module_func(struct exec_module *m, u64 handle)
{
    u64 first = (u64)(uintptr_t)m->funcs, at = handle - first;
    if (handle < first || at % sizeof *m->funcs || at / sizeof *m->funcs >= m->nfuncs)
        return NULL;
    return &m->funcs[at / sizeof *m->funcs];
}

struct exec_func *exec_module_func_of(struct exec_module *m, const struct ir_func *ir)
{
    struct exec_func *f = first_func(m, ir->src->name);
    while (f && f->src != ir->src)
        f = f->same_hash;
    return f;
}

/* f lowered; NULL: no memory. */
static const struct ir_func *lowered(struct exec_module *m, struct exec_func *f)
{
    pthread_mutex_lock(&m->lock);
    bool failed = false;
    if (!f->ir) {
        if (setjmp(m->mem.oom))
            failed = true;
        else
            lower_kernel(m, f);
    }
    pthread_mutex_unlock(&m->lock);
    return failed ? NULL : f->ir;
}

const struct ir_func *exec_module_kernel(struct exec_module *m, const char *name)
{
    struct exec_func *f = first_func(m, name);
    while (f && (!f->src->is_entry || strcmp(f->src->name, name)))
        f = f->same_hash;
    return f ? lowered(m, f) : NULL;
}

const char *exec_module_kernel_name(const struct exec_module *m, unsigned n)
{
    return n < m->nkernels ? m->kernels[n]->src->name : NULL;
}

bool exec_module_global(struct exec_module *m, const char *name, u64 *address, u64 *size, bool *managed)
{
    for (const struct exec_var *v = first_var(m, name); v; v = v->same_hash) {
        if (!is_global(v->src) || !v->address || strcmp(v->src->name, name))
            continue;
        *address = v->address;
        *size = v->src->size;
        *managed = v->src->managed;
        return true;
    }
    return false;
}

/* ---- the device ---- */

enum { DEFAULT_HEAP = 8 << 20, DEFAULT_PRINTF = 1 << 20, DEFAULT_STACK = 1024 }; /* CUDA's own defaults */

enum ls_status exec_devices_init(struct exec_device *d, unsigned n, const struct gpu *gpu)
{
    struct mem *mem;
    d[0].mem = NULL;
    d[0].textures = NULL;
    const enum ls_status s = mem_create_devices(gpu->memory_bytes, n, &mem);
    struct textures *textures = s == LS_OK ? textures_make() : NULL;
    for (unsigned i = 0; i < n && s == LS_OK; i++)
        d[i] = (struct exec_device){.gpu = *gpu,
                                    .mem = mem_of_device(mem, i),
                                    .textures = textures,
                                    .isa = bodies_isa(),
                                    .heap_bytes = DEFAULT_HEAP,
                                    .printf_bytes = DEFAULT_PRINTF,
                                    .stack_bytes = DEFAULT_STACK};
    if (s == LS_OK && !textures)
        exec_device_free(&d[0]);
    return s == LS_OK && !textures ? LS_ERR_NOMEM : s;
}

enum ls_status exec_device_init(struct exec_device *d, const struct gpu *gpu) { return exec_devices_init(d, 1, gpu); }

void exec_device_free(struct exec_device *d)
{
    if (d->mem && d->mem == mem_of_device(d->mem, 0)) {
        mem_destroy(d->mem);
        textures_free(d->textures);
    }
    d->mem = NULL;
    d->textures = NULL;
}
