/* identity.h - by what devices are told apart, in libcuda.so.1 and libnvidia-ml.so.1 alike: a UUID and a place on the PCI bus that
 * follow from the GPU's id and the device's number, the same in every process. */
#ifndef LS_DRIVER_IDENTITY_H
#define LS_DRIVER_IDENTITY_H

#include <stdio.h>
#include <string.h>

#include "base/base.h"

enum { UUID_BYTES = 16, UUID_TEXT = sizeof "GPU-00000000-0000-0000-0000-000000000000" };

/* "LS", the start of the GPU's id and, in the last byte, the device's number. */
static inline void identity_uuid(const char *gpu, unsigned number, u8 uuid[UUID_BYTES])
{
    memset(uuid, 0, UUID_BYTES);
    memcpy(uuid, "LS", 2);
    memcpy(uuid + 2, gpu, strnlen(gpu, UUID_BYTES - 2));
    uuid[UUID_BYTES - 1] = (u8)(uuid[UUID_BYTES - 1] ^ number);
}

/* As nvidia-smi and CUDA_VISIBLE_DEVICES have it. */
static inline void identity_uuid_text(const char *gpu, unsigned number, char text[UUID_TEXT])
{
    u8 uuid[UUID_BYTES];
    identity_uuid(gpu, number, uuid);
    char *to = text + sprintf(text, "GPU-");
    for (size_t i = 0; i < UUID_BYTES; i++)
        to += sprintf(to, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

#endif
