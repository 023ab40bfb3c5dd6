/* rig.c - see rig.h. */
#include "rig.h"

static const struct ir_inst *stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)pc, (void)regs, (void)w;
    return NULL;
}

void rig_init(struct rig *r)
{
    memset(r, 0, sizeof *r);
    r->imm = AT_CARRY;
    r->d = AT_D;
}

void rig_run(struct rig *r, enum exec_isa isa, const char *name, u32 mask)
{
    ir_body run = bodies_find_isa(isa, name, IR_FAST);
    if (!run)
        fail_msg("no body %s at level %d", name, isa);
    struct ir_inst code[2] = {
        {.run = run, .d = r->d, .a = AT_A, .b = AT_B, .c = AT_C, .aux = AT_AUX, .imm = r->imm},
        {.run = stop},
    };
    struct warp w = {.mask = mask};
    const struct ir_inst *pc = code;
    while (pc)
        pc = pc->run(pc, r->regs, &w);
}

u64 rig_random(void)
{
    static u64 n;
    u64 x = n += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

u32 rig_special32(void)
{
    static const u32 pool[] = {0,          1,          2,          3,          31,         32,         33,
                               63,         64,         65,         127,        128,        255,        256,
                               0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000, 0x80000001,
                               0xffffffff, 0xfffffffe, 0xffff8000, 0x00800000, 0x55555555, 0xaaaaaaaa, 0xffffff80};
    u64 x = rig_random();
    return x & 3 ? pool[(x >> 8) % LS_ARRAY_LEN(pool)] : (u32)(x >> 32) >> (x >> 3 & 31);
}

u64 rig_special64(void)
{
    u64 x = rig_random();
    switch (x & 3) {
    case 0:
        return x >> (x >> 2 & 63);
    case 1:
        return (u64)(i64)(i32)rig_special32();
    case 2:
        return (u64)rig_special32() << 32 | rig_special32();
    default:
        return (u64)1 << (x >> 2 & 63);
    }
}

f32 rig_float(void)
{
    static const u32 pool[] = {
        0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001,
        0x7fffffff, 1,          0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff, 0x3f000000,
        0x40490fdb, 0x3f7fffff, 0x3f800001, 0x4b000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f7fffff, 0x5f000000,
        0x3effffff, 0x3fc00000, 0x40200000, 0x7e800001, 0x477fe000, 0x477ff000, 0x33000000, 0x33800000, 0x387fc000};
    u64 x = rig_random();
    switch (x & 3) {
    case 0:
        return float_of(pool[(x >> 8) % LS_ARRAY_LEN(pool)]);
    case 1: /* near 1, so that sums and products interact */
        return float_of(((u32)(x >> 32) & 0x807fffff) | (120 + (u32)(x >> 8 & 15)) << 23);
    default:
        return float_of((u32)(x >> 32));
    }
}

f64 rig_double(void)
{
    static const u64 pool[] = {0,
                               0x8000000000000000,
                               0x3ff0000000000000,
                               0xbff0000000000000,
                               0x7ff0000000000000,
                               0xfff0000000000000,
                               0x7ff8000000000000,
                               0xfff8000000000001,
                               0x7ff0000000000001,
                               0x7fffffffffffffff,
                               1,
                               0x000fffffffffffff,
                               0x0010000000000000,
                               0x7fefffffffffffff,
                               0x3fe0000000000000,
                               0x41dfffffffc00000,
                               0x41e0000000000000,
                               0x43e0000000000000,
                               0x43f0000000000000,
                               0xc1e0000000000000,
                               0xc3e0000000000000,
                               0x380fffffe0000000};
    u64 x = rig_random();
    switch (x & 3) {
    case 0:
        return double_of(pool[(x >> 8) % LS_ARRAY_LEN(pool)]);
    case 1:
        return double_of((rig_random() & 0x800fffffffffffff) | (1016 + (x >> 8 & 15)) << 52);
    case 2:
        return (f64)rig_float();
    default:
        return double_of(rig_random());
    }
}

void rig_fail(const char *name, enum exec_isa isa, int lane, u64 a, u64 b, u64 c, u64 got, u64 want)
{
    print_error("%s at level %d, lane %d: a %#llx b %#llx c %#llx: got %#llx, want %#llx\n", name, (int)isa, lane,
                (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, (unsigned long long)got,
                (unsigned long long)want);
    fail();
    abort();
}
