/* runtime_test.h - what the programs here share: they use the runtime API through our header, with no compiler of CUDA:
 * kernels come from PTX text. */
#ifndef RUNTIME_TEST_H
#define RUNTIME_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cuda/cuda_runtime_api.h"

#define OK(call) assert_int_equal((call), cudaSuccess)
#define FAILS(call, error) assert_int_equal((call), (error))

#define PTX_HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

/* saxpy(n, a, x, y): y[i] = a * x[i] + y[i], i < n; store(p, v): *p = v; variables: int total = 7; const float
 * weights[4]; managed int shared_total = 5 */
extern const char ptx_program[];

#endif
