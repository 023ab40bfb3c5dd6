/* registry.c - what the compiler's start-up code registers: binaries, kernels and variables.
 *
 * Registration runs in constructors and only stores pointers; a binary is given to the driver when one of its kernels
 * or variables is first used, as a library, which belongs to no context and so outlives cudaDeviceReset. Registering
 * and unregistering may happen at any time (dlopen, dlclose). */
#include "runtime/launch/registry.h"

#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Symbols by host address: open hashing, doubled when full. */
static struct rt_symbol **buckets;
static size_t nbuckets, nsymbols;
static struct rt_binary *binaries;

void registry_lock(void) { pthread_mutex_lock(&lock); }

void registry_unlock(void) { pthread_mutex_unlock(&lock); }

static size_t hash(const void *p) { return (size_t)(((u64)(uintptr_t)p * 0x9e3779b97f4a7c15u) >> 20); }

static bool grow(void)
{
    size_t n = nbuckets ? nbuckets * 2 : 256;
    struct rt_symbol **more = calloc(n, sizeof *more);
    if (!more)
        return nbuckets > 0; /* without memory only the chains get longer */
    for (size_t i = 0; i < nbuckets; i++) {
        for (struct rt_symbol *s = buckets[i], *next; s; s = next) {
            next = s->chain;
            s->chain = more[hash(s->host) % n];
            more[hash(s->host) % n] = s;
        }
    }
    free(buckets);
    buckets = more;
    nbuckets = n;
    return true;
}

struct rt_symbol *symbol_find(const void *host)
{
    struct rt_symbol *s = nbuckets ? buckets[hash(host) % nbuckets] : NULL;
    while (s && s->host != host)
        s = s->chain;
    return s;
}

struct rt_symbol *symbol_of_managed(const void *address)
{
    for (struct rt_binary *b = binaries; b; b = b->next)
        for (struct rt_symbol *s = b->symbols; s; s = s->next)
            if (s->managed && *s->managed_pointer == address)
                return s;
    return NULL;
}

struct rt_symbol *symbol_of_kernel(CUkernel kernel)
{
    for (struct rt_binary *b = binaries; b; b = b->next)
        for (struct rt_symbol *s = b->symbols; s; s = s->next)
            if (s->kernel == kernel)
                return s;
    return NULL;
}

/* The newest registration of an address is found first. */
static struct rt_symbol *add(void **handle, const void *host, const char *name)
{
    struct rt_binary *b = (struct rt_binary *)handle;
    struct rt_symbol *s = calloc(1, sizeof *s);
    if (!b || !s)
        return NULL;
    *s = (struct rt_symbol){.host = host, .name = name, .binary = b};
    registry_lock();
    if (nsymbols >= nbuckets && !grow()) {
        registry_unlock();
        free(s);
        return NULL;
    }
    nsymbols++;
    s->chain = buckets[hash(host) % nbuckets];
    buckets[hash(host) % nbuckets] = s;
    s->next = b->symbols;
    b->symbols = s;
    registry_unlock();
    return s;
}

static void drop(struct rt_symbol *s)
{
    struct rt_symbol **at = &buckets[hash(s->host) % nbuckets];
    while (*at != s)
        at = &(*at)->chain;
    *at = s->chain;
    nsymbols--;
    free(s);
}

/* ---- what compilers call ---- */

void **__cudaRegisterFatBinary(void *wrapper)
{
    struct rt_binary *b = calloc(1, sizeof *b);
    if (!b)
        return NULL;
    b->wrapper = wrapper;
    registry_lock();
    b->next = binaries;
    binaries = b;
    registry_unlock();
    return (void **)b;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize)
{
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    add(handle, hostFun, deviceName);
}

void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    struct rt_symbol *s = add(handle, hostVar, deviceName);
    if (s) {
        s->variable = true;
        s->size = size;
    }
}

void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName,
                              int ext, size_t size, int constant, int global)
{
    (void)deviceAddress, (void)ext, (void)constant, (void)global;
    struct rt_symbol *s = add(handle, hostVarPtrAddress, deviceName);
    if (s) {
        s->variable = s->managed = true;
        s->managed_pointer = hostVarPtrAddress;
        s->size = size;
    }
}

/* At exit the driver may be gone already, so its answer is ignored. */
void __cudaUnregisterFatBinary(void **handle)
{
    struct rt_binary *b = (struct rt_binary *)handle;
    if (!b)
        return;
    registry_lock();
    struct rt_binary **at = &binaries;
    while (*at && *at != b)
        at = &(*at)->next;
    if (*at)
        *at = b->next;
    while (b->symbols) {
        struct rt_symbol *s = b->symbols;
        b->symbols = s->next;
        drop(s);
    }
    registry_unlock();
    if (b->library) {
        kernel_forget_library(b->library);
        drv.cuLibraryUnload(b->library);
    }
    free(b);
}

/* A program is about to touch a managed variable: their addresses must be in place. */
char __cudaInitModule(void **handle)
{
    cudaError_t e = driver_load();
    if (e == cudaSuccess)
        e = context_enter();
    registry_lock();
    if (e == cudaSuccess)
        e = binary_load((struct rt_binary *)handle);
    registry_unlock();
    if (e != cudaSuccess)
        rt.last = e;
    return e == cudaSuccess;
}
