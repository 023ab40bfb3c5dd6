/* base.h - the scalar vocabulary that every file shares.
 *
 * u8..u64, i8..i64, f32, f64 are the lane types of the engine, so they are short. LS_BUG_ON is for our own mistakes
 * only: bad input is a status with diagnostics (diag.h), a bad kernel is a fault (exec/faults.def). The three are never
 * mixed. */
#ifndef LS_BASE_H
#define LS_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

#define LS_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define LS_LIKELY(x) __builtin_expect(!!(x), 1)
#define LS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define LS_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

/* Reports an internal inconsistency with its place, and aborts. Defined in base/bug.c. */
_Noreturn void ls_bug(const char *file, int line, const char *what);
#define LS_BUG_ON(cond) ((cond) ? ls_bug(__FILE__, __LINE__, #cond) : (void)0)

/* For checks that a hot path or a large table cannot afford: they run in debug builds alone (where assert does), and cost
 * nothing elsewhere. */
#ifdef NDEBUG
enum { LS_DEBUG = 0 };
#else
enum { LS_DEBUG = 1 };
#endif
#define LS_DEBUG_BUG_ON(cond) LS_BUG_ON(LS_DEBUG && (cond))

/* Rounds up to a multiple of a power of two. */
static inline u64 ls_align_up(u64 x, u64 align) { return (x + align - 1) & ~(align - 1); }

#endif
