/* symbol.c - from a host address to the driver's kernel or variable: loads binaries at their first use. */
#include <stdlib.h>

#include "runtime/launch/registry.h"

/* Managed variables live in the context: after a reset they are elsewhere. */
static cudaError_t place_managed(struct rt_binary *b)
{
    for (struct rt_symbol *s = b->symbols; s; s = s->next) {
        CUdeviceptr address;
        size_t size;
        if (!s->managed)
            continue;
        CUresult r = drv.cuLibraryGetManaged(&address, &size, b->library, s->name);
        if (r != CUDA_SUCCESS)
            return r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : error_of(r);
        *s->managed_pointer = (void *)(uintptr_t)address;
    }
    b->managed_epoch = context_epoch();
    return cudaSuccess;
}

cudaError_t binary_load(struct rt_binary *b)
{
    if (b->failure != cudaSuccess)
        return b->failure;
    if (!b->library)
        b->failure = error_of(drv.cuLibraryLoadData(&b->library, b->wrapper, NULL, NULL, 0, NULL, NULL, 0));
    if (b->failure != cudaSuccess)
        return b->failure;
    return b->managed_epoch == context_epoch() ? cudaSuccess : place_managed(b);
}

/* ---- kernels ---- */

/* Handles that this library gave out, which a program may pass wherever a function is expected. */
struct handle {
    const void *value;
    bool function;     /* a CUfunction, not a CUkernel */
    CUlibrary library; /* with which it goes */
    struct handle *next;
};

static struct handle *handles[256];

static struct handle **slot(const void *value) { return &handles[((uintptr_t)value >> 4) % LS_ARRAY_LEN(handles)]; }

static const struct handle *known(const void *value)
{
    const struct handle *h = *slot(value);
    while (h && h->value != value)
        h = h->next;
    return h;
}

/* The same address may have been another handle before. */
static void remember(const void *value, bool function, CUlibrary library)
{
    struct handle *h = (struct handle *)(uintptr_t)known(value);
    if (!h && (h = malloc(sizeof *h))) {
        h->next = *slot(value);
        *slot(value) = h;
    }
    if (h) {
        h->value = value;
        h->function = function;
        h->library = library;
    }
}

void kernel_known(CUkernel kernel, CUlibrary library)
{
    registry_lock();
    remember(kernel, false, library);
    registry_unlock();
}

void kernel_forget_library(CUlibrary library)
{
    registry_lock();
    for (size_t i = 0; i < LS_ARRAY_LEN(handles); i++) {
        for (struct handle **at = &handles[i]; *at;) {
            struct handle *h = *at;
            if (h->library != library) {
                at = &h->next;
                continue;
            }
            *at = h->next;
            free(h);
        }
    }
    registry_unlock();
}

/* registry lock held */
static cudaError_t symbol_kernel(struct rt_symbol *s, CUkernel *out)
{
    cudaError_t e = binary_load(s->binary);
    if (e == cudaSuccess && !s->kernel) {
        CUresult r = drv.cuLibraryGetKernel(&s->kernel, s->binary->library, s->name);
        e = r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : error_of(r);
    }
    *out = s->kernel;
    return e;
}

cudaError_t kernel_of(const void *func, CUkernel *out)
{
    cudaError_t e = cudaSuccess;
    registry_lock();
    struct rt_symbol *s = symbol_find(func);
    if (s && !s->variable)
        e = symbol_kernel(s, out);
    else if (known(func))
        *out = (CUkernel)func;
    else
        e = cudaErrorInvalidResourceHandle;
    registry_unlock();
    return e;
}

void *kernel_host(CUkernel kernel)
{
    registry_lock();
    const struct rt_symbol *s = symbol_of_kernel(kernel);
    void *host = s ? (void *)(uintptr_t)s->host : kernel;
    registry_unlock();
    return host;
}

/* A CUkernel is taken wherever the driver takes a CUfunction for a launch; elsewhere it must be translated. */
cudaError_t function_of(const void *func, CUfunction *out)
{
    CUkernel k;
    cudaError_t e = kernel_of(func, &k);
    if (e != cudaSuccess)
        return e;
    registry_lock();
    const struct handle *h = known(k);
    bool plain = h && h->function;
    registry_unlock();
    if (plain)
        *out = (CUfunction)(void *)k;
    return plain ? cudaSuccess : error_of(drv.cuKernelGetFunction(out, k));
}

/* The library behind what a program passes as a function. */
static CUlibrary library_of(const void *func)
{
    const struct rt_symbol *s = symbol_find(func);
    const struct handle *h = s ? NULL : known(func);
    return s ? s->binary->library : h ? h->library : NULL;
}

cudaError_t impl_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    if (!functionPtr)
        return cudaErrorInvalidValue;
    cudaError_t e = function_of(symbolPtr, functionPtr);
    registry_lock();
    if (e == cudaSuccess)
        remember(*functionPtr, true, library_of(symbolPtr));
    registry_unlock();
    return e;
}

cudaError_t impl_cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
    if (!kernelPtr)
        return cudaErrorInvalidValue;
    cudaError_t e = kernel_of(entryFuncAddr, kernelPtr);
    registry_lock();
    if (e == cudaSuccess)
        remember(*kernelPtr, false, library_of(entryFuncAddr));
    registry_unlock();
    return e;
}

/* ---- variables ---- */

cudaError_t variable_of(const void *symbol, CUdeviceptr *address, size_t *size)
{
    CUdeviceptr at = 0;
    size_t bytes = 0;
    registry_lock();
    struct rt_symbol *s = symbol_find(symbol);
    if (!s)
        s = symbol_of_managed(symbol);
    cudaError_t e = s && s->variable ? binary_load(s->binary) : cudaErrorInvalidSymbol;
    if (e == cudaSuccess) {
        CUresult r = s->managed ? drv.cuLibraryGetManaged(&at, &bytes, s->binary->library, s->name)
                                : drv.cuLibraryGetGlobal(&at, &bytes, s->binary->library, s->name);
        e = r == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : error_of(r);
    }
    registry_unlock();
    if (address)
        *address = at;
    if (size)
        *size = bytes;
    return e;
}

cudaError_t impl_cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
    CUdeviceptr at;
    if (!devPtr)
        return cudaErrorInvalidValue;
    cudaError_t e = variable_of(symbol, &at, NULL);
    if (e == cudaSuccess)
        *devPtr = (void *)(uintptr_t)at;
    return e;
}

cudaError_t impl_cudaGetSymbolSize(size_t *size, const void *symbol)
{
    return size ? variable_of(symbol, NULL, size) : cudaErrorInvalidValue;
}
