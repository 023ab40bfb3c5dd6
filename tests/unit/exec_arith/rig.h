/* rig.h - runs one op body on a register file made by hand: a record, a stop record whose body returns NULL, and a warp
 * of which only the mask matters. Values are given and read a lane at a time. */
#ifndef RIG_H
#define RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec/bodies/bodies.h"
#include "exec/warp.h"

enum { AREA = 512, RIG_BYTES = 8 * AREA }; /* a 128-bit value takes an area */
enum rig_place { AT_D = 0, AT_A = AREA, AT_B = 2 * AREA, AT_C = 3 * AREA, AT_AUX = 4 * AREA, AT_CARRY = 5 * AREA };

struct rig {
    _Alignas(64) u8 regs[RIG_BYTES];
    i64 imm; /* AT_CARRY unless a test says otherwise */
    u32 d;   /* AT_D; AT_A for a result in place */
};

/* Runs the body; fails the test when the level has none of that name. */
void rig_run(struct rig *r, enum exec_isa isa, const char *name, u32 mask);
void rig_init(struct rig *r);

static inline u32 *rig32(struct rig *r, u32 at) { return (u32 *)(void *)(r->regs + at); }
static inline u64 *rig64(struct rig *r, u32 at) { return (u64 *)(void *)(r->regs + at); }
static inline f32 *rigf(struct rig *r, u32 at) { return (f32 *)(void *)(r->regs + at); }
static inline f64 *rigd(struct rig *r, u32 at) { return (f64 *)(void *)(r->regs + at); }

/* Random numbers: splitmix64 of a counter, so that every run is the same. */
u64 rig_random(void);
/* Values that find mistakes, with random ones between them. */
u32 rig_special32(void);
u64 rig_special64(void);
f32 rig_float(void);
f64 rig_double(void);

#define EACH_ISA(isa)                                                                                                  \
    for (enum exec_isa isa = ISA_PORTABLE; isa < ISA_COUNT; isa++)                                                     \
        if (bodies_has_isa(isa))

/* A mismatch names the body, the level and the operands. */
_Noreturn void rig_fail(const char *name, enum exec_isa isa, int lane, u64 a, u64 b, u64 c, u64 got, u64 want);

static inline u32 bits32(f32 x)
{
    u32 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline f32 float_of(u32 u)
{
    f32 x;
    memcpy(&x, &u, sizeof x);
    return x;
}
static inline u64 bits64(f64 x)
{
    u64 u;
    memcpy(&u, &x, sizeof u);
    return u;
}
static inline f64 double_of(u64 u)
{
    f64 x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
