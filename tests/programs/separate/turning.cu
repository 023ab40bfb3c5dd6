/* turning.cu - a function that other files call, by name and through a variable. */
#include <cuda_runtime.h>

#include "shapes.h"

static __device__ int same_name = 5;

__device__ point turn(point p, int eighths)
{
    const float h = 0.70710678f;
    for (int i = 0; i < eighths; i++)
        p = {h * (p.x - p.y), h * (p.x + p.y)};
    return p;
}

__device__ point stretch(point p, int by)
{
    return {p.x * (by + same_name), p.y};
}

__device__ movement current = stretch;
