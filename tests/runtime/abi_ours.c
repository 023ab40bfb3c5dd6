/* abi_ours.c - the facts by our headers. */
#include "abi.h"

#include "cuda/cuda_runtime_api.h"
#include "cuda/device_types.h"
#include "cuda/library_types.h"

#define ABI_TABLE abi_ours
#define ABI_COUNT abi_ours_count
#include "abi_table.h"
