/* fuzz_tier.c - libFuzzer target: bytes become a kernel, which runs interpreted, and compiled or compiled with random changes
 * between the two; all memory must be the same.
 *
 * The first byte chooses which of the two; then a byte chooses a statement, those behind it its operands. Statements are the rows of exec/tier/ops.c, loads and stores of
 * the thread's own words and of shared memory, shuffles, barriers, and ifs and loops around statements, divergent or not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include "../unit/exec_tier/op_text.h"
#include "base/alloc.h"
#include "base/settings.h"
#include "exec/module.h"
#include "exec/tier/code.h"
#include "exec/tier/llvm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { THREADS = 64, BLOCKS = 2, WORDS = 16, OUT = THREADS * BLOCKS * WORDS * 8, DEPTH = 4, MOST = 60 };

struct maker {
    const u8 *at, *end;
    char *text;
    size_t len, room;
    unsigned labels, statements;
};

__attribute__((format(printf, 2, 3))) static void put(struct maker *m, const char *fmt, ...)
{
    va_list args;
    if (m->room - m->len < 1024) {
        m->text = ls_realloc(m->text, m->room = 2 * m->room + 4096);
        LS_BUG_ON(!m->text);
    }
    va_start(args, fmt);
    m->len += (size_t)vsnprintf(m->text + m->len, m->room - m->len, fmt, args);
    va_end(args);
}

static unsigned byte(struct maker *m) { return m->at < m->end ? *m->at++ : 0; }

static void put_register(struct maker *m, int kind) { put(m, "%%%c%u", op_kinds[kind], byte(m) % OP_OPERANDS); }

static const struct op *lane_op(unsigned n)
{
    u32 rows = 0;
    while (op_nth(rows))
        rows++;
    const struct op *op = op_nth(n % rows);
    return op->form == OP_LANES ? op : op_find("add_u32");
}

static void put_operation(struct maker *m)
{
    const struct op *op = lane_op(byte(m) << 8 | byte(m));
    char opcode[64];
    op_opcode(op->name, opcode);
    const unsigned guard = byte(m);
    if (guard % 8 == 1)
        put(m, "    @%s%%p%u", guard & 8 ? "!" : "", guard / 16 % OP_OPERANDS);
    put(m, "    %s ", opcode);
    for (int k = -1; k < op_arity(op); k++) {
        put(m, "%s", k >= 0 ? ", " : "");
        put_register(m, op_kind(op, k));
    }
    if (op_starts(op->name, "lop3"))
        put(m, ", %u", byte(m));
    put(m, ";\n");
}

static void put_constant(struct maker *m)
{
    const int kind = (int)(byte(m) % (OP_KINDS - 1));
    const unsigned v = byte(m) << 8 | byte(m), up = byte(m) % 64;
    const u64 value = op_kinds[kind] == 'h' ? v : (op_types[kind][1] == '6' ? (u64)v << up : (u32)(v << up % 32));
    put(m, "    mov.%s ", op_types[kind]);
    put_register(m, kind);
    put(m, ", 0x%llx;\n", (unsigned long long)value);
}

static void put_memory(struct maker *m)
{
    const unsigned how = byte(m), word = byte(m) % WORDS;
    const int kind = (int)(how / 4 % (OP_KINDS - 1));
    const char *type = op_types[kind];
    switch (how % 4) {
    case 0:
        put(m, "    ld.global.%s ", type);
        put_register(m, kind);
        put(m, ", [%%out+%u];\n", 8 * word);
        break;
    case 1:
        put(m, "    st.global.%s [%%out+%u], ", type, 8 * word);
        put_register(m, kind);
        put(m, ";\n");
        break;
    default: /* a place that a value chooses, among the thread's own */
        put(m, "    and.b32 %%x, ");
        put_register(m, 0);
        put(m, ", %u;\n    mad.wide.u32 %%y, %%x, 8, %%out;\n", WORDS - 1);
        if (how % 4 == 2)
            put(m, "    ld.global.%s %%%c%u, [%%y];\n", type, op_kinds[kind], word % OP_OPERANDS);
        else
            put(m, "    st.global.%s [%%y], %%%c%u;\n", type, op_kinds[kind], word % OP_OPERANDS);
    }
}

/* Where all of the block's threads are: through shared memory, and among a warp's lanes. */
static void put_exchange(struct maker *m)
{
    static const char *const modes[] = {"bfly", "up", "down", "idx"};
    const unsigned how = byte(m), by = byte(m), from = by / 64, to = how / 64;
    if (how & 1) {
        put(m, "    shfl.sync.%s.b32 %%i%u|%%p%u, %%i%u, %u, %u, 0xffffffff;\n", modes[how / 2 % 4], to, from, from,
            by % 32, how / 2 % 4 == 1 ? 0 : 31);
        return;
    }
    put(m, "    st.shared.b32 [%%mine], %%i%u;\n    bar.sync 0;\n    xor.b32 %%x, %%mine, %u;\n", from, by % 64 * 4);
    put(m, "    ld.shared.b32 %%i%u, [%%x];\n    bar.sync 0;\n", to);
}

static void put_statements(struct maker *m, unsigned depth, bool together);

static void put_if(struct maker *m, unsigned depth)
{
    const unsigned label = m->labels++, p = byte(m);
    put(m, "    @%s%%p%u bra ELSE%u;\n", p & 4 ? "!" : "", p % OP_OPERANDS, label);
    put_statements(m, depth, false);
    put(m, "    bra END%u;\nELSE%u:\n", label, label);
    if (p & 8)
        put_statements(m, depth, false);
    put(m, "END%u:\n", label);
}

/* As often as a value says, or the same for all. */
static void put_loop(struct maker *m, unsigned depth)
{
    const unsigned label = m->labels++, how = byte(m);
    if (how & 1)
        put(m, "    and.b32 %%n%u, %%i%u, 3;\n", depth, how / 2 % OP_OPERANDS);
    else
        put(m, "    mov.b32 %%n%u, %u;\n", depth, how / 2 % 4);
    put(m, "LOOP%u:\n", label);
    put_statements(m, depth, false);
    put(m, "    sub.s32 %%n%u, %%n%u, 1;\n    setp.gt.s32 %%q, %%n%u, 0;\n    @%%q bra LOOP%u;\n", depth, depth, depth,
        label);
}

static void put_statements(struct maker *m, unsigned depth, bool together)
{
    for (unsigned n = together ? MOST : 1 + byte(m) % 8; n-- > 0 && m->at < m->end && m->statements < MOST;
         m->statements++) {
        const unsigned what = byte(m) % 16;
        if (what == 0 && depth < DEPTH)
            put_if(m, depth + 1);
        else if (what == 1 && depth < DEPTH)
            put_loop(m, depth + 1);
        else if (what == 2 && together)
            put_exchange(m);
        else if (what <= 5)
            put_memory(m);
        else if (what == 6)
            put_constant(m);
        else
            put_operation(m);
    }
}

/* All registers but predicates, 16 bytes at a time: of those a store is a call, which LLVM has little to do for. */
static void put_results(struct maker *m)
{
    unsigned at = 0;
    for (unsigned k = 0; k < OP_KINDS - 1; k++) {
        const bool pairs = op_types[k][1] == '6';
        for (unsigned n = 0; n < OP_OPERANDS; n += pairs ? 2 : 4, at += op_types[k][1] == '1' ? 8 : 16) {
            const char c = op_kinds[k];
            at = op_types[k][1] == '1' ? at : (at + 15) / 16 * 16;
            put(m, "    st.global.v%d.%s [%%out+%u], {%%%c%u, %%%c%u", pairs ? 2 : 4, op_types[k], at, c, n, c, n + 1);
            put(m, pairs ? "};\n" : ", %%%c2, %%%c3};\n", c, c);
        }
    }
}

static void put_kernel(struct maker *m)
{
    put(m, ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n");
    for (unsigned k = 0; k < OP_KINDS; k++)
        put(m, "    .reg .%s %%%c<4>;\n", op_types[k], op_kinds[k]);
    put(m,
        "    .reg .b64 %%out, %%y;\n    .reg .b32 %%x, %%mine, %%n<%d>;\n    .reg .pred %%q;\n"
        "    .shared .align 4 .b32 cells[%d];\n",
        DEPTH + 1, THREADS);
    put(m,
        "    ld.param.u64 %%out, [out];\n    mov.u32 %%i0, %%tid.x;\n    mov.u32 %%i1, %%ctaid.x;\n"
        "    mad.lo.u32 %%i2, %%i1, %d, %%i0;\n    mad.wide.u32 %%out, %%i2, %d, %%out;\n"
        "    mov.u32 %%mine, cells;\n    mad.lo.u32 %%mine, %%i0, 4, %%mine;\n",
        THREADS, WORDS * 8);
    put(m, "    mul.lo.u32 %%i3, %%i2, 2654435769;\n    cvt.u64.u32 %%l0, %%i3;\n    mov.b64 %%l1, -2;\n"
           "    mad.lo.u64 %%l2, %%l0, %%l0, %%l1;\n    mov.b64 %%l3, 0;\n    mov.b32 %%f0, %%i3;\n"
           "    mov.b32 %%f1, 0f3fc00000;\n    mov.b32 %%f2, 0f7fc00001;\n    cvt.rn.f32.u32 %%f3, %%i2;\n");
    for (unsigned k = 0; k < OP_OPERANDS; k++)
        put(m, "    cvt.f64.f32 %%d%u, %%f%u;\n    cvt.u16.u32 %%h%u, %%i%u;\n    setp.gt.s32 %%p%u, %%i%u, %u;\n", k,
            k, k, k, k, k, 3 * k);
    put_statements(m, 0, true);
    put_results(m);
    put(m, "    ret;\n}\n");
}

/* Each kernel here is one that can be compiled. */
static void check_code(const struct exec_module *m, const char *text)
{
    const struct tier_code *c = atomic_load(&m->funcs[0].codes);
    if (c && atomic_load(&c->phase) == TIER_READY)
        return;
    fprintf(stderr, "%s\nnot compiled: %s\n", text, c ? c->why : "nobody asked");
    abort();
}

/* The memory that the kernel leaves, at `at` on the device. */
static void run(struct exec_device *device, u64 at, const struct maker *m, u8 tier, u8 *memory)
{
    struct diag_list diags;
    struct exec_module *module;
    struct ptx_module *ptx;
    struct exec_fault fault;
    diag_init(&diags);
    device->tier = tier;
    if (ptx_parse(m->text, m->len, "fuzz.ptx", &ptx, &diags)) {
        char *said = diag_text(&diags);
        fprintf(stderr, "%s\n%s\n", m->text, said);
        abort();
    }
    LS_BUG_ON(exec_module_load(device, &ptx, 1, &module, &diags));
    memset((void *)(uintptr_t)at, 0x3b, OUT);
    const struct exec_launch l = {.device = device,
                                  .module = module,
                                  .kernel = exec_module_kernel(module, "k"),
                                  .grid = {BLOCKS, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .params = &at,
                                  .workers = 1};
    LS_BUG_ON(exec_run(&l, &fault, NULL));
    if (tier != TIER_OFF)
        check_code(module, m->text);
    memcpy(memory, (const void *)(uintptr_t)at, OUT);
    exec_module_free(module);
    diag_free(&diags);
}

/* On one device: cvta makes addresses of its windows, which are elsewhere on another. */
static void compare_tiers(const struct maker *m, u8 tier)
{
    static u8 want[OUT], got[OUT];
    struct diag_list diags;
    struct gpu gpu;
    struct exec_device device;
    u64 at;
    diag_init(&diags);
    LS_BUG_ON(gpu_find("h200", &gpu, &diags));
    gpu.memory_bytes = 1 << 26;
    LS_BUG_ON(exec_device_init(&device, &gpu));
    LS_BUG_ON(mem_alloc(device.mem, OUT, 256, MEM_DEVICE, NULL, &at));
    run(&device, at, m, TIER_OFF, want);
    run(&device, at, m, tier, got);
    if (memcmp(want, got, OUT) != 0) {
        size_t k = 0;
        while (want[k] == got[k])
            k++;
        fprintf(stderr, "%s\ntier %u: thread %zu, word %zu differs\n", m->text, tier, k / (WORDS * 8), k / 8 % WORDS);
        abort();
    }
    exec_device_free(&device);
    diag_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[LLVM_WHY];
    struct maker m = {.at = data + (size > 0), .end = data + size};
    if (!llvm_load(why, sizeof why))
        return 0;
    put_kernel(&m);
    compare_tiers(&m, size && data[0] & 1 ? TIER_MIXED : TIER_FORCE);
    ls_free(m.text);
    return 0;
}
