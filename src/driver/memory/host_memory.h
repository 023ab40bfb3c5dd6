/* host_memory.h - how large the device's memory is made, so that the host can back it (host_memory.c). */
#ifndef LS_DRIVER_HOST_MEMORY_H
#define LS_DRIVER_HOST_MEMORY_H

#include "base/base.h"

/* Bytes that the host could give now; UINT64_MAX: it does not say. root: in front of /proc and /sys, "" but in tests.
 */
u64 host_memory_available(const char *root);

/* What the setting LOCKSTEP_DEVICE_MEMORY makes of the memory of the GPU and of the host: "host" (or NULL), "gpu", or a
 * size with K, M, G or T. False: it is none of these, and *bytes is as for "host". */
bool device_memory(const char *setting, u64 gpu, u64 available, u64 *bytes);

#endif
