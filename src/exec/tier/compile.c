/* compile.c - the passes in order: graph, shapes, code, object, and the tables that the engine needs beside it. */
#include "exec/tier/compile.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/tier/codegen.h"
#include "exec/tier/gen.h"
#include "exec/tier/keep.h"
#include "exec/tier/object.h"

/* Shapes change a few times each at most; what has not settled by then never will. */
enum { MOST_ROUNDS = 64 };

struct job {
    const struct llvm *ll;
    struct arena mem; /* of the compilation */
    struct tier_code *code;
    struct graph g;
    const struct tier_cache *cache; /* NULL: none */
    struct tier_key key;
    bool done;
};

/* ---- LLVM ---- */

static void make_types(struct gen *e)
{
    const struct llvm *ll = e->ll;
    llvm_context c = e->context;
    e->i1 = ll->Int1TypeInContext(c);
    e->i8 = ll->Int8TypeInContext(c);
    e->i16 = ll->Int16TypeInContext(c);
    e->i32 = ll->Int32TypeInContext(c);
    e->i64 = ll->Int64TypeInContext(c);
    e->f32 = ll->FloatTypeInContext(c);
    e->f64 = ll->DoubleTypeInContext(c);
    e->ptr = ll->PointerTypeInContext(c, 0);
    llvm_type body[] = {e->ptr, e->ptr, e->i32};
    e->run_body_type = ll->FunctionType(e->i8, body, 3, 0);
    e->go_on_type = ll->FunctionType(e->i8, &e->ptr, 1, 0);
    e->invariant = ll->GetMDKindIDInContext(c, "invariant.load", 14);
}

static void begin_function(struct gen *e)
{
    llvm_type params[] = {e->ptr, e->ptr, e->ptr, e->i32};
    e->fn = e->ll->AddFunction(e->module, "run", e->ll->FunctionType(e->i32, params, 4, 0));
    gen_sweep_begin(e);
    e->rooms.len = e->fetched.len = 0;
    e->states.len = e->body_list.len = e->nbodies = 0;
    e->needs_frame = false;
    memset(e->consts, 0, sizeof *e->consts * (e->g->f->nconsts + 1));
}

static struct gen *new_gen(struct job *j, struct graph *g)
{
    struct gen *e = arena_new(&j->mem, struct gen);
    e->ll = j->ll;
    e->g = g;
    e->mixed = j->code->mixed;
    e->mem = &j->mem;
    memcpy(e->block, j->code->block, sizeof e->block);
    e->context = e->ll->ContextCreate();
    e->module = e->ll->ModuleCreateWithNameInContext("kernel", e->context);
    e->b = e->ll->CreateBuilderInContext(e->context);
    e->now = arena_array(&j->mem, struct value, g->cells.len + 1);
    e->stale = arena_array(&j->mem, u64, g->words);
    e->consts = arena_array(&j->mem, struct value, g->f->nconsts + 1);
    e->nodes = arena_array(&j->mem, struct block_code, g->nodes.len);
    e->has_scatter = j->code->f->module->device->isa == ISA_V4;
    e->straight = true;
    for (u32 k = 1; k < g->nodes.len; k++)
        e->straight &= !g->nodes.at[k].entry;
    make_types(e);
    return e;
}

static void end_gen(struct gen *e)
{
    e->ll->DisposeBuilder(e->b);
    e->ll->DisposeModule(e->module);
    e->ll->ContextDispose(e->context);
}

/* Shapes first, then the code. */
static bool gen_kernel(struct gen *e)
{
    e->dry = true;
    e->g->nodes.at[0].reached = true;
    for (u32 round = 0; e->dry; round++) {
        begin_function(e);
        gen_dry(e);
        e->ll->DeleteFunction(e->fn);
        e->dry = e->changed;
        if (round > MOST_ROUNDS)
            return false;
    }
    begin_function(e);
    gen_for_good(e);
    return true;
}

/* ---- the tables ---- */

static void note_offsets(struct tier_code *c, struct shape *s)
{
    if (!s->offset)
        return;
    i64 *copy = arena_array(&c->mem, i64, IR_LANES);
    memcpy(copy, s->offset, sizeof *copy * IR_LANES);
    s->offset = copy;
}

static void note_states(struct tier_code *c, const struct gen *e)
{
    c->nstates = e->states.len;
    c->nentries = e->nentries;
    c->states = arena_array(&c->mem, struct tier_state, c->nstates);
    for (u32 k = 0; k < c->nstates; k++) {
        const struct tier_state *from = &e->states.at[k];
        c->states[k] = *from;
        c->states[k].cells = arena_array(&c->mem, struct tier_cell, from->ncells);
        memcpy(c->states[k].cells, from->cells, sizeof *from->cells * from->ncells);
        for (u32 n = 0; n < from->ncells; n++)
            note_offsets(c, &c->states[k].cells[n].s);
    }
}

static void note_bodies(struct tier_code *c, const struct gen *e)
{
    c->nbodies = e->body_list.len;
    c->body_list = arena_array(&c->mem, struct tier_body, c->nbodies);
    memcpy(c->body_list, e->body_list.at, sizeof *c->body_list * c->nbodies);
}

/* What follows from the tables that are kept. */
static void derive_tables(struct tier_code *c)
{
    const struct ir_code *code = &c->f->ir->code[c->mode];
    u32 n = 0;
    c->entry_at = arena_array(&c->mem, u32, code->n + 1);
    for (u32 k = 0; k < c->nentries; k++)
        c->entry_at[c->states[k].record] = k + 1;
    for (u32 k = 0; k < c->nbodies; k++)
        n += c->body_list[k].end - c->body_list[k].first + 1;
    c->bodies = arena_array(&c->mem, struct ir_inst, n);
    n = 0;
    for (u32 k = 0; k < c->nbodies; k++) {
        const struct tier_body *b = &c->body_list[k];
        memcpy(c->bodies + n, code->insts + b->first, sizeof *c->bodies * (b->end - b->first));
        n += b->end - b->first;
        c->bodies[n++] = (struct ir_inst){.run = tier_stop};
    }
}

static bool load(struct tier_code *c, const u8 *object, size_t len)
{
    if (object_load(object, len, NULL, 0, &c->object, c->why, TIER_WHY))
        return false;
    c->run = (tier_run *)object_function(c->object, "run");
    derive_tables(c);
    return c->run != NULL;
}

/* ---- the cache ---- */

/* Whether it has the code, which then is ready. */
static bool recall(struct job *j)
{
    const u8 *object;
    u8 *bytes;
    size_t n, len;
    if (!j->cache || !tier_cache_get(j->cache, &j->key, &bytes, &n))
        return false;
    j->done = keep_unpack(j->code, bytes, n, &object, &len) && load(j->code, object, len);
    ls_free(bytes);
    return j->done;
}

static void keep(const struct job *j, const u8 *object, size_t len)
{
    size_t n;
    u8 *const bytes = j->cache ? keep_pack(j->code, object, len, &n) : NULL;
    if (bytes)
        tier_cache_put(j->cache, &j->key, bytes, n);
    ls_free(bytes);
}

/* ---- */

static void run_job(void *arg)
{
    struct job *j = arg;
    u8 *bytes = NULL;
    size_t len = 0;
    struct gen *e = new_gen(j, &j->g);
    if (!gen_kernel(e)) {
        snprintf(j->code->why, TIER_WHY, "its values' shapes do not settle");
        end_gen(e);
        return;
    }
    if (!tier_codegen(e->ll, e->module, j->code->f->module->device->isa, &bytes, &len, j->code->why, TIER_WHY)) {
        note_states(j->code, e);
        note_bodies(j->code, e);
        j->code->pays = e->pays || j->g.runs_bodies;
        j->code->needs_frame = e->needs_frame || j->g.runs_bodies;
        j->done = load(j->code, bytes, len);
    }
    if (j->done)
        keep(j, bytes, len);
    ls_free(bytes);
    end_gen(e);
}

/* The graph, and the code if there is some in the cache; false: it is to be compiled, or cannot be (*unfit). */
static bool begin_job(struct job *j, bool *unfit)
{
    const char *why = NULL;
    j->g.mem = &j->mem;
    *unfit = !graph_build(&j->g, j->code->f, j->code->mode, &why);
    if (*unfit) {
        snprintf(j->code->why, TIER_WHY, "%s", why);
        return false;
    }
    j->cache = j->code->f->module->device->tier_cache;
    if (j->cache && !keep_key(j->code, &j->g, &j->key))
        j->cache = NULL;
    return recall(j);
}

static bool make(struct job *j, bool may_compile)
{
    struct tier_code *const c = j->code;
    bool unfit;
    if (setjmp(j->mem.oom) || setjmp(c->mem.oom)) {
        snprintf(c->why, TIER_WHY, "no memory");
        return false;
    }
    j->mem.name = c->mem.name = "tier";
    if (begin_job(j, &unfit))
        return true;
    if (unfit || !may_compile)
        return false;
    j->ll = llvm_load(c->why, TIER_WHY);
    return j->ll && llvm_guard(run_job, j, c->why, TIER_WHY) && j->done;
}

bool tier_compile(struct tier_code *c)
{
    struct job j = {.code = c};
    const bool done = make(&j, true);
    arena_free(&j.mem);
    return done;
}

bool tier_recall(struct tier_code *c)
{
    struct job j = {.code = c};
    const bool done = make(&j, false);
    arena_free(&j.mem);
    return done;
}

void tier_code_free(struct tier_code *c)
{
    if (!c)
        return;
    object_free(c->object);
    arena_free(&c->mem);
    ls_free(c);
}
