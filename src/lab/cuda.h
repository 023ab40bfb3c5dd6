/* cuda.h - the CUDA driver, loaded while we run: Lockstep's own for a CPU, NVIDIA's for a GPU.
 *
 * The laboratory knows a device only by this table of functions. Lockstep's library is the one beside the program
 * (../lib/libcuda.so.1); NVIDIA's is what the loader finds under that name and is not Lockstep's. One driver a process:
 * both export the same names and keep state. */
#ifndef LS_LAB_CUDA_H
#define LS_LAB_CUDA_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "driver/cuda_abi.h"

/* X(member, exported name): the functions that the laboratory calls. */
#define LAB_CUDA_FUNCTIONS(X)                                                                                          \
    X(init, cuInit)                                                                                                    \
    X(error_name, cuGetErrorName)                                                                                      \
    X(device_get, cuDeviceGet)                                                                                         \
    X(device_get_name, cuDeviceGetName)                                                                                \
    X(device_attribute, cuDeviceGetAttribute)                                                                          \
    X(context_retain, cuDevicePrimaryCtxRetain)                                                                        \
    X(context_release, cuDevicePrimaryCtxRelease_v2)                                                                   \
    X(context_reset, cuDevicePrimaryCtxReset_v2)                                                                       \
    X(context_set, cuCtxSetCurrent)                                                                                    \
    X(synchronize, cuCtxSynchronize)                                                                                   \
    X(module_load, cuModuleLoadData)                                                                                   \
    X(module_load_file, cuModuleLoad)                                                                                  \
    X(module_unload, cuModuleUnload)                                                                                   \
    X(module_function, cuModuleGetFunction)                                                                            \
    X(function_attribute, cuFuncGetAttribute)                                                                          \
    X(function_set, cuFuncSetAttribute)                                                                                \
    X(module_global, cuModuleGetGlobal_v2)                                                                             \
    X(alloc, cuMemAlloc_v2)                                                                                            \
    X(free, cuMemFree_v2)                                                                                              \
    X(to_device, cuMemcpyHtoD_v2)                                                                                      \
    X(to_host, cuMemcpyDtoH_v2)                                                                                        \
    X(launch, cuLaunchKernel)                                                                                          \
    X(launch_ex, cuLaunchKernelEx)                                                                                     \
    X(launch_cooperative, cuLaunchCooperativeKernel)                                                                   \
    X(copy_async, cuMemcpyAsync)                                                                                       \
    X(copy_2d, cuMemcpy2D_v2)                                                                                          \
    X(array_create, cuArrayCreate_v2)                                                                                  \
    X(array_destroy, cuArrayDestroy)                                                                                   \
    X(texture_create, cuTexObjectCreate)                                                                               \
    X(texture_destroy, cuTexObjectDestroy)                                                                             \
    X(map_encode, cuTensorMapEncodeTiled)                                                                              \
    X(set_async, cuMemsetD8Async)                                                                                      \
    X(host_alloc, cuMemHostAlloc)                                                                                      \
    X(host_free, cuMemFreeHost)                                                                                        \
    X(host_pointer, cuMemHostGetDevicePointer_v2)                                                                      \
    X(managed_alloc, cuMemAllocManaged)                                                                                \
    X(prefetch, cuMemPrefetchAsync_v2)                                                                                 \
    X(stream_create, cuStreamCreate)                                                                                   \
    X(stream_destroy, cuStreamDestroy_v2)                                                                              \
    X(stream_synchronize, cuStreamSynchronize)                                                                         \
    X(stream_wait, cuStreamWaitEvent)                                                                                  \
    X(event_create, cuEventCreate)                                                                                     \
    X(event_record, cuEventRecord)                                                                                     \
    X(event_query, cuEventQuery)                                                                                       \
    X(event_synchronize, cuEventSynchronize)                                                                           \
    X(event_elapsed, cuEventElapsedTime)                                                                               \
    X(event_destroy, cuEventDestroy_v2)

struct lab_cuda {
    void *library;
    char path[512]; /* of the library */
    CUdevice device;
    CUcontext context;
    char device_name[128];
#define X(member, name) __typeof__(name) *member;
    LAB_CUDA_FUNCTIONS(X)
#undef X
    /* Lockstep's own driver: the launches to come run in the order of this seed (0: launch order), with weak memory or
     * without. NULL on a GPU. */
    void (*schedule)(unsigned long long seed, int weak);
    /* Likewise: 0: without modelled metrics; else with them, if the environment wants them. */
    void (*model)(int on);
};

/* Loads the driver, initialises it and makes device 0's primary context current. Where it fails a diagnostic says
 * which library was tried and why not. */
enum ls_status lab_cuda_open(struct lab_cuda *c, bool gpu, struct diag_list *diags);
void lab_cuda_close(struct lab_cuda *c);

/* After a kernel has faulted the context is of no use any more: this makes a new one. */
CUresult lab_cuda_renew(struct lab_cuda *c);

/* "CUDA_ERROR_ILLEGAL_ADDRESS"; never NULL. */
const char *lab_cuda_error(const struct lab_cuda *c, CUresult r);

#endif
