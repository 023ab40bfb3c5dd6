/* kernel.c - what is kept of a kernel between its launches (kernel.h). Launches may end on several threads at once: what two of them make is the same,
 * and the later one's is dropped or kept beside the other. */
#include "meter/kernel.h"

#include <stdatomic.h>

#include "base/alloc.h"
#include "meter/code/make_code.h"

struct kept_code {
    struct arena mem;
    const struct ir_func *func;
    const struct replay_code *code;
    struct kept_code *next;
};

struct meter_kernel {
    _Atomic(u32) registers; /* 0: not known yet */
    _Atomic(struct kept_code *) codes;
};

struct meter_kernel *meter_kernel_make(void) { return ls_calloc(1, sizeof(struct meter_kernel)); }

static void free_code(struct kept_code *c)
{
    arena_free(&c->mem);
    ls_free(c);
}

void meter_kernel_free(struct meter_kernel *k)
{
    for (struct kept_code *c = k ? atomic_load(&k->codes) : NULL, *next; c; c = next) {
        next = c->next;
        free_code(c);
    }
    ls_free(k);
}

u32 meter_kernel_registers(struct meter_kernel *k, const struct gpu *gpu, const struct ir_func *kernel)
{
    const u32 before = k ? atomic_load(&k->registers) : 0;
    const u32 registers = before ? before : code_registers(gpu, kernel);
    if (!before && k)
        atomic_store(&k->registers, registers);
    return registers;
}

static const struct replay_code *make(struct arena *mem, const struct gpu *gpu, const struct ir_func *f,
                                      const struct estimate *e, const struct sass_func *made)
{
    const struct replay_code *code = made ? code_from_sass(mem, gpu, f, made) : NULL;
    return code ? code : code_from_ptx(mem, gpu, f, e);
}

/* NULL: no memory. */
static struct kept_code *make_kept(const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                                   const struct sass_func *made)
{
    struct kept_code *c = ls_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->mem.name = "kernel";
    if (setjmp(c->mem.oom)) {
        free_code(c);
        return NULL;
    }
    c->func = f;
    c->code = make(&c->mem, gpu, f, e, made);
    return c;
}

const struct replay_code *meter_kernel_code(struct meter_kernel *k, struct arena *tmp, const struct gpu *gpu,
                                            const struct ir_func *f, const struct estimate *e,
                                            const struct sass_func *made)
{
    for (const struct kept_code *c = k ? atomic_load(&k->codes) : NULL; c; c = c->next)
        if (c->func == f)
            return c->code;
    struct kept_code *kept = k ? make_kept(gpu, f, e, made) : NULL;
    if (!kept)
        return make(tmp, gpu, f, e, made);
    kept->next = atomic_load(&k->codes);
    while (!atomic_compare_exchange_weak(&k->codes, &kept->next, kept))
        ;
    return kept->code;
}
