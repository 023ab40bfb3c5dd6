/* driver.c - finding the CUDA driver: LOCKSTEP_DRIVER, or libcuda.so.1 as the loader finds it (this library's own
 * folder comes before the system's). A function that the driver lacks answers CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"
#include "runtime/trace.h"

struct rt_driver drv;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static cudaError_t outcome;

static CUresult missing(void)
{
    return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER;
}

static void *look_up(void *library, const char *name)
{
    void *f = dlsym(library, name);
    return f ? f : (void *)missing;
}

static void load(void)
{
    const char *said = getenv("LOCKSTEP_DRIVER");
    const char *path = said && *said ? said : "libcuda.so.1";
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        rt_log("no CUDA driver: %s; put the folder of Lockstep's libcuda.so.1 into LD_LIBRARY_PATH", dlerror());
        outcome = cudaErrorInsufficientDriver;
        return;
    }
#define DRIVER(name) *(void **)&drv.name = look_up(library, #name);
#define DRIVER_DS(name) DRIVER(name) * (void **)&drv.name##_ptds = look_up(library, #name "_ptds");
#include "runtime/driver.def"
#undef DRIVER
#undef DRIVER_DS
    const char *timeline = getenv("LOCKSTEP_TIMELINE");
    if (timeline && strcmp(timeline, "1") == 0)
        *(void **)&trace_timeline = dlsym(library, "lockstep_driver_call");
    outcome = error_of(drv.cuInit(0));
}

cudaError_t driver_load(void)
{
    pthread_once(&once, load);
    return outcome;
}
