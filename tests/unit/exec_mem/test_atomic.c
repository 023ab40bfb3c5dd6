/* test_atomic.c - every atom and red body against one-lane-at-a-time arithmetic written from the manual, at every
 * level, fast and traced; the special values of each operation; and threads of the host that hammer the same words. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

enum { ADDRESS = 0, D = 8, B = 40, C = 72, WORDS = 64 };

typedef unsigned __int128 u128;

/* ---- values ---- */

struct type_of_test {
    const char *name;
    unsigned bytes;
    u8 ptx;
    char kind; /* u s b integers, f d floats, h bf16's and f16's, H pairs of them */
    bool brain;
};
static const struct type_of_test types[] = {
    {"u32", 4, PTX_U32, 'u', 0},   {"s32", 4, PTX_S32, 's', 0},     {"u64", 8, PTX_U64, 'u', 0},
    {"s64", 8, PTX_S64, 's', 0},   {"b32", 4, PTX_B32, 'b', 0},     {"b64", 8, PTX_B64, 'b', 0},
    {"f32", 4, PTX_F32, 'f', 0},   {"f64", 8, PTX_F64, 'd', 0},     {"f16", 2, PTX_F16, 'h', 0},
    {"bf16", 2, PTX_BF16, 'h', 1}, {"f16x2", 4, PTX_F16X2, 'H', 0}, {"bf16x2", 4, PTX_BF16X2, 'H', 1},
    {"b16", 2, PTX_B16, 'b', 0},   {"b128", 16, PTX_B128, 'b', 0},
};
enum op_of_test { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH, CAS };
static const struct {
    const char *name;
    u8 mod;
    const char *types; /* space-separated */
} ops[] = {
    [ADD] = {"add", MOD_ADD, " u32 s32 u64 s64 f32 f64 f16 bf16 f16x2 bf16x2 "},
    [MIN] = {"min", MOD_MIN, " u32 s32 u64 s64 f16 bf16 f16x2 bf16x2 "},
    [MAX] = {"max", MOD_MAX, " u32 s32 u64 s64 f16 bf16 f16x2 bf16x2 "},
    [INC] = {"inc", MOD_INC, " u32 "},
    [DEC] = {"dec", MOD_DEC, " u32 "},
    [AND] = {"and", MOD_AND, " b32 b64 u32 s32 u64 s64 "},
    [OR] = {"or", MOD_OR, " b32 b64 u32 s32 u64 s64 "},
    [XOR] = {"xor", MOD_XOR, " b32 b64 u32 s32 u64 s64 "},
    [EXCH] = {"exch", MOD_EXCH, " b32 b64 b128 u32 s32 u64 s64 "},
    [CAS] = {"cas", MOD_CAS, " b16 b32 b64 b128 u32 s32 u64 s64 "},
};

static bool has_type(enum op_of_test op, const char *type)
{
    char word[16];
    snprintf(word, sizeof word, " %s ", type);
    return strstr(ops[op].types, word) != NULL;
}

/* ---- 16-bit floats, by doubles and a search for the nearest ---- */

static double small_to_double(u16 h, bool brain)
{
    const int bits = brain ? 7 : 10, bias = brain ? 127 : 15, top = brain ? 255 : 31;
    const int exponent = h >> bits & top, fraction = h & ((1 << bits) - 1);
    const double sign = h & 0x8000 ? -1 : 1;
    if (exponent == top)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(fraction + (1 << bits), exponent - bias - bits) : ldexp(fraction, 1 - bias - bits));
}

/* Nearest, ties to even: the candidates are walked by bisection over the non-negative patterns. */
static u16 double_to_small(double x, bool brain)
{
    const u16 inf = brain ? 0x7f80 : 0x7c00, sign = signbit(x) ? 0x8000 : 0;
    const double a = fabs(x);
    u16 lo = 0, hi = inf;
    if (isnan(x))
        return 0x7fff;
    while (hi - lo > 1) {
        const u16 mid = (u16)((lo + hi) / 2);
        if (small_to_double(mid, brain) <= a)
            lo = mid;
        else
            hi = mid;
    }
    const double below = small_to_double(lo, brain);
    /* infinity stands where the next finite value would be */
    const double above = hi == inf ? ldexp(1, brain ? 128 : 16) : small_to_double(hi, brain);
    const double middle = (below + above) / 2;
    return sign | (a < middle || (a == middle && lo % 2 == 0) ? lo : hi);
}

static u16 small_op(enum op_of_test op, u16 a, u16 b, bool brain)
{
    const double x = small_to_double(a, brain), y = small_to_double(b, brain);
    if (op == ADD)
        return x == 0 && y == 0 ? (a & b & 0x8000) : double_to_small(x + y, brain);
    if (isnan(x) || isnan(y))
        return isnan(x) && isnan(y) ? 0x7fff : isnan(x) ? b : a;
    const bool first = x != y ? x < y : signbit(x) > signbit(y); /* a is the less */
    return (op == MIN) == first ? a : b;
}

/* ---- the manual's arithmetic ---- */

static f32 flush(f32 x) { return fpclassify(x) == FP_SUBNORMAL ? copysignf(0, x) : x; }

static u64 add_float(u64 old, u64 b, bool ftz)
{
    f32 x, y, r;
    u32 bits;
    memcpy(&x, &old, 4);
    memcpy(&y, &b, 4);
    r = ftz ? flush(flush(x) + flush(y)) : x + y;
    memcpy(&bits, &r, 4);
    return isnan(r) ? 0x7fffffff : bits;
}

static bool is_quiet_nan64(u64 v) { return (v & 0x7ff8000000000000u) == 0x7ff8000000000000u; }

static u64 add_double(u64 old, u64 b)
{
    double x, y, r;
    memcpy(&x, &old, 8);
    memcpy(&y, &b, 8);
    r = x + y;
    u64 bits;
    memcpy(&bits, &r, 8);
    return bits;
}

static u64 reference_op(enum op_of_test op, const struct type_of_test *t, u64 old, u64 b, u64 c, bool ftz)
{
    const u64 m = t->bytes == 8 ? ~0ull : (1ull << 8 * t->bytes) - 1;
    const i64 so = t->bytes == 4 ? (i32)old : (i64)old, sb = t->bytes == 4 ? (i32)b : (i64)b;
    if (t->kind == 'h')
        return op == CAS ? (old == b ? c : old) : small_op(op, (u16)old, (u16)b, t->brain);
    if (t->kind == 'H')
        return small_op(op, (u16)old, (u16)b, t->brain) | (u64)small_op(op, (u16)(old >> 16), (u16)(b >> 16), t->brain)
                                                              << 16;
    switch (op) {
    case ADD:
        return t->kind == 'f' ? add_float(old, b, ftz) : t->kind == 'd' ? add_double(old, b) : (old + b) & m;
    case MIN:
        return t->kind == 's' ? (so < sb ? old : b) : old < b ? old : b;
    case MAX:
        return t->kind == 's' ? (so > sb ? old : b) : old > b ? old : b;
    case INC:
        return old >= b ? 0 : old + 1;
    case DEC:
        return old == 0 || old > b ? b : old - 1;
    case AND:
        return old & b;
    case OR:
        return old | b;
    case XOR:
        return old ^ b;
    case EXCH:
        return b;
    default:
        return old == b ? c : old;
    }
}

/* Values that matter to somebody. */
static u64 some_value(const struct type_of_test *t)
{
    static const u64 integers[] = {0, 1, 2, ~0ull, 0x80000000u, 0x7fffffffu, 1ull << 63, ~0ull >> 1, 7};
    static const u32 floats[] = {0,          0x80000000u, 1,          0x80000001u, 0x007fffff,
                                 0x00800000, 0x80800000,  0x3f800000, 0xbf800000,  0x7f7fffff,
                                 0x7f800000, 0xff800000,  0x7fc00001, 0x7f800001,  0x33800000};
    static const u16 smalls[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7c00,
                                 0xfc00, 0x7c01, 0x7e00, 0x7f80, 0xff80, 0x7f7f, 0x7fc0, 0x0080, 0x007f, 0x1400};
    const u64 r = fx_random(), pick = fx_random();
    double d;
    f32 f;
    u64 v = 0;
    if (t->kind == 'f')
        return pick % 3 ? floats[r % LS_ARRAY_LEN(floats)] : (u32)r;
    if (t->kind == 'd') {
        u32 bits = floats[r % LS_ARRAY_LEN(floats)];
        memcpy(&f, &bits, 4);
        d = pick % 3 ? f : (double)(i64)r * 0x1p-70;
        memcpy(&v, &d, 8);
        return v;
    }
    if (t->kind == 'h' || t->kind == 'H') {
        for (unsigned k = 0; k < t->bytes / 2; k++)
            v |= (u64)(pick >> k & 1 ? smalls[(r >> 8 * k) % LS_ARRAY_LEN(smalls)] : (u16)(r >> 16 * k)) << 16 * k;
        return v;
    }
    v = pick % 2 ? integers[r % LS_ARRAY_LEN(integers)] : pick % 4 ? r % 8 : r;
    return t->bytes == 8 ? v : v & ((1ull << 8 * t->bytes) - 1);
}

static u64 get_word(const u8 *p, unsigned bytes)
{
    u64 v = 0;
    memcpy(&v, p, bytes);
    return v;
}

/* ---- one body on random words ---- */

struct trial {
    char name[48];
    const struct type_of_test *t;
    enum op_of_test op;
    unsigned n;
    u8 space; /* where it is; `generic` says how it is addressed */
    bool generic, red;
};

static bool same_value(const struct type_of_test *t, u64 got, u64 want)
{
    return got == want || (t->kind == 'd' && is_quiet_nan64(got) && is_quiet_nan64(want));
}

static u8 *data_lane(struct fx *f, u32 slot, const struct type_of_test *t, unsigned k, int i)
{
    return f->regs + (slot + 2 * k) * IR_SLOT + (unsigned)i * (t->bytes == 8 ? 8 : 4);
}

static void fill_words(u8 *memory, const struct type_of_test *t)
{
    for (unsigned at = 0; at < WORDS * 16; at += t->bytes) {
        const u64 v = some_value(t);
        memcpy(memory + at, &v, t->bytes);
    }
}

static void check_event(const struct fx *f, const struct trial *x, u32 mask, const u64 *addr)
{
    const struct exec_access *a = &f->events[0];
    assert_int_equal(f->nevents, 1);
    assert_int_equal(a->mask, mask);
    assert_int_equal(a->op, x->red ? ACCESS_RED : ACCESS_ATOM);
    assert_int_equal(a->atom_op, ops[x->op].mod);
    assert_int_equal(a->size, x->t->bytes * x->n);
    assert_int_equal(a->space, x->space);
    assert_int_equal(a->generic, x->generic);
    for (int i = 0; i < IR_LANES; i++)
        if (mask >> i & 1)
            assert_int_equal(f->event_addr[0][i], addr[i]);
}

static void one_trial(struct fx *f, const struct trial *x, enum exec_isa isa, enum ir_mode mode, u64 block)
{
    static u8 expect[WORDS * 16], regs[FX_SLOTS * IR_SLOT];
    u8 *memory = x->space == SPACE_SHARED ? f->shared : (u8 *)(uintptr_t)block;
    const u64 base = x->space == SPACE_GLOBAL ? block : x->generic ? f->w.shared_window : 0;
    const unsigned size = x->t->bytes * x->n;
    const u32 mask = fx_random() % 2 ? FULL_MASK : (u32)fx_random() | 4;
    const ir_body body = bodies_find_isa(isa, x->name, mode);
    u64 addr[IR_LANES];
    u32 list[16];
    if (!body)
        fail_msg("no body %s", x->name);
    fill_words(memory, x->t);
    for (u32 k = 0; k < sizeof regs / 8; k++)
        ((u64 *)(void *)f->regs)[k] = fx_random();
    const unsigned words = fx_random() % 2 ? 4 : WORDS * 16 / size;
    for (int i = 0; i < IR_LANES; i++) {
        addr[i] = fx_random() % words * size;
        fx_64(f, ADDRESS)[i] = base + addr[i] - 24;
        for (unsigned k = 0; k < x->n; k++) {
            const u64 b = some_value(x->t), c = some_value(x->t);
            memcpy(data_lane(f, B, x->t, k, i), &b, x->t->bytes);
            memcpy(data_lane(f, C, x->t, k, i), &c, x->t->bytes);
        }
    }
    memcpy(expect, memory, sizeof expect);
    memcpy(regs, f->regs, sizeof regs);
    for (int i = 0; i < IR_LANES; i++)
        for (unsigned k = 0; k < x->n && mask >> i & 1; k++) {
            u8 *p = expect + addr[i] + k * x->t->bytes;
            const u64 old = get_word(p, x->t->bytes);
            const u64 now = reference_op(x->op, x->t, old, get_word(data_lane(f, B, x->t, k, i), x->t->bytes),
                                         get_word(data_lane(f, C, x->t, k, i), x->t->bytes), x->space == SPACE_GLOBAL);
            memcpy(p, &now, x->t->bytes);
            if (!x->red)
                memcpy(regs + (data_lane(f, D, x->t, k, i) - f->regs), &old, x->t->bytes == 8 ? 8 : 4);
        }
    for (unsigned k = 0; k < x->n; k++) {
        list[k] = (B + 2 * k) * IR_SLOT;
        list[x->n + k] = (D + 2 * k) * IR_SLOT;
    }
    f->code[0] = (struct ir_inst){.d = D * IR_SLOT, .b = B * IR_SLOT, .c = C * IR_SLOT, .a = ADDRESS, .imm = 24};
    if (x->n > 1)
        f->code[0].list = list;
    f->w.mask = mask;
    f->w.budget = 1000;
    f->w.polled = false;
    fx_reset(f);
    if (!fx_run(f, body))
        fail_msg("%s: faulted", x->name);
    /* who gets no result does not wait for one */
    assert_int_equal(f->w.budget, x->red ? 1000 : 1000 - WARP_POLL_COST);
    assert_int_equal(f->w.polled != 0, !x->red);
    for (unsigned at = 0; at < sizeof expect; at += x->t->bytes)
        if (!same_value(x->t, get_word(memory + at, x->t->bytes), get_word(expect + at, x->t->bytes)))
            fail_msg("%s isa %d mode %d: word at %u is %llx, not %llx", x->name, isa, mode, at,
                     (unsigned long long)get_word(memory + at, x->t->bytes),
                     (unsigned long long)get_word(expect + at, x->t->bytes));
    for (unsigned at = 0; at < sizeof regs; at += 4) {
        const bool number = x->t->kind == 'd' && at / IR_SLOT >= D && at / IR_SLOT < B; /* NaNs may differ in sign */
        if (memcmp(f->regs + at, regs + at, 4) && !number)
            fail_msg("%s isa %d mode %d: register at %u", x->name, isa, mode, at);
        if (number && at % 8 == 0)
            assert_true(same_value(x->t, get_word(f->regs + at, 8), get_word(regs + at, 8)));
    }
    if (mode == IR_TRACED) {
        for (int i = 0; i < IR_LANES; i++)
            addr[i] += x->space == SPACE_GLOBAL ? block : 0;
        check_event(f, x, mask, addr);
    }
}

static void trials(struct fx *f, struct trial *x, u64 block)
{
    for (int isa = 0; isa < ISA_COUNT; isa++)
        for (int mode = 0; mode < IR_NMODES && bodies_has_isa(isa); mode++)
            for (int k = 0; k < 6; k++)
                one_trial(f, x, isa, mode, block);
}

static void play_type(struct fx *f, enum op_of_test op, const struct type_of_test *t, unsigned n, u64 block)
{
    char vec[16] = "";
    if (n > 1)
        snprintf(vec, sizeof vec, "v%u_", n);
    for (int red = 0; red <= (op != EXCH && op != CAS); red++)
        for (int way = 0; way < 4; way++) { /* global, generic to global, shared, generic to shared */
            struct trial x = {.t = t,
                              .op = op,
                              .n = n,
                              .space = way < 2 ? SPACE_GLOBAL : SPACE_SHARED,
                              .generic = way % 2,
                              .red = red};
            if (n > 1 && way == 2)
                continue; /* vectors have no shared form */
            snprintf(x.name, sizeof x.name, "%s_%s_%s%s_%s", red ? "red" : "atom",
                     x.generic  ? "generic"
                     : way == 0 ? "global"
                                : "shared",
                     vec, ops[op].name, t->name);
            trials(f, &x, block);
        }
}

static void test_values(void **state)
{
    struct fx f;
    u64 block;
    unsigned played = 0;
    (void)state;
    fx_seed(7);
    fx_init(&f);
    assert_int_equal(mem_alloc(f.m, WORDS * 16, 0, MEM_DEVICE, NULL, &block), LS_OK);
    for (unsigned op = 0; op < LS_ARRAY_LEN(ops); op++)
        for (unsigned t = 0; t < LS_ARRAY_LEN(types); t++) {
            if (!has_type(op, types[t].name) || types[t].bytes == 16)
                continue;
            play_type(&f, op, &types[t], 1, block);
            played++;
            const bool small = types[t].kind == 'h' || types[t].kind == 'H';
            for (unsigned n = 2; n <= 8; n *= 2)
                if (op <= MAX && ((small && types[t].bytes * n <= 16) || (types[t].kind == 'f' && n <= 4)))
                    play_type(&f, op, &types[t], n, block);
        }
    assert_int_equal(played, 10 + 8 + 8 + 1 + 1 + 3 * 6 + 6 + 7);
    fx_free(&f);
}

static void test_128(void **state)
{
    struct fx f;
    u64 block;
    (void)state;
    fx_init(&f);
    assert_int_equal(mem_alloc(f.m, 16, 0, MEM_DEVICE, NULL, &block), LS_OK);
    u64 *word = (u64 *)(uintptr_t)block;
    for (int i = 0; i < IR_LANES; i++) {
        fx_64(&f, ADDRESS)[i] = block;
        fx_64(&f, B)[2 * i] = (u64)i;
        fx_64(&f, B)[2 * i + 1] = 100 + (u64)i;
        fx_64(&f, C)[2 * i] = (u64)i + 1;
        fx_64(&f, C)[2 * i + 1] = 101 + (u64)i;
    }
    f.code[0] = (struct ir_inst){.d = D * IR_SLOT, .b = B * IR_SLOT, .c = C * IR_SLOT};
    word[0] = 0, word[1] = 100;
    assert_true(fx_run(&f, bodies_find("atom_global_cas_b128", IR_FAST))); /* each lane swaps the one before on */
    assert_int_equal(word[0], 32);
    assert_int_equal(word[1], 132);
    assert_int_equal(fx_64(&f, D)[62], 31);
    assert_int_equal(fx_64(&f, D)[63], 131);
    word[1] = 5;
    assert_true(fx_run(&f, bodies_find("atom_generic_cas_b128", IR_FAST)));
    assert_int_equal(word[0], 32);
    assert_int_equal(word[1], 5);
    assert_true(fx_run(&f, bodies_find("atom_global_exch_b128", IR_TRACED)));
    assert_int_equal(fx_64(&f, D)[0], 32);
    assert_int_equal(fx_64(&f, D)[1], 5);
    assert_int_equal(fx_64(&f, D)[2], 0);
    assert_int_equal(fx_64(&f, D)[3], 100);
    assert_int_equal(word[1], 131);
    assert_int_equal(f.events[0].size, 16);
    fx_free(&f);
}

static void test_faults(void **state)
{
    struct fx f;
    u64 block, constant;
    (void)state;
    fx_init(&f);
    assert_int_equal(mem_alloc(f.m, 128, 0, MEM_DEVICE, NULL, &block), LS_OK);
    assert_int_equal(mem_alloc(f.m, 128, 0, MEM_CONST, NULL, &constant), LS_OK);
    f.code[0] = (struct ir_inst){.d = D * IR_SLOT, .b = B * IR_SLOT, .c = C * IR_SLOT};
    const struct {
        u64 address;
        const char *body;
        enum exec_fault_kind kind;
        u8 space;
    } cases[] = {
        {block + 128, "atom_global_add_u32", FAULT_ILLEGAL_ADDRESS, SPACE_GLOBAL},
        {block + 126, "atom_global_cas_b16", FAULT_NONE, SPACE_GLOBAL},
        {block + 2, "red_global_add_f32", FAULT_MISALIGNED, SPACE_GLOBAL},
        {block + 8, "atom_global_v4_add_f32", FAULT_MISALIGNED, SPACE_GLOBAL},
        {constant, "red_generic_add_u32", FAULT_ILLEGAL_ADDRESS, SPACE_GLOBAL},
        {0, "atom_generic_exch_b64", FAULT_ILLEGAL_ADDRESS, SPACE_GLOBAL},
        {FX_SHARED - 4, "atom_shared_add_u64", FAULT_MISALIGNED, SPACE_SHARED},
        {FX_SHARED, "atom_shared_add_u64", FAULT_ILLEGAL_ADDRESS, SPACE_SHARED},
    };
    for (unsigned k = 0; k < LS_ARRAY_LEN(cases); k++)
        for (int mode = 0; mode < IR_NMODES; mode++) {
            u32 list[8] = {B * IR_SLOT, B * IR_SLOT, B * IR_SLOT, B * IR_SLOT,
                           D * IR_SLOT, D * IR_SLOT, D * IR_SLOT, D * IR_SLOT};
            fx_reset(&f);
            f.w.mask = 0xf0;
            f.code[0].list = list;
            for (int i = 0; i < IR_LANES; i++)
                fx_64(&f, ADDRESS)[i] = i == 6 ? cases[k].address : strstr(cases[k].body, "shared") ? 0 : block;
            const bool done = fx_run(&f, bodies_find(cases[k].body, mode));
            assert_int_equal(done, cases[k].kind == FAULT_NONE);
            if (done)
                continue;
            assert_int_equal(f.fault.kind, cases[k].kind);
            assert_int_equal(f.fault.lane, 6);
            assert_int_equal(f.fault.space, cases[k].space);
            assert_true(f.fault.write && f.fault.atomic);
            assert_int_equal(f.fault.address, cases[k].address);
            assert_int_equal(f.nevents, 0); /* what faults is no access */
        }
    fx_free(&f);
}

/* ---- threads ---- */

enum { THREADS = 4, ROUNDS = 500 };
struct hammer {
    struct mem *m;
    u64 block;
    bool ok;
};

static bool hit(struct fx *f, const char *name, u64 address, u64 b)
{
    for (int i = 0; i < IR_LANES; i++)
        fx_64(f, ADDRESS)[i] = address;
    for (int i = 0; i < IR_LANES; i++) {
        if (strstr(name, "64"))
            fx_64(f, B)[i] = b;
        else
            fx_32(f, B)[i] = (u32)b;
    }
    return fx_run(f, bodies_find(name, IR_FAST));
}

static void *hammer(void *arg)
{
    struct hammer *h = arg;
    struct fx f;
    fx_init(&f);
    f.w.mem = h->m;
    f.code[0] = (struct ir_inst){.d = D * IR_SLOT, .b = B * IR_SLOT};
    h->ok = true;
    for (int k = 0; k < ROUNDS; k++) {
        h->ok &= hit(&f, "atom_global_add_u32", h->block, 1);
        h->ok &= hit(&f, "red_global_add_f32", h->block + 8, 0x3f800000);
        h->ok &= hit(&f, "red_global_add_f64", h->block + 16, 0x3ff0000000000000);
        h->ok &= hit(&f, "atom_generic_inc_u32", h->block + 24, 0xffffffff);
        h->ok &= hit(&f, "red_global_max_u64", h->block + 32, (u64)k);
        h->ok &= hit(&f, "red_global_xor_b32", h->block + 40, 1u << k % 32);
        h->ok &= hit(&f, "red_global_add_f16", h->block + 48, 0x0001); /* the least half: sums stay exact */
    }
    fx_free(&f);
    return NULL;
}

static void test_threads(void **state)
{
    struct mem *m;
    struct hammer h[THREADS];
    pthread_t id[THREADS];
    u64 block;
    float f;
    double d;
    (void)state;
    assert_int_equal(mem_create(1u << 30, &m), LS_OK);
    assert_int_equal(mem_alloc(m, 64, 0, MEM_DEVICE, NULL, &block), LS_OK);
    for (int k = 0; k < THREADS; k++) {
        h[k] = (struct hammer){m, block, false};
        assert_int_equal(pthread_create(&id[k], NULL, hammer, &h[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(id[k], NULL);
        assert_true(h[k].ok);
    }
    const u8 *p = (const u8 *)(uintptr_t)block;
    const u32 total = THREADS * ROUNDS * IR_LANES;
    assert_int_equal(get_word(p, 4), total);
    memcpy(&f, p + 8, 4);
    assert_true(f == (float)total);
    memcpy(&d, p + 16, 8);
    assert_true(d == (double)total);
    assert_int_equal(get_word(p + 24, 4), total);
    assert_int_equal(get_word(p + 32, 8), ROUNDS - 1);
    assert_int_equal(get_word(p + 40, 4), 0);
    /* 64000 times 2^-24: subnormal until 1024 of them, then halves of 11 bits, exact up to 2048, then it sticks */
    assert_int_equal(get_word(p + 48, 2), 0x0800);
    mem_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_128),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
