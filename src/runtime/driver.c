/* driver.c - finding the CUDA driver: LOCKSTEP_DRIVER, or libcuda.so.1 as the loader finds it, in this library's own
 * folder before the system's. A function that the driver lacks answers CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER. */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "runtime/runtime.h"
#include "runtime/runtime_trace.h"

struct rt_driver drv;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static cudaError_t outcome;
static struct settings settings;

static CUresult missing(void) { return CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER; }

static void *look_up(void *library, const char *name)
{
    void *f = dlsym(library, name);
    return f ? f : (void *)missing;
}

/* libcuda.so.1 in the folder of this library. Its RUNPATH has it already; but under AddressSanitizer the loader takes
 * dlopen's caller for another. */
static void *open_beside(void)
{
    Dl_info self;
    char path[PATH_MAX];
    if (!dladdr(&once, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    const int folder = slash ? (int)(slash - self.dli_fname) : 0;
    snprintf(path, sizeof path, "%.*s/libcuda.so.1", folder, self.dli_fname);
    return folder ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

static void *open_driver(void)
{
    if (settings.driver)
        return dlopen(settings.driver, RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    return library ? library : open_beside();
}

/* The functions through which calls are reported; only Lockstep's driver has them. */
static void find_observers(void *library)
{
    if (settings.check || settings.timeline || settings.debug)
        *(void **)&trace_timeline = dlsym(library, "lockstep_driver_call");
    if (!settings.check && !settings.debug)
        return;
    *(void **)&trace_checks.failed = dlsym(library, "lockstep_driver_failed");
    *(void **)&trace_checks.asked = dlsym(library, "lockstep_driver_asked");
    *(void **)&trace_checks.launched = dlsym(library, "lockstep_driver_launched");
}

static void load(void)
{
    settings_read(&settings, NULL, NULL); /* what is wrong is the driver's to say */
    void *library = open_driver();
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
    find_observers(library);
    outcome = error_of(drv.cuInit(0));
}

cudaError_t driver_load(void)
{
    pthread_once(&once, load);
    return outcome;
}
