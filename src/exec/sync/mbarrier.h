/* mbarrier.h - what the checks may ask of an mbarrier's 64 bits (mbarrier.c has the layout). */
#ifndef LS_EXEC_MBARRIER_H
#define LS_EXEC_MBARRIER_H

#include "base/base.h"

/* The parity of the phase under way, and how many arrivals a phase has. */
bool exec_mbarrier_parity(const u8 *object, u32 *expected);

#endif
