/* mbarrier.h - what the checks may ask of an mbarrier's 64 bits (mbarrier.c has the layout). */
#ifndef LS_EXEC_MBARRIER_H
#define LS_EXEC_MBARRIER_H

#include "base/base.h"

/* The parity of the phase under way, and how many arrivals a phase has. */
bool exec_mbarrier_parity(const u8 *object, u32 *expected);

struct warp;
struct split;
/* What the phase that the split waits for still lacks; bytes less than 0: more came than were expected. */
void mbarrier_lacks(const struct warp *w, const struct split *s, u32 *arrivals, i32 *bytes);

#endif
