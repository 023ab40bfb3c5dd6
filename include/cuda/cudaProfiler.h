/* cudaProfiler.h - starting and stopping the collection of profiles, by the driver API. */
#ifndef __CUDA_PROFILER_H__
#define __CUDA_PROFILER_H__

#include "cuda.h"

#endif
