/* whole.h - from floats to whole numbers and integers: the roundings .rni .rzi .rmi .rpi, and the clamping conversions
 * that cvt makes (PTX ISA 9.7.9.21). */
/* clang-format off */ // rows of macros and of text
#ifndef LS_EXEC_OPS_WHOLE_H
#define LS_EXEC_OPS_WHOLE_H

#include "exec/lanes.h"

#define MIN_u8 0
#define MIN_s8 INT8_MIN
#define MIN_u16 0
#define MIN_s16 INT16_MIN
#define MIN_u32 0
#define MIN_s32 INT32_MIN
#define MIN_u64 0
#define MIN_s64 INT64_MIN
#define MAX_u8 UINT8_MAX
#define MAX_s8 INT8_MAX
#define MAX_u16 UINT16_MAX
#define MAX_s16 INT16_MAX
#define MAX_u32 UINT32_MAX
#define MAX_s32 INT32_MAX
#define MAX_u64 UINT64_MAX
#define MAX_s64 INT64_MAX
/* 2^n, above all values of the type; and the greatest bound that an s64 has too. */
#define END_u8 0x1p8
#define END_s8 0x1p7
#define END_u16 0x1p16
#define END_s16 0x1p15
#define END_u32 0x1p32
#define END_s32 0x1p31
#define END_u64 0x1p64
#define END_s64 0x1p63
#define MAXS_u8 UINT8_MAX
#define MAXS_s8 INT8_MAX
#define MAXS_u16 UINT16_MAX
#define MAXS_s16 INT16_MAX
#define MAXS_u32 UINT32_MAX
#define MAXS_s32 INT32_MAX
#define MAXS_u64 INT64_MAX
#define MAXS_s64 INT64_MAX

#define EACH_INT(M, ...)                                                                                               \
    M(u8, __VA_ARGS__)                                                                                                 \
    M(s8, __VA_ARGS__)                                                                                                 \
    M(u16, __VA_ARGS__)                                                                                                \
    M(s16, __VA_ARGS__)                                                                                                \
    M(u32, __VA_ARGS__)                                                                                                \
    M(s32, __VA_ARGS__)                                                                                                \
    M(u64, __VA_ARGS__)                                                                                                \
    M(s64, __VA_ARGS__)

LANE_FN f32 rni_f32(f32 x) { return __builtin_rintf(x); }
LANE_FN f32 rzi_f32(f32 x) { return __builtin_truncf(x); }
LANE_FN f32 rmi_f32(f32 x) { return __builtin_floorf(x); }
LANE_FN f32 rpi_f32(f32 x) { return __builtin_ceilf(x); }
LANE_FN f64 rni_f64(f64 x) { return __builtin_rint(x); }
LANE_FN f64 rzi_f64(f64 x) { return __builtin_trunc(x); }
LANE_FN f64 rmi_f64(f64 x) { return __builtin_floor(x); }
LANE_FN f64 rpi_f64(f64 x) { return __builtin_ceil(x); }

/* From a whole number of type F; what is out of range is replaced before C's conversion sees it. */
#define TO_INT(D, F, nan)                                                                                              \
    LANE_FN D D##_of_##F(F t)                                                                                          \
    {                                                                                                                  \
        const bool fits = t >= (F)MIN_##D && t < (F)END_##D;                                                           \
        const D in = (D)(fits ? t : 0);                                                                                \
        const D out = t != t ? (D)(nan) : t < 0 ? MIN_##D : MAX_##D;                                                   \
        return fits ? in : out;                                                                                        \
    }
TO_INT(u8, f32, 0)
TO_INT(s8, f32, 0)
TO_INT(u16, f32, 0)
TO_INT(s16, f32, 0)
TO_INT(u32, f32, 0)
TO_INT(s32, f32, 0)
TO_INT(u64, f32, (u64)1 << 63)
TO_INT(s64, f32, MIN_s64)
TO_INT(u8, f64, 0x80)
TO_INT(s8, f64, MIN_s8)
TO_INT(u16, f64, 0x8000)
TO_INT(s16, f64, MIN_s16)
TO_INT(u32, f64, 0x80000000u)
TO_INT(s32, f64, MIN_s32)
TO_INT(u64, f64, (u64)1 << 63)
TO_INT(s64, f64, MIN_s64)

#endif
