/* runtime.h - what the files of the runtime library share: the driver's functions, the calling thread's state, and the
 * registry of programs' binaries.
 *
 * The library stands on the CUDA driver API alone, found at run time (driver.c), so it runs on Lockstep's driver and on
 * NVIDIA's. A *binary* is what __cudaRegisterFatBinary was given, one a compiled file or linked program; a *symbol* is
 * a kernel or variable of it, known by an address in the host program.
 *
 * Error codes: wherever the runtime API has a code for what the driver reports, the number is the same. */
#ifndef LS_RUNTIME_H
#define LS_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/base.h"
#include "driver/cuda_abi.h"
#define CU_UUID_HAS_BEEN_DEFINED /* by cuda_abi.h */
#pragma GCC visibility push(default)
#include "cuda/cuda_runtime_api.h"
#pragma GCC visibility pop

/* ---- driver.c ---- */

/* The driver's functions, and their twins for the per-thread default stream. */
struct rt_driver {
#define DRIVER(name) __typeof__(name) *name;
#define DRIVER_DS(name) __typeof__(name) *name, *name##_ptds;
#include "runtime/driver.def"
#undef DRIVER
#undef DRIVER_DS
};
extern struct rt_driver drv;

cudaError_t driver_load(void); /* once; then its result */

/* A synchronous function in the calling function's variant. */
#define DRV_DS(name) (rt.per_thread ? drv.name##_ptds : drv.name)

static inline cudaError_t error_of(CUresult r) { return (cudaError_t)r; }

/* ---- enter.c ---- */

struct rt_thread {
    cudaError_t last;
    bool per_thread;   /* the call came through a _ptsz or _ptds entry */
    bool as_in_13;     /* the call came through __cudaLaunchKernel (runtime_launch.c) */
    const void *site;  /* the place of the <<<>>> under way: a return address; or NULL */
    int device;        /* as of cudaSetDevice */
    CUcontext primary; /* the context that this library made current here last */
    u64 epoch;         /* when it did; 0: never */
};
extern _Thread_local struct rt_thread rt;

enum rt_when { WHEN_ANY, WHEN_INIT, WHEN_CTX };

cudaError_t rt_enter(enum rt_when when);
cudaError_t rt_leave(cudaError_t e); /* records it; what it was given */
cudaError_t rt_not_supported(atomic_bool *said, const char *name);

/* The driver's name for a stream: 0 is the thread's own in the variants for that. */
static inline CUstream stream_of(cudaStream_t s) { return s == NULL && rt.per_thread ? CU_STREAM_PER_THREAD : s; }

/* ---- log.c: the only place that writes to stderr ---- */
void rt_log(const char *fmt, ...) LS_PRINTF(1, 2);

/* ---- error.c ---- */
bool error_is_sticky(cudaError_t e); /* ends the context */

/* ---- context.c ---- */
cudaError_t context_enter(void);                      /* a current context for the calling thread */
cudaError_t context_find(int device, CUcontext *out); /* the device's primary context, made if need be */
u64 context_epoch(void);                              /* counts resets, from 1 */
int device_count(void);
bool context_stuck(cudaError_t e); /* the current context has ended with this error */

/* ---- symbol.c ---- */

/* The kernel behind what a program passes as a function: its own stub's address, or a handle that came from here.
 * cudaErrorInvalidDeviceFunction: neither. */
cudaError_t kernel_of(const void *func, CUkernel *out);
cudaError_t function_of(const void *func, CUfunction *out); /* in the current context */
void *kernel_host(CUkernel kernel);                         /* the other way: the program's handle of it */
/* A handle that a program may pass back as a function, until its library goes. */
void kernel_known(CUkernel kernel, CUlibrary library);
void kernel_forget_library(CUlibrary library);
cudaError_t variable_of(const void *symbol, CUdeviceptr *address, size_t *size);

/* ---- array.c ---- */
cudaError_t array_texel(cudaArray_const_t array, size_t *bytes); /* of one element */
/* The driver's form of a channel descriptor. cudaErrorInvalidChannelDescriptor: there is no such format;
 * cudaErrorNotSupported: Lockstep lacks it. */
cudaError_t format_of(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels);
struct cudaChannelFormatDesc desc_of(CUarray_format format, unsigned channels);

/* ---- implementations ---- */
#define API(name, when, threads, n, ...) cudaError_t impl_##name(LS_DECL_##n(__VA_ARGS__));
#define STUB(name, threads, n, ...)
#define ABSENT(name)
#include "runtime/api.def"
#undef API
#undef STUB
#undef ABSENT

#endif
