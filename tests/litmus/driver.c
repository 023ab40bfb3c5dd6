/* driver.c - see driver.h. */
#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { NO_DRIVER = 2, MAPPED = 2 };

#define DRIVER_API(F)                                                                                                  \
    F(init, "cuInit", unsigned flags)                                                                                  \
    F(context_retain, "cuDevicePrimaryCtxRetain", void **context, int device)                                          \
    F(context_set, "cuCtxSetCurrent", void *context)                                                                   \
    F(wait, "cuCtxSynchronize", void)                                                                                  \
    F(module_load, "cuModuleLoadDataEx", void **module, const void *image, unsigned n, int *options, void **values)    \
    F(module_unload, "cuModuleUnload", void *module)                                                                   \
    F(module_function, "cuModuleGetFunction", void **function, void *module, const char *name)                         \
    F(alloc, "cuMemAlloc_v2", device_ptr *p, size_t bytes)                                                             \
    F(clear, "cuMemsetD8_v2", device_ptr p, unsigned char value, size_t bytes)                                         \
    F(to_host, "cuMemcpyDtoH_v2", void *to, device_ptr from, size_t bytes)                                             \
    F(host_alloc, "cuMemHostAlloc", void **p, size_t bytes, unsigned flags)                                            \
    F(host_pointer, "cuMemHostGetDevicePointer_v2", device_ptr *p, void *host, unsigned flags)                         \
    F(launch, "cuLaunchKernel", void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,       \
      unsigned bz, unsigned shared, void *stream, void **args, void **extra)                                           \
    F(error_name, "cuGetErrorName", int status, const char **name)

static struct {
#define FIELD(name, symbol, ...) int (*name)(__VA_ARGS__);
    DRIVER_API(FIELD)
#undef FIELD
} cu;

struct kernel {
    void *module, *function;
};

static void must(int status, const char *what)
{
    const char *name = "an unknown error";
    if (!status)
        return;
    cu.error_name(status, &name);
    fprintf(stderr, "%s: %s\n", what, name);
    exit(1);
}

void driver_open(const char *library)
{
    void *context, *lib = dlopen(library, RTLD_NOW);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        exit(NO_DRIVER);
    }
#define FIND(name, symbol, ...)                                                                                        \
    *(void **)&cu.name = dlsym(lib, symbol);                                                                           \
    if (!cu.name) {                                                                                                    \
        fprintf(stderr, "%s has no %s\n", library, symbol);                                                            \
        exit(NO_DRIVER);                                                                                               \
    }
    DRIVER_API(FIND)
#undef FIND
    must(cu.init(0), "cuInit");
    must(cu.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
    must(cu.context_set(context), "cuCtxSetCurrent");
}

struct kernel *driver_kernel(const char *ptx, const char *name)
{
    struct kernel *k = malloc(sizeof *k);
    if (!k)
        abort();
    const int status = cu.module_load(&k->module, ptx, 0, NULL, NULL);
    if (status)
        fprintf(stderr, "%s\n", ptx);
    must(status, "cuModuleLoadDataEx");
    must(cu.module_function(&k->function, k->module, name), "cuModuleGetFunction");
    return k;
}

void driver_forget(struct kernel *k)
{
    must(cu.module_unload(k->module), "cuModuleUnload");
    free(k);
}

void driver_launch(struct kernel *k, unsigned blocks, unsigned threads, void **args)
{
    must(cu.launch(k->function, blocks, 1, 1, threads, 1, 1, 0, NULL, args, NULL), "cuLaunchKernel");
}

void driver_wait(void) { must(cu.wait(), "cuCtxSynchronize"); }

device_ptr driver_alloc(size_t bytes)
{
    device_ptr p = 0;
    must(cu.alloc(&p, bytes), "cuMemAlloc");
    return p;
}

void driver_clear(device_ptr p, size_t bytes) { must(cu.clear(p, 0, bytes), "cuMemsetD8"); }

void driver_read(void *to, device_ptr from, size_t bytes) { must(cu.to_host(to, from, bytes), "cuMemcpyDtoH"); }

void *driver_mapped(size_t bytes, device_ptr *device)
{
    void *p = NULL;
    must(cu.host_alloc(&p, bytes, MAPPED), "cuMemHostAlloc");
    must(cu.host_pointer(device, p, 0), "cuMemHostGetDevicePointer");
    return p;
}
