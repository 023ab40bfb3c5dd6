/* check.h - what the programs of this directory share: the headers, and the error check that every CUDA program has. */
#ifndef CHECK_H
#define CHECK_H

#include <assert.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error_ = (call);                                                                                   \
        if (error_ != cudaSuccess) {                                                                                   \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(error_));                                              \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A launch in clusters of so many blocks. */
template <class... Want, class... Args>
static inline void launch_clusters(int cluster, int grid, int block, void (*kernel)(Want...), Args... args)
{
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, kernel, args...));
}

#endif
