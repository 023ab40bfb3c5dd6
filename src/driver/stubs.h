/* stubs.h - the functions of stubs.def: exported, so that programs link and load, and not supported. */
#ifndef LS_DRIVER_STUBS_H
#define LS_DRIVER_STUBS_H

#include "driver/cuda_abi.h"

/* Their arguments are not looked at, so they are declared without. */
#pragma GCC visibility push(default)
#define STUB__(name) CUresult name(void);
#define STUB_SZ(name) CUresult name(void), name##_ptsz(void);
#define STUB_DS(name) CUresult name(void), name##_ptds(void);
#define STUB(name, threads) STUB_##threads(name)
#include "driver/stubs.def"
#undef STUB
#undef STUB__
#undef STUB_SZ
#undef STUB_DS
#pragma GCC visibility pop

#endif
