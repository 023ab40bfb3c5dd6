/* stubs.h - the functions of stubs.def: exported, so that programs link and load, and not supported. */
#ifndef LS_DRIVER_STUBS_H
#define LS_DRIVER_STUBS_H

#include "driver/cuda_abi.h"

/* Their arguments are not looked at, so they are declared without. */
#pragma GCC visibility push(default)
#define STUB(name) CUresult name(void);
#include "driver/stubs.def"
#undef STUB
#pragma GCC visibility pop

#endif
