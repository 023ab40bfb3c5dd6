/* visible.c - which devices there are, and how each is told from the others.
 *
 * The machine has LOCKSTEP_DEVICES devices, all of the GPU of LOCKSTEP_GPU. CUDA_VISIBLE_DEVICES chooses among them and
 * puts them into an order; the ordinals of the API are places in that list. What belongs to the device itself, its UUID
 * and its PCI bus, follows its number among all of them.
 *
 * How the list is read, down to words like "1a", is what NVIDIA's driver 580 did with two H200. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "driver/driver.h"
#include "driver/identity.h"

CUdevice device_now(void)
{
    const CUcontext ctx = ctx_current();
    return ctx ? ctx->device : 0;
}

/* ---- identities ---- */

static CUuuid uuid_of(unsigned number)
{
    CUuuid u;
    u8 bytes[UUID_BYTES];
    identity_uuid(drv.gpu.id, number, bytes);
    memcpy(u.bytes, bytes, sizeof u.bytes);
    return u;
}

/* ---- the list ---- */

static bool is_uuid(const char *word) { return strncmp(word, "GPU-", 4) == 0; }

/* The device whose UUID begins with the word; what follows a whole UUID does not matter. -1: none, or several. */
static int by_uuid(const char *word, unsigned devices)
{
    const size_t all = strcspn(word, ","), n = all < UUID_TEXT - 1 ? all : UUID_TEXT - 1;
    int found = -1;
    for (unsigned i = 0; i < devices; i++) {
        char text[UUID_TEXT];
        identity_uuid_text(drv.gpu.id, i, text);
        if (strncasecmp(text, word, n) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

/* Digits that the word begins with, behind spaces and a sign; -1: no device. */
static int by_number(const char *word, unsigned devices)
{
    char *end;
    const long number = strtol(word, &end, 10);
    return end != word && number >= 0 && number < (long)devices ? (int)number : -1;
}

static bool listed(unsigned number)
{
    for (unsigned i = 0; i < drv.ndevices; i++)
        if (drv.devices[i].number == number)
            return true;
    return false;
}

/* The list has numbers or UUIDs, as its first word; the first word that is no device ends it. */
static CUresult choose(const char *list, unsigned devices)
{
    const bool uuids = is_uuid(list);
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        if (uuids && !is_uuid(word))
            break;
        const int number = uuids ? by_uuid(word, devices) : by_number(word, devices);
        if (number < 0)
            break;
        if (listed((unsigned)number)) {
            drv_log("CUDA_VISIBLE_DEVICES=%s has a device twice", list);
            return CUDA_ERROR_INVALID_DEVICE;
        }
        drv.devices[drv.ndevices++].number = (unsigned)number;
    }
    if (!drv.ndevices)
        drv_log("CUDA_VISIBLE_DEVICES=%s shows none of the %u device%s", list, devices, devices == 1 ? "" : "s");
    return drv.ndevices ? CUDA_SUCCESS : CUDA_ERROR_NO_DEVICE;
}

CUresult devices_find(void)
{
    const unsigned devices = (unsigned)drv.settings.devices;
    const char *list = drv.settings.visible_devices;
    LS_BUG_ON(devices > MEM_DEVICES);
    drv.ndevices = 0;
    if (list)
        return choose(list, devices);
    for (; drv.ndevices < devices; drv.ndevices++)
        drv.devices[drv.ndevices].number = drv.ndevices;
    return CUDA_SUCCESS;
}

/* ---- entry points ---- */

CUresult impl_cuDeviceGetCount(int *count)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    *count = (int)drv.ndevices;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    if (!uuid)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    *uuid = uuid_of(drv.devices[dev].number);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev) { return impl_cuDeviceGetUuid(uuid, dev); }

enum { PCI_TEXT = sizeof "0000:00:00.0" };

/* Each device has a bus of its own. */
CUresult impl_cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    if (!pciBusId || len < PCI_TEXT)
        return CUDA_ERROR_INVALID_VALUE;
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    snprintf(pciBusId, PCI_TEXT, "0000:%02X:00.0", drv.devices[dev].number & 0xff);
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    if (!dev || !pciBusId)
        return CUDA_ERROR_INVALID_VALUE;
    bool full = sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &device, &function) >= 3;
    if (!full && sscanf(pciBusId, "%x:%x.%x", &bus, &device, &function) < 2)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < drv.ndevices && !domain && !device && !function; i++) {
        if (drv.devices[i].number == bus) {
            *dev = (CUdevice)i;
            return CUDA_SUCCESS;
        }
    }
    return CUDA_ERROR_INVALID_DEVICE;
}
