/* nvml.c - see nvml.h. What a device is comes from the settings and the GPU's file when the library is initialised. */
#include "nvml/nvml.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/diag.h"
#include "base/gpu.h"
#include "base/settings.h"
#include "driver/cuda_abi.h"
#include "driver/identity.h"
#include "driver/memory/host_memory.h"

enum { DEVICES = 16 }; /* as the setting's row allows */

struct nvml_device {
    unsigned number;
};

static struct {
    pthread_mutex_t lock;
    unsigned users; /* calls of nvmlInit without their nvmlShutdown */
    struct gpu gpu;
    u64 memory;
    unsigned n;
    struct nvml_device devices[DEVICES];
} nvml = {.lock = PTHREAD_MUTEX_INITIALIZER};

#define EXPORT __attribute__((visibility("default")))
#define NEED(condition, result)                                                                                        \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            return NVML_##result;                                                                                      \
    } while (0)
#define NEED_DEVICE(device)                                                                                            \
    NEED(nvml.users, ERROR_UNINITIALIZED);                                                                             \
    NEED((device) >= nvml.devices && (device) < nvml.devices + nvml.n, ERROR_INVALID_ARGUMENT)

static nvmlReturn_t put_text(char *to, unsigned room, const char *text)
{
    NEED(to, ERROR_INVALID_ARGUMENT);
    NEED(strlen(text) < room, ERROR_INSUFFICIENT_SIZE);
    memcpy(to, text, strlen(text) + 1);
    return NVML_SUCCESS;
}

/* ---- the library ---- */

static bool begin(void)
{
    struct settings s;
    struct diag_list diags;
    diag_init(&diags);
    const bool good = settings_read(&s, NULL, NULL) && gpu_find(s.gpu, &nvml.gpu, &diags) == LS_OK;
    diag_free(&diags);
    if (!good)
        return false;
    nvml.n = s.devices < DEVICES ? (unsigned)s.devices : DEVICES;
    nvml.memory =
        device_memory(s.device_memory, nvml.gpu.memory_bytes, host_memory_available("") / (nvml.n ? nvml.n : 1));
    for (unsigned i = 0; i < nvml.n; i++)
        nvml.devices[i].number = i;
    return true;
}

EXPORT nvmlReturn_t nvmlInit_v2(void)
{
    pthread_mutex_lock(&nvml.lock);
    const bool good = nvml.users || begin();
    nvml.users += good;
    pthread_mutex_unlock(&nvml.lock);
    return good ? NVML_SUCCESS : NVML_ERROR_DRIVER_NOT_LOADED;
}

EXPORT nvmlReturn_t nvmlInit(void);
EXPORT nvmlReturn_t nvmlInit(void) { return nvmlInit_v2(); }

EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags);
EXPORT nvmlReturn_t nvmlInitWithFlags(unsigned flags)
{
    (void)flags; /* of GPUs that are there or not */
    return nvmlInit_v2();
}

EXPORT nvmlReturn_t nvmlShutdown(void)
{
    pthread_mutex_lock(&nvml.lock);
    const bool good = nvml.users > 0;
    nvml.users -= good;
    pthread_mutex_unlock(&nvml.lock);
    return good ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

EXPORT const char *nvmlErrorString(nvmlReturn_t result)
{
    switch (result) {
#define RESULT(name, number, text)                                                                                     \
    case NVML_##name:                                                                                                  \
        return text;
        NVML_RESULTS(RESULT)
#undef RESULT
    }
    return "an unknown error";
}

EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned length)
{
    NEED(nvml.users, ERROR_UNINITIALIZED);
    return put_text(version, length, NVML_DRIVER);
}

EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length);
EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned length)
{
    char text[40];
    snprintf(text, sizeof text, "%d.%s", CUDA_VERSION / 1000, NVML_DRIVER);
    return put_text(version, length, text);
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version)
{
    NEED(version, ERROR_INVALID_ARGUMENT);
    *version = CUDA_VERSION;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version);
EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

/* ---- which devices ---- */

EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count)
{
    NEED(nvml.users, ERROR_UNINITIALIZED);
    NEED(count, ERROR_INVALID_ARGUMENT);
    *count = nvml.n;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *count);
EXPORT nvmlReturn_t nvmlDeviceGetCount(unsigned *count) { return nvmlDeviceGetCount_v2(count); }

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index, nvmlDevice_t *device)
{
    NEED(nvml.users, ERROR_UNINITIALIZED);
    NEED(device && index < nvml.n, ERROR_INVALID_ARGUMENT);
    *device = &nvml.devices[index];
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index, nvmlDevice_t *device)
{
    return nvmlDeviceGetHandleByIndex_v2(index, device);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device)
{
    NEED(nvml.users, ERROR_UNINITIALIZED);
    NEED(uuid && device, ERROR_INVALID_ARGUMENT);
    for (unsigned i = 0; i < nvml.n; i++) {
        char text[UUID_TEXT];
        identity_uuid_text(nvml.gpu.id, i, text);
        if (strcasecmp(text, uuid) == 0)
            return nvmlDeviceGetHandleByIndex_v2(i, device);
    }
    return NVML_ERROR_NOT_FOUND;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device)
{
    unsigned domain = 0, number = 0, slot = 0;
    NEED(nvml.users, ERROR_UNINITIALIZED);
    NEED(bus && device, ERROR_INVALID_ARGUMENT);
    NEED(sscanf(bus, "%x:%x:%x", &domain, &number, &slot) == 3 || sscanf(bus, "%x:%x", &number, &slot) == 2,
         ERROR_INVALID_ARGUMENT);
    return !domain && !slot && number < nvml.n ? nvmlDeviceGetHandleByIndex_v2(number, device) : NVML_ERROR_NOT_FOUND;
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus, nvmlDevice_t *device);
EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *bus, nvmlDevice_t *device)
{
    return nvmlDeviceGetHandleByPciBusId_v2(bus, device);
}

/* ---- what they are ---- */

EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index);
EXPORT nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned *index)
{
    NEED_DEVICE(device);
    NEED(index, ERROR_INVALID_ARGUMENT);
    *index = device->number;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor);
EXPORT nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned *minor)
{
    return nvmlDeviceGetIndex(device, minor);
}

EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned length)
{
    NEED_DEVICE(device);
    return put_text(name, length, nvml.gpu.name);
}

EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned length)
{
    char text[UUID_TEXT];
    NEED_DEVICE(device);
    identity_uuid_text(nvml.gpu.id, device->number, text);
    return put_text(uuid, length, text);
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci)
{
    NEED_DEVICE(device);
    NEED(pci, ERROR_INVALID_ARGUMENT);
    *pci = (nvmlPciInfo_t){.bus = device->number};
    snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", device->number & 0xff);
    snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", device->number & 0xff);
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_v2_t *pci);
EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, nvmlPciInfo_v2_t *pci)
{
    NEED_DEVICE(device);
    NEED(pci, ERROR_INVALID_ARGUMENT);
    *pci = (nvmlPciInfo_v2_t){.bus = device->number};
    snprintf(pci->busId, sizeof pci->busId, "0000:%02X:00.0", device->number & 0xff);
    return NVML_SUCCESS;
}

/* What programs use of it is not known here. */
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory)
{
    NEED_DEVICE(device);
    NEED(memory, ERROR_INVALID_ARGUMENT);
    *memory = (nvmlMemory_t){.total = nvml.memory, .free = nvml.memory};
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory);
EXPORT nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory)
{
    NEED_DEVICE(device);
    NEED(memory, ERROR_INVALID_ARGUMENT);
    NEED(memory->version == (2u << 24 | sizeof *memory), ERROR_ARGUMENT_VERSION_MISMATCH);
    memory->total = memory->free = nvml.memory;
    memory->reserved = memory->used = 0;
    return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor)
{
    NEED_DEVICE(device);
    NEED(major && minor, ERROR_INVALID_ARGUMENT);
    *major = (int)nvml.gpu.cc_major;
    *minor = (int)nvml.gpu.cc_minor;
    return NVML_SUCCESS;
}

#define ABSENT(name)                                                                                                   \
    EXPORT nvmlReturn_t name(void);                                                                                    \
    EXPORT nvmlReturn_t name(void) { return nvml.users ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED; }
#include "nvml/unsupported.def"
