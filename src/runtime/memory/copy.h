/* copy.h - what copies share: the driver's three-dimensional copy, filled in side by side. */
#ifndef LS_RUNTIME_COPY_H
#define LS_RUNTIME_COPY_H

#include "runtime/runtime.h"

struct copy_when {
    bool async;
    cudaStream_t stream;
};

#define COPY_NOW ((struct copy_when){false, NULL})
#define COPY_IN(stream) ((struct copy_when){true, (stream)})

cudaError_t copy_kind(enum cudaMemcpyKind kind); /* cudaErrorInvalidMemcpyDirection: there is no such kind */
void copy_from_linear(CUDA_MEMCPY3D *c, const void *src, size_t pitch, size_t rows, enum cudaMemcpyKind kind);
void copy_to_linear(CUDA_MEMCPY3D *c, void *dst, size_t pitch, size_t rows, enum cudaMemcpyKind kind);
cudaError_t copy_run(const CUDA_MEMCPY3D *c, const struct copy_when *when); /* nothing to copy is no error */

/* The driver's form of a copy, also for graphs' nodes. */
cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

#endif
