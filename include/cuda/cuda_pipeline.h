/* cuda_pipeline.h - the primitives of pipelines, and <cuda/pipeline>, which has taken the place of what else was here. */
#ifndef LOCKSTEP_CUDA_PIPELINE_H
#define LOCKSTEP_CUDA_PIPELINE_H
#include "cuda/pipeline"
#include "cuda_pipeline_primitives.h"
#endif
