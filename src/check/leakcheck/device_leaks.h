/* device_leaks.h - the device heap at the end of a program. */
#ifndef LS_CHECK_DEVICE_LEAKS_H
#define LS_CHECK_DEVICE_LEAKS_H

#include "check/core/check.h"

/* Reports what kernels allocated and nobody freed, one finding a malloc. When no kernel runs any more. */
void leakcheck_heap_leaks(struct check *c);

#endif
