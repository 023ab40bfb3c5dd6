/* device_print.h - what printf on the device moves. Each lane of a warp's call writes its format and arguments to the host's memory, word
 * by word; the warp writes local memory, takes its place with atomics, and waits until all of it is seen by the host. An H200's
 * numbers: tests/hw/call_traffic.cu. */
#ifndef LS_MODEL_DEVICE_PRINT_H
#define LS_MODEL_DEVICE_PRINT_H

#include "base/base.h"

/* Calls, all together. */
struct device_print {
    double calls;  /* of warps */
    double stores; /* sectors that they write */
};

/* Adds so many calls of warps, by so many lanes in all; a format has so many characters and takes so many arguments. */
void device_print_add(struct device_print *p, double warps, double threads, u32 length, u32 arguments);

/* Sectors: asked for by SMs, and from one half of L2 to the other; `beside` is neither read nor written. */
struct device_print_traffic {
    u64 writes, far_writes, atoms, far_atoms, beside, beside_reads, dram_reads; /* beside_reads is a part of beside */
};
/* held: warps that an SM has at once. */
struct device_print_traffic device_print_traffic(const struct device_print *p, double held);

#endif
