/* shapes.h - what the files of the program `separate` share. */
#ifndef SHAPES_H
#define SHAPES_H

#define POINTS 64

struct point {
    float x, y;
};

extern __constant__ float scale;             // in geometry.cu
extern __device__ int calls;                 // in geometry.cu
__device__ float norm(point p);              // in geometry.cu
__device__ point turn(point p, int eighths); // in turning.cu

typedef point (*movement)(point, int);
extern __device__ movement current; // in turning.cu

void launch_norms(const point *in, float *out, int n); // in geometry.cu

#endif
