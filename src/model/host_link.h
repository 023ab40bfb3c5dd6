/* host_link.h - how long it takes to move bytes over the link to the host, and in the device. */
#ifndef LS_MODEL_HOST_LINK_H
#define LS_MODEL_HOST_LINK_H

#include "base/gpu.h"
#include "model/schedule.h"

/* Every rate and latency below is in the GPU's file. */
bool link_known(const struct gpu *gpu);
/* Of a call that puts work into a stream, or allocates: the host's, and the least that a kernel takes. */
double link_call_seconds(const struct gpu *gpu);
/* A copy from the host (ENGINE_HTOD) or to it (ENGINE_DTOH). */
double link_copy_seconds(const struct gpu *gpu, enum engine way, bool pageable, double bytes);
/* A copy or a fill in the device that reads and writes so many bytes together. */
double link_device_seconds(const struct gpu *gpu, double bytes);

#endif
