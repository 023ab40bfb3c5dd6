/* nvml.h - the part of NVIDIA's management library that Lockstep has: which devices there are and what they are called. Numbers
 * and layouts are those of the binary interface; names in the tables are NVML's.
 *
 * Nothing of the driver's is started: programs ask NVML before they fork, and a driver that was started does not work in a
 * child. So CUDA_VISIBLE_DEVICES does not matter here, as with NVIDIA's. */
#ifndef LS_NVML_NVML_H
#define LS_NVML_NVML_H

#include "base/base.h"

/* RESULT(name, number, text) */
#define NVML_RESULTS(RESULT)                                                                                           \
    RESULT(SUCCESS, 0, "no error")                                                                                     \
    RESULT(ERROR_UNINITIALIZED, 1, "nvmlInit was not called")                                                          \
    RESULT(ERROR_INVALID_ARGUMENT, 2, "an argument is not valid")                                                      \
    RESULT(ERROR_NOT_SUPPORTED, 3, "Lockstep does not have this")                                                      \
    RESULT(ERROR_NOT_FOUND, 6, "there is nothing of that name")                                                        \
    RESULT(ERROR_INSUFFICIENT_SIZE, 7, "the caller's memory is too small")                                             \
    RESULT(ERROR_DRIVER_NOT_LOADED, 9, "the GPU of LOCKSTEP_GPU is not known")                                         \
    RESULT(ERROR_FUNCTION_NOT_FOUND, 13, "there is no function of that name")                                          \
    RESULT(ERROR_ARGUMENT_VERSION_MISMATCH, 25, "the structure has another version")                                   \
    RESULT(ERROR_UNKNOWN, 999, "an unknown error")

typedef enum {
#define RESULT(name, number, text) NVML_##name = number,
    NVML_RESULTS(RESULT)
#undef RESULT
} nvmlReturn_t;

typedef struct nvml_device *nvmlDevice_t;

typedef struct {
    unsigned long long total, free, used; /* bytes */
} nvmlMemory_t;

typedef struct {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvmlMemory_v2_t;

typedef struct {
    char busIdLegacy[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId;
    char busId[32];
} nvmlPciInfo_t;

typedef struct {
    char busId[16];
    unsigned domain, bus, device, pciDeviceId, pciSubSystemId, reserved[4];
} nvmlPciInfo_v2_t;

/* There is no such driver: the release line that CUDA 13.0 came with, and nothing behind it. */
#define NVML_DRIVER "580.0"

nvmlReturn_t nvmlInit_v2(void);
nvmlReturn_t nvmlShutdown(void);
const char *nvmlErrorString(nvmlReturn_t result);
nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length);
nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version);
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count);
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device);
nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length);
nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length);
nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci);
nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory);
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor);

#endif
