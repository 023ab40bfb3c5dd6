/* graph_params.h - parameters of nodes, from the runtime API's structures to the driver's and back. */
#ifndef LS_RUNTIME_GRAPH_PARAMS_H
#define LS_RUNTIME_GRAPH_PARAMS_H

#include "runtime/runtime.h"

/* Where a copy of `count` bytes in a variable begins. */
struct symbol_place {
    const void *symbol;
    size_t offset;
};

cudaError_t kernel_params(const struct cudaKernelNodeParams *p, CUDA_KERNEL_NODE_PARAMS *out);
cudaError_t memset_params(const struct cudaMemsetParams *p, CUDA_MEMSET_NODE_PARAMS *out);
cudaError_t memcpy_params_1d(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, CUDA_MEMCPY3D *out);
cudaError_t memcpy_params_to(struct symbol_place dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                             CUDA_MEMCPY3D *out);
cudaError_t memcpy_params_from(void *dst, struct symbol_place src, size_t count, enum cudaMemcpyKind kind,
                               CUDA_MEMCPY3D *out);
cudaError_t node_params(const struct cudaGraphNodeParams *p, CUgraphNodeParams *out);

#endif
