/* cuda_awbarrier.h - the primitives of barriers in shared memory, and <cuda/barrier>, which has taken the place of what
 * else was here. */
#ifndef LOCKSTEP_CUDA_AWBARRIER_H
#define LOCKSTEP_CUDA_AWBARRIER_H
#include "cuda/barrier"
#include "cuda_awbarrier_primitives.h"
#endif
