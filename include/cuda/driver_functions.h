/* driver_functions.h - make_cudaExtent() and its like. */
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__

#include "driver_types.h"
#include "host_defines.h"

#define LS_MAKE static __inline__ __host__ __attribute__((unused))

/* Width of a row and rows of an allocation with a pitch, all in the units that cudaMalloc3D gives: bytes and rows. */
LS_MAKE struct cudaPitchedPtr make_cudaPitchedPtr(void *d, size_t p, size_t xsz, size_t ysz)
{
    struct cudaPitchedPtr s;
    s.ptr = d;
    s.pitch = p;
    s.xsize = xsz;
    s.ysize = ysz;
    return s;
}

LS_MAKE struct cudaPos make_cudaPos(size_t x, size_t y, size_t z)
{
    struct cudaPos p;
    p.x = x;
    p.y = y;
    p.z = z;
    return p;
}

LS_MAKE struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d)
{
    struct cudaExtent e;
    e.width = w;
    e.height = h;
    e.depth = d;
    return e;
}

#undef LS_MAKE

#endif
