/* init.c - cuInit, what the environment says, fork and exit.
 *
 * cuInit reads gpus/<LOCKSTEP_GPU>.json and reserves the devices' address space; nothing else happens and no thread
 * starts before the first launch. A child of fork has none of the parent's threads, so it is told that the driver is
 * not initialized, as by CUDA. */
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "driver/driver.h"
#include "driver/memory/host_memory.h"
#include "exec/bodies/bodies.h"
#include "exec/tier/llvm.h"

struct driver drv = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .hub = HUB_INIT,
    .run_lock = PTHREAD_MUTEX_INITIALIZER,
    .host_align = MEM_ALIGN,
};

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

static void after_fork(void)
{
    atomic_store(&drv.forked, atomic_load(&drv.ready));
    TELL(process, PROCESS_FORKED);
}

/* Running kernels are told to stop, and given a moment: their threads must not outlive what they use. */
void driver_stop(void)
{
    if (atomic_load(&drv.forked))
        return;
    atomic_store(&drv.exiting, true);
    __atomic_store_n(&drv.cancel, true, __ATOMIC_RELAXED);
    const struct timespec ms = {0, 1000000};
    for (int i = 0; i < 2000 && memory_running() > 0; i++)
        nanosleep(&ms, NULL);
}

static void main_ended(void)
{
    TELL(process, PROCESS_MAIN_ENDED);
    if (!drv.stops_at_end)
        driver_stop();
}

/* After the program's own handlers and destructors. */
__attribute__((destructor)) static void on_unload(void)
{
    if (!atomic_load(&drv.ready) || atomic_load(&drv.forked))
        return;
    if (drv.stops_at_end)
        driver_stop();
    TELL(process, PROCESS_END);
}

static void log_setting(void *ctx, bool bad, const char *text)
{
    (void)ctx, (void)bad;
    drv_log("%s", text);
}

/* The level that is asked for, or the best. */
static enum exec_isa choose_isa(void)
{
    _Static_assert(ISA_PORTABLE == 0 && ISA_V3 == 1 && ISA_V4 == 2, "the order of the words of LOCKSTEP_ISA");
    const enum exec_isa wish = drv.settings.isa ? (enum exec_isa)(drv.settings.isa - 1) : bodies_isa();
    if (bodies_has_isa(wish))
        return wish;
    drv_log("LOCKSTEP_ISA=%s: this processor is none: the best that it has is taken", drv.settings.given[SETTING_ISA]);
    return bodies_isa();
}

static void set_up_devices(void)
{
    const enum exec_isa isa = choose_isa();
    llvm_choose(drv.settings.llvm);
    llvm_hold_exit();
    drv.tier_cache.limit = drv.settings.tier_cache;
    if (!settings_cache(drv.tier_cache.folder, sizeof drv.tier_cache.folder))
        drv.tier_cache.limit = 0;
    drv.mem = mem_of_all(drv.exec[0].mem);
    mem_set_poison(drv.mem, drv.settings.poison);
    for (unsigned i = 0; i < drv.ndevices; i++) {
        struct device *d = &drv.devices[i];
        drv.exec[i].isa = isa;
        drv.exec[i].tier = (u8)drv.settings.tier;
        drv.exec[i].tier_cache = drv.tier_cache.limit ? &drv.tier_cache : NULL;
        drv.exec[i].weak_memory = drv.settings.memory == MEMORY_WEAK;
        drv.exec[i].keep_apart = !drv.settings.colour;
        d->default_pool =
            (struct CUmemPoolHandle_st){.tag = TAG_POOL, .reuse = {1, 1, 1}, .is_default = true, .device = (CUdevice)i};
        d->current_pool = &d->default_pool;
    }
}

static CUresult find_gpu(void)
{
    struct diag_list diags;
    diag_init(&diags);
    const char *id = drv.settings.gpu;
    enum ls_status s = gpu_find(id, &drv.gpu, &diags);
    if (s != LS_OK) {
        char *text = diag_text(&diags);
        drv_log("LOCKSTEP_GPU=%s: %s", id ? id : "", ls_status_text(s));
        drv_log_text(text);
        ls_free(text);
    }
    diag_free(&diags);
    return s == LS_OK ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

/* Addresses are reserved for the whole GPU, or for more if that is what is wanted; how much of them may be in use at
 * once is what there is. Several devices share what the host has. */
static u64 choose_memory(void)
{
    drv.gpu_memory = drv.gpu.memory_bytes;
    const u64 bytes =
        device_memory(drv.settings.device_memory, drv.gpu_memory, host_memory_available("") / drv.ndevices);
    if (bytes > drv.gpu.memory_bytes)
        drv.gpu.memory_bytes = bytes;
    return bytes;
}

static CUresult start(void)
{
    if (!settings_read(&drv.settings, log_setting, NULL))
        return CUDA_ERROR_NO_DEVICE;
    CUresult r = find_gpu();
    if (r == CUDA_SUCCESS)
        r = devices_find();
    if (r != CUDA_SUCCESS)
        return r;
    const u64 bytes = choose_memory();
    enum ls_status s = exec_devices_init(drv.exec, drv.ndevices, &drv.gpu);
    if (s != LS_OK) {
        drv_log("cannot make the device %s: %s", drv.gpu.id, ls_status_text(s));
        return result_of(s);
    }
    for (unsigned d = 0; d < drv.ndevices; d++)
        mem_set_capacity(drv.exec[d].mem, bytes);
    set_up_devices();
    TELL(process, PROCESS_START);
    pthread_atfork(NULL, NULL, after_fork);
    atexit(main_ended);
    atomic_store(&drv.ready, true);
    return CUDA_SUCCESS;
}

CUresult impl_cuInit(unsigned int Flags)
{
    if (Flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (atomic_load(&drv.forked))
        return CUDA_ERROR_NOT_INITIALIZED;
    pthread_mutex_lock(&init_lock);
    CUresult r = atomic_load(&drv.ready) ? CUDA_SUCCESS : start();
    pthread_mutex_unlock(&init_lock);
    return r;
}

CUresult impl_cuDriverGetVersion(int *driverVersion)
{
    if (!driverVersion)
        return CUDA_ERROR_INVALID_VALUE;
    *driverVersion = CUDA_VERSION;
    return CUDA_SUCCESS;
}

CUresult driver_enter(enum api_when when)
{
    if (when == WHEN_ANY)
        return CUDA_SUCCESS;
    if (!atomic_load_explicit(&drv.ready, memory_order_acquire) ||
        atomic_load_explicit(&drv.forked, memory_order_relaxed))
        return CUDA_ERROR_NOT_INITIALIZED;
    if (atomic_load_explicit(&drv.exiting, memory_order_relaxed))
        return CUDA_ERROR_DEINITIALIZED;
    if (when == WHEN_INIT)
        return CUDA_SUCCESS;
    CUcontext ctx = ctx_current();
    if (!ctx)
        return ctx_top() ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
    return when == WHEN_CTX ? ctx_sticky(ctx) : CUDA_SUCCESS;
}

CUresult impl_cuProfilerStart(void)
{
    atomic_store(&drv.profiler_off, false);
    return CUDA_SUCCESS;
}

CUresult impl_cuProfilerStop(void)
{
    atomic_store(&drv.profiler_off, true);
    return CUDA_SUCCESS;
}
