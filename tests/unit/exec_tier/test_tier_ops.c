/* test_tier_ops.c - every row of ops.c whose lanes do not depend on each other: kernels with one instruction a row run
 * interpreted and compiled, on random and special operands, and must leave the same bits.
 *
 * A group of rows is a module; its kernels differ in what is known of the operands: each lane its own, the same for the
 * grid, some of both, constants, all under a divergent branch, guarded, and in a divergent loop. */
#include "../exec/harness.h"
#include "../exec_arith/rig.h"

#include "base/alloc.h"
#include "base/settings.h"
#include "exec/module.h"
#include "exec/tier/code.h"
#include "exec/tier/gen.h"
#include "op_text.h"

enum { GROUP = 12, THREADS = 64, BLOCKS = 16, N = THREADS * BLOCKS, PARAMS = 16 + 8 * 6 * OP_OPERANDS };

/* Most of the time is LLVM's, which has no sanitizer; the code that makes what it compiles is the same for few as for many. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { LAUNCHES = 2, CONSTANT_SETS = 5, AFFINE_CASES = 3 };
static const char *const kernels[] = {"some", "branch"};
#else
enum { LAUNCHES = 8, CONSTANT_SETS = 8, AFFINE_CASES = 12 };
static const char *const kernels[] = {"lanes", "uniform", "some", "branch", "guarded", "loop"};
#endif

static u8 *seen; /* by row */

/* ---- texts ---- */

struct text {
    char *at;
    size_t len, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *fmt, ...)
{
    va_list args;
    if (t->room - t->len < 512)
        t->at = ls_realloc(t->at, t->room = 2 * t->room + 4096);
    va_start(args, fmt);
    t->len += (size_t)vsnprintf(t->at + t->len, t->room - t->len, fmt, args);
    va_end(args);
}

static void put_instruction(struct text *t, const struct op *op, unsigned row, const char *guard)
{
    char opcode[64];
    op_opcode(op->name, opcode);
    put(t, "    %s%s %%r%u", guard, opcode, row);
    for (int k = 0; k < op_arity(op); k++)
        put(t, ", %%%c%d", op_kinds[op_kind(op, k)], k);
    if (op_starts(op->name, "lop3"))
        put(t, ", %u", (unsigned)(rig_random() & 255));
    put(t, ";\n");
}

static void put_begin(struct text *t, const char *kernel, const struct op **ops, unsigned n)
{
    put(t, ".visible .entry %s(.param .align 8 .b8 p[%d])\n{\n", kernel, PARAMS);
    for (unsigned k = 0; k < OP_KINDS; k++)
        put(t, "    .reg .%s %%%c<4>;\n", op_types[k], op_kinds[k]);
    for (unsigned r = 0; r < n; r++)
        put(t, "    .reg .%s %%r%u;\n", op_types[op_kind(ops[r], -1)], r);
    put(t,
        "    .reg .b64 %%in, %%out, %%at;\n    .reg .b32 %%t, %%u, %%n;\n    .reg .pred %%q;\n"
        "    ld.param.b64 %%in, [p];\n    ld.param.b64 %%out, [p+8];\n    mov.u32 %%t, %%tid.x;\n"
        "    mov.u32 %%u, %%ctaid.x;\n    mad.lo.s32 %%t, %%u, %d, %%t;\n    mad.wide.u32 %%at, %%t, 8, %%in;\n"
        "    mad.wide.u32 %%out, %%t, 8, %%out;\n",
        THREADS);
}

/* Operand k of a kind: from this place, which is memory or parameters. */
static void put_load(struct text *t, unsigned kind, unsigned k, bool param)
{
    const unsigned at = (kind * OP_OPERANDS + k) * (param ? 8 : 8 * N) + (param ? 16 : 0);
    const char *space = param ? "param" : "global", *base = param ? "p" : "%at";
    if (op_kinds[kind] == 'p')
        put(t, "    ld.%s.b32 %%u, [%s+%u];\n    and.b32 %%u, %%u, 1;\n    setp.ne.b32 %%p%u, %%u, 0;\n", space, base,
            at, k);
    else
        put(t, "    ld.%s.%s %%%c%u, [%s+%u];\n", space, op_types[kind], op_kinds[kind], k, base, at);
}

static void put_loads(struct text *t, unsigned params) /* bit k: operand k is one */
{
    for (unsigned kind = 0; kind < OP_KINDS; kind++)
        for (unsigned k = 0; k < OP_OPERANDS; k++)
            put_load(t, kind, k, params >> k & 1);
}

static void put_store(struct text *t, const struct op *op, unsigned row, unsigned place)
{
    const char *type = op_types[op_kind(op, -1)];
    if (strcmp(type, "pred") == 0)
        put(t, "    selp.b32 %%u, 1, 2, %%r%u;\n    st.global.b32 [%%out+%u], %%u;\n", row, place * 8 * N);
    else
        put(t, "    st.global.%s [%%out+%u], %%r%u;\n", type, place * 8 * N, row);
}

static void put_end(struct text *t, const struct op **ops, unsigned n, unsigned place)
{
    for (unsigned r = 0; r < n; r++)
        put_store(t, ops[r], r, place + r);
}

/* What the results are where nothing is done. */
static void put_old(struct text *t, const struct op **ops, unsigned n)
{
    for (unsigned r = 0; r < n; r++)
        put(t, "    mov.%s %%r%u, %%%c%u;\n", op_types[op_kind(ops[r], -1)], r, op_kinds[op_kind(ops[r], -1)],
            r % OP_OPERANDS);
}

static void put_plain(struct text *t, const char *kernel, const struct op **ops, unsigned n, unsigned params)
{
    put_begin(t, kernel, ops, n);
    put_loads(t, params);
    for (unsigned r = 0; r < n; r++)
        put_instruction(t, ops[r], r, "");
    put_end(t, ops, n, 0);
    put(t, "    ret;\n}\n");
}

/* f16 and bf16 at their edges, or anything. */
static u64 random_half(void)
{
    static const u16 pool[] = {0,      0x8000, 1,      0x3ff,  0x400,  0x8400, 0x3c00, 0xbc00,
                               0x4000, 0x7bff, 0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe01, 0x7fff,
                               0x7f80, 0xff80, 0x7f81, 0x7f7f, 0x80,   0x7f,   0x3f80, 0xffff};
    const u64 x = rig_random();
    return x & 1 ? pool[(x >> 8) % LS_ARRAY_LEN(pool)] : x >> 48;
}

static u64 random_of(char kind)
{
    switch (kind) {
    case 'f':
        return bits32(rig_float());
    case 'd':
        return bits64(rig_double());
    case 'l':
        return rig_special64();
    case 'h':
        return rig_random() & 1 ? random_half() : rig_special32() & 0xffff;
    case 'p':
        return rig_random() & 1;
    default:
        return rig_random() % 4 ? rig_special32() : random_half() << 16 | random_half();
    }
}

/* Operands of which some operation is invalid: the sign of the NaN that it gives is the hardware's. */
enum { INVALID = 4 };
static const u64 invalid[INVALID][3] = {
    {0, 1ull << 63, 0},                                           /* 0 / -0 */
    {0x7ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000}, /* inf - inf, inf inf - inf */
    {0xfff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000}, /* -inf + inf, the root of -inf */
    {0x7ff0000000000000, 0, 0x3ff0000000000000},                  /* inf 0 */
};

static u64 constant_of(char kind, unsigned set, unsigned k)
{
    return kind == 'd' && set < INVALID && k < 3 ? invalid[set][k] : random_of(kind);
}

static void put_constants(struct text *t, const struct op **ops, unsigned n)
{
    put_begin(t, "constants", ops, n);
    for (unsigned set = 0; set < CONSTANT_SETS; set++) {
        for (unsigned kind = 0; kind < OP_KINDS; kind++)
            for (unsigned k = 0; k < OP_OPERANDS; k++) {
                const u64 v = constant_of(op_kinds[kind], set, k);
                if (op_kinds[kind] == 'p')
                    put(t, "    mov.b32 %%u, %u;\n    setp.ne.b32 %%p%u, %%u, 0;\n", (unsigned)v, k);
                else
                    put(t, "    mov.%s %%%c%u, 0x%llx;\n", op_types[kind], op_kinds[kind], k, (unsigned long long)v);
            }
        for (unsigned r = 0; r < n; r++)
            put_instruction(t, ops[r], r, "");
        put_end(t, ops, n, set * n);
    }
    put(t, "    ret;\n}\n");
}

/* 32-bit values that go up or down by the same from thread to thread; where a warp's wrap around depends on where they
 * begin. */
static const i32 steps[] = {1, -1, 4, 3, -4, 256, 65536, 65537, 1 << 26};
static const i64 factors[] = {4, 1, 8, -4, 0, 2, 65536, 65537, 31, 32, INT32_MIN};

static bool is_affine(const struct op *op) { return op->affine != AFFINE_NO && !strpbrk(op->spec, "hsp"); }

/* Operand k is affine, a constant, or the same for all. */
static void put_affine_operand(struct text *t, const struct op *op, int k)
{
    const unsigned kind = (unsigned)op_kind(op, k);
    const char letter = op_kinds[kind];
    const bool wide = letter == 'l';
    const unsigned what = (unsigned)(rig_random() % 4);
    const i64 step = steps[rig_random() % LS_ARRAY_LEN(steps)], factor = factors[rig_random() % LS_ARRAY_LEN(factors)];
    put_load(t, kind, (unsigned)k, true);
    if (what < 2 && wide)
        put(t, "    mad.lo.s64 %%l%d, %%wide, %lld, %%l%d;\n", k, (long long)step, k);
    else if (what < 2 && letter == 'i')
        put(t, "    mad.lo.s32 %%i%d, %%t, %lld, %%i%d;\n", k, (long long)step, k);
    else if (what == 2)
        put(t, "    mov.%s %%%c%d, %lld;\n", op_types[kind], letter, k, (long long)factor);
}

static void put_affine(struct text *t, const struct op *op)
{
    char kernel[80];
    const struct op *ops[AFFINE_CASES];
    if (!is_affine(op))
        return;
    for (unsigned k = 0; k < AFFINE_CASES; k++)
        ops[k] = op;
    snprintf(kernel, sizeof kernel, "affine_%s", op->name);
    put_begin(t, kernel, ops, AFFINE_CASES);
    put(t, "    .reg .b64 %%wide;\n    mov.u32 %%t, %%tid.x;\n    cvt.u64.u32 %%wide, %%t;\n");
    for (unsigned r = 0; r < AFFINE_CASES; r++) {
        for (int k = 0; k < op_arity(op); k++)
            put_affine_operand(t, op, k);
        put_instruction(t, op, r, "");
        put_store(t, op, r, r);
    }
    put(t, "    ret;\n}\n");
}

/* Odd lanes, then those that a value chooses. */
static void put_branch(struct text *t, const struct op **ops, unsigned n)
{
    put_begin(t, "branch", ops, n);
    put_loads(t, 0);
    put_old(t, ops, n);
    put(t, "    and.b32 %%n, %%t, 1;\n    setp.eq.b32 %%q, %%n, 0;\n    @%%q bra OVER;\n");
    for (unsigned r = 0; r < n / 2; r++)
        put_instruction(t, ops[r], r, "");
    put(t, "OVER:\n    @%%p1 bra SECOND;\n");
    for (unsigned r = n / 2; r < n; r++)
        put_instruction(t, ops[r], r, "");
    put(t, "    bra END;\nSECOND:\n");
    for (unsigned r = 0; r < n / 2; r++)
        put_instruction(t, ops[r], r, "");
    put(t, "END:\n");
    put_end(t, ops, n, 0);
    put(t, "    ret;\n}\n");
}

static void put_guarded(struct text *t, const struct op **ops, unsigned n)
{
    put_begin(t, "guarded", ops, n);
    put_loads(t, 2);
    put_old(t, ops, n);
    put(t, "    and.b32 %%n, %%t, 3;\n    setp.eq.b32 %%q, %%n, 0;\n");
    for (unsigned r = 0; r < n; r++)
        put_instruction(t, ops[r], r, r & 1 ? "@%q " : "@!%q ");
    put_end(t, ops, n, 0);
    put(t, "    ret;\n}\n");
}

/* Each lane so many times as it likes, with operands that change places. */
static void put_loop(struct text *t, const struct op **ops, unsigned n)
{
    put_begin(t, "loop", ops, n);
    put_loads(t, 4);
    put_old(t, ops, n);
    put(t, "    shr.u32 %%n, %%t, 1;\n    and.b32 %%n, %%n, 3;\nAGAIN:\n");
    for (unsigned r = 0; r < n; r++)
        put_instruction(t, ops[r], r, "");
    for (unsigned k = 0; k < OP_KINDS; k++)
        put(t, "    mov.%s %%%c2, %%%c0;\n    mov.%s %%%c0, %%%c1;\n    mov.%s %%%c1, %%%c2;\n", op_types[k],
            op_kinds[k], op_kinds[k], op_types[k], op_kinds[k], op_kinds[k], op_types[k], op_kinds[k], op_kinds[k]);
    put(t, "    sub.s32 %%n, %%n, 1;\n    setp.gt.s32 %%q, %%n, 0;\n    @%%q bra AGAIN;\n");
    put_end(t, ops, n, 0);
    put(t, "    ret;\n}\n");
}

/* ---- runs ---- */

static bool have_llvm;

static void fill(u64 *in, unsigned n)
{
    for (unsigned kind = 0; kind < OP_KINDS; kind++)
        for (unsigned k = 0; k < OP_OPERANDS; k++)
            for (unsigned i = 0; i < n; i++) {
                const u64 other = k ? in[(kind * OP_OPERANDS + k - 1) * n + i] : 0;
                in[(kind * OP_OPERANDS + k) * n + i] =
                    k && rig_random() % 8 == 0 ? other ^ (rig_random() % 4 == 0) : random_of(op_kinds[kind]);
            }
}

static void launch(struct bench *b, const char *kernel, u8 tier, const void *params)
{
    struct exec_fault fault;
    const struct ir_func *f = exec_module_kernel(b->module, kernel);
    b->device.tier = tier;
    struct exec_launch l = {
        .device = &b->device,
        .module = b->module,
        .kernel = f,
        .grid = {BLOCKS, 1, 1},
        .block = {THREADS, 1, 1},
        .params = params,
        .workers = 1,
    };
    assert_non_null(f);
    if (exec_run(&l, &fault, NULL))
        fail_msg("%s: %s", kernel, exec_fault_text(&fault));
}

/* The kernel has been compiled. */
static void check_code(const struct bench *b, const char *kernel)
{
    for (u32 k = 0; k < b->module->nfuncs; k++) {
        const struct exec_func *f = &b->module->funcs[k];
        const struct tier_code *c = atomic_load(&f->codes);
        if (!f->ir || strcmp(f->ir->name, kernel) != 0)
            continue;
        if (!c || atomic_load(&c->phase) != TIER_READY)
            fail_msg("%s: no code: %s", kernel, c ? c->why : "nobody asked for it");
    }
}

static void note_seen(const struct bench *b)
{
    for (u32 k = 0; k < b->module->nfuncs; k++) {
        const struct ir_func *f = b->module->funcs[k].ir;
        for (u32 r = 0; f && r < f->code[IR_FAST].n; r++) { /* one that did not run was not lowered */
            const char *name = bodies_name_of(b->device.isa, f->code[IR_FAST].insts[r].run);
            for (u32 row = 0; name && op_nth(row); row++)
                seen[row] |= strcmp(op_nth(row)->name, name) == 0;
        }
    }
}

/* How many places differ; says the first few. */
static unsigned compare(const char *kernel, const struct op **ops, unsigned n, unsigned places, const u64 *in,
                        const u64 *params, const u64 *want, const u64 *got)
{
    unsigned bad = 0;
    for (unsigned p = 0; p < places; p++) {
        unsigned here = 0;
        for (unsigned i = 0; i < N; i++) {
            const struct op *op = ops[p % n];
            if (want[p * N + i] == got[p * N + i])
                continue;
            if (here++)
                continue;
            print_error("%s, %s, thread %u: ", op->name, kernel, i);
            for (int k = 0; k < op_arity(op); k++)
                print_error("%c%d %#llx (%#llx) ", op_kinds[op_kind(op, k)], k,
                            (unsigned long long)in[(unsigned)(op_kind(op, k) * OP_OPERANDS + k) * N + i],
                            (unsigned long long)params[2 + op_kind(op, k) * OP_OPERANDS + k]);
            print_error("got %#llx, want %#llx\n", (unsigned long long)got[p * N + i],
                        (unsigned long long)want[p * N + i]);
        }
        bad += here;
    }
    return bad;
}

struct place {
    u64 *in, *out, *want;
    u64 params[PARAMS / 8];
    size_t out_bytes;
};

static unsigned run_both(struct bench *b, struct place *p, const char *kernel, const struct op **ops, unsigned n,
                         unsigned places)
{
    unsigned bad = 0;
    for (unsigned k = 0; k < LAUNCHES && !bad; k++) {
        fill(p->in, N);
        fill(p->params + 2, 1);
        memset(p->out, 0xaa, p->out_bytes);
        launch(b, kernel, TIER_OFF, p->params);
        memcpy(p->want, p->out, p->out_bytes);
        memset(p->out, 0xaa, p->out_bytes);
        launch(b, kernel, TIER_FORCE, p->params);
        bad += compare(kernel, ops, n, places, p->in, p->params, p->want, p->out);
    }
    check_code(b, kernel);
    return bad;
}

static unsigned run_affine(struct bench *b, struct place *p, const struct op *op)
{
    char kernel[80];
    if (!is_affine(op))
        return 0;
    snprintf(kernel, sizeof kernel, "affine_%s", op->name);
    return run_both(b, p, kernel, &op, 1, AFFINE_CASES);
}

static void make_text(struct text *t, const struct op **ops, unsigned n)
{
    t->len = 0;
    put(t, ".version 8.0\n.target sm_90\n.address_size 64\n");
    put_plain(t, "lanes", ops, n, 0);
    put_plain(t, "uniform", ops, n, 7);
    put_plain(t, "some", ops, n, 6);
    put_constants(t, ops, n);
    for (unsigned r = 0; r < n; r++)
        put_affine(t, ops[r]);
    put_branch(t, ops, n);
    put_guarded(t, ops, n);
    put_loop(t, ops, n);
}

static unsigned run_group(struct text *t, const struct op **ops, unsigned n)
{
    struct bench b;
    struct place p = {.out_bytes = (size_t)GROUP * CONSTANT_SETS * N * 8};
    unsigned bad = 0;
    make_text(t, ops, n);
    bench_open(&b, t->at);
    p.in = bench_alloc(&b, (u64)OP_KINDS * OP_OPERANDS * N * 8);
    p.out = bench_alloc(&b, p.out_bytes);
    p.want = ls_calloc(1, p.out_bytes);
    p.params[0] = (u64)(uintptr_t)p.in;
    p.params[1] = (u64)(uintptr_t)p.out;
    for (size_t k = 0; k < LS_ARRAY_LEN(kernels); k++)
        bad += run_both(&b, &p, kernels[k], ops, n, n);
    bad += run_both(&b, &p, "constants", ops, n, n * CONSTANT_SETS);
    for (unsigned r = 0; r < n; r++)
        bad += run_affine(&b, &p, ops[r]);
    note_seen(&b);
    ls_free(p.want);
    bench_close(&b);
    return bad;
}

static void test_lanes(void **state)
{
    const struct op *ops[GROUP];
    struct text t = {0};
    unsigned n = 0, bad = 0;
    (void)state;
    if (!have_llvm)
        skip();
    for (u32 row = 0; op_nth(row); row++) {
        const struct op *op = op_nth(row);
        /* what looks at bits differs from immediate to immediate: more of it */
        for (int copies = op_starts(op->name, "lop3") ? 4 : 1; op->form == OP_LANES && copies > 0; copies--) {
            ops[n++] = op;
            if (n == GROUP)
                bad += run_group(&t, ops, n), n = 0;
        }
    }
    if (n)
        bad += run_group(&t, ops, n);
    for (u32 row = 0; op_nth(row); row++)
        if (op_nth(row)->form == OP_LANES && !seen[row]) {
            print_error("%s: no instruction has it\n", op_nth(row)->name);
            bad++;
        }
    ls_free(t.at);
    assert_int_equal(bad, 0);
}

int main(void)
{
    char why[LLVM_WHY];
    u32 rows = 0;
    while (op_nth(rows))
        rows++;
    seen = ls_calloc(rows, 1);
    have_llvm = llvm_load(why, sizeof why) != NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lanes),
    };
    const int failed = cmocka_run_group_tests_name("exec_tier_ops", tests, NULL, NULL);
    ls_free(seen);
    return failed;
}
