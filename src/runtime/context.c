/* context.c - devices' primary contexts: made when first needed, current in each thread that calls, gone with
 * cudaDeviceReset.
 *
 * A context of the program's own, made with the driver API and current in the calling thread, is used as it is; a
 * primary context that it made current is as good as cudaSetDevice. */
#include <pthread.h>
#include <stdatomic.h>

#include "runtime/runtime.h"

enum { MAX_DEVICES = 64 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUcontext primaries[MAX_DEVICES]; /* as retained by this library; NULL: not now */
static atomic_ullong epoch = 1;

u64 context_epoch(void) { return atomic_load_explicit(&epoch, memory_order_acquire); }

int device_count(void)
{
    int n = 0;
    if (driver_load() != cudaSuccess || drv.cuDeviceGetCount(&n) != CUDA_SUCCESS)
        return 0;
    return n < MAX_DEVICES ? n : MAX_DEVICES;
}

cudaError_t context_find(int device, CUcontext *out)
{
    if (device < 0 || device >= device_count())
        return cudaErrorInvalidDevice;
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!primaries[device])
        r = drv.cuDevicePrimaryCtxRetain(&primaries[device], device);
    *out = primaries[device];
    pthread_mutex_unlock(&lock);
    return error_of(r);
}

/* The device whose primary context c is, if this library retained it; else -1. */
static int device_of_primary(CUcontext c)
{
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_DEVICES && c && found < 0; i++)
        if (primaries[i] == c)
            found = i;
    pthread_mutex_unlock(&lock);
    return found;
}

static cudaError_t make_current(int device)
{
    CUcontext c;
    u64 now = context_epoch();
    cudaError_t e = context_find(device, &c);
    if (e == cudaSuccess)
        e = error_of(drv.cuCtxSetCurrent(c));
    if (e == cudaSuccess) {
        rt.device = device;
        rt.epoch = now;
        rt.primary = c;
    }
    return e;
}

/* The fast path is one call of the driver: the context that this library made current is still that. */
cudaError_t context_enter(void)
{
    CUcontext c = NULL;
    CUresult r = drv.cuCtxGetCurrent(&c);
    if (r != CUDA_SUCCESS)
        return error_of(r);
    if (c && c == rt.primary && rt.epoch == context_epoch())
        return cudaSuccess;
    const int primary = c == rt.primary ? -1 : device_of_primary(c);
    if (primary >= 0)
        return make_current(primary);
    if (c && c != rt.primary && drv.cuCtxGetDevice(&(CUdevice){0}) == CUDA_SUCCESS)
        return cudaSuccess; /* the program's own */
    return make_current(rt.device);
}

/* The calling thread's: that of a context which the program made current itself, or as of cudaSetDevice. Asking does
 * not load the driver. */
static int current_device(void)
{
    CUcontext c = NULL;
    CUdevice device;
    const bool theirs = drv.cuCtxGetCurrent && drv.cuCtxGetCurrent(&c) == CUDA_SUCCESS && c && c != rt.primary;
    return theirs && drv.cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : rt.device;
}

bool context_stuck(cudaError_t e) { return driver_load() == cudaSuccess && error_of(drv.cuCtxSynchronize()) == e; }

cudaError_t impl_cudaSetDevice(int device) { return device_count() == 0 ? cudaErrorNoDevice : make_current(device); }

cudaError_t impl_cudaGetDevice(int *device)
{
    if (!device)
        return cudaErrorInvalidValue;
    *device = current_device();
    return cudaSuccess;
}

cudaError_t impl_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    CUcontext c;
    if (flags & ~(unsigned)cudaInitDeviceFlagsAreValid)
        return cudaErrorInvalidValue;
    if (device < 0 || device >= device_count())
        return cudaErrorInvalidDevice;
    if (flags & cudaInitDeviceFlagsAreValid) {
        CUresult r = drv.cuDevicePrimaryCtxSetFlags_v2(device, deviceFlags & ~(unsigned)cudaDeviceMapHost);
        if (r != CUDA_SUCCESS)
            return error_of(r);
    }
    return context_find(device, &c);
}

cudaError_t impl_cudaSetDeviceFlags(unsigned int flags)
{
    if (flags & ~(unsigned)cudaDeviceMask)
        return cudaErrorInvalidValue;
    return error_of(drv.cuDevicePrimaryCtxSetFlags_v2(current_device(), flags & ~(unsigned)cudaDeviceMapHost));
}

/* Host memory can always be mapped, and CUDA says so in the flags. */
cudaError_t impl_cudaGetDeviceFlags(unsigned int *flags)
{
    int active;
    if (!flags)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuDevicePrimaryCtxGetState(current_device(), flags, &active);
    *flags |= cudaDeviceMapHost;
    return error_of(r);
}

/* The program's binaries stay registered: their modules load again at their next use. */
cudaError_t impl_cudaDeviceReset(void)
{
    const int device = current_device();
    pthread_mutex_lock(&lock);
    primaries[device] = NULL;
    CUresult r = drv.cuDevicePrimaryCtxReset_v2(device);
    atomic_fetch_add(&epoch, 1);
    pthread_mutex_unlock(&lock);
    if (error_is_sticky(rt.last))
        rt.last = cudaSuccess;
    return error_of(r);
}

cudaError_t impl_cudaDeviceSynchronize(void) { return error_of(drv.cuCtxSynchronize()); }
