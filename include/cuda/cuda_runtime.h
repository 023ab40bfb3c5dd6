/* cuda_runtime.h - what `lockstep cc`, like nvcc, includes in front of every .cu file: the runtime's API with its C++
 * templates, and in CUDA C++ the device's built-in variables and functions.
 *
 * The device half comes from clang's own headers where these have it; its order is that of clang's wrapper for a
 * toolkit's headers (__clang_cuda_runtime_wrapper.h). Plain C and C++ files get the API only. */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#if defined(__CUDA__) && defined(__clang__)
#include "lockstep/before.h"
#endif

#include "host_config.h"
#include "host_defines.h"

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "driver_functions.h"
#include "library_types.h"
#include "vector_functions.h"

#ifdef __cplusplus
#include "lockstep/runtime_templates.h"
#endif

#if defined(__CUDA__) && defined(__clang__)
#include "lockstep/device.h"
#endif

#endif
