/* driver_test.h - what the driver-API programs here share: a context a test, and PTX to run. */
#ifndef DRIVER_TEST_H
#define DRIVER_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver/cuda_abi.h"

#define OK(call) assert_int_equal((call), CUDA_SUCCESS)
#define FAILS(call, result) assert_int_equal((call), (result))

#define PTX_HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* y[i] = a * x[i] + y[i], i < n */
extern const char ptx_saxpy[];
/* store(p, v): *p = v */
extern const char ptx_store[];
/* spin(p): waits until *p is not 0 (volatile) */
extern const char ptx_spin[];

CUcontext context_up(void); /* cuInit and a new current context */
void context_down(CUcontext ctx);

CUfunction load(const char *ptx, const char *kernel);
/* One launch of one-dimensional grids. */
CUresult run1(CUfunction f, unsigned blocks, unsigned threads, CUstream s, void **params);

#endif
