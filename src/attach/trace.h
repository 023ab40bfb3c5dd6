/* trace.h - one line a call of the driver API, with decoded arguments: LOCKSTEP_TRACE=1. */
#ifndef LS_DRIVER_TRACE_H
#define LS_DRIVER_TRACE_H

#include "driver/arguments.h"
#include "driver/driver.h"

/* "cuMemAlloc_v2(dptr=0x7ffd.. -> 0x7f.., bytesize=4096) = CUDA_SUCCESS" into buf; for tests. */
void trace_format(char *buf, size_t size, const char *function, CUresult result, const struct call_arg *args,
                  unsigned n);

#endif
