/* host_memory.h - how large the device's memory is made, so that the host can back it (host_memory.c). */
#ifndef LS_DRIVER_HOST_MEMORY_H
#define LS_DRIVER_HOST_MEMORY_H

#include "base/base.h"

/* Bytes that the host has available now; UINT64_MAX: unknown. root: put in front of /proc and /sys; "" except in tests.
 */
u64 host_memory_available(const char *root);

/* What the setting device_memory (settings.h) makes of the memory of the GPU and of the host: ROOM_HOST (or 0), ROOM_GPU, or
 * bytes. */
u64 device_memory(u64 setting, u64 gpu, u64 available);

#endif
