/* tensor_maps.h - what tensor_maps.c asks its kernel to do. */
#ifndef LS_HW_TENSOR_MAPS_H
#define LS_HW_TENSOR_MAPS_H

enum { GLOBAL_BYTES = 1 << 16, SHARED_BYTES = 1 << 15, FILLER = 0xa5 };
enum mode { TILED, IM2COL };
enum way { LOAD, STORE, ADD, MIN, MAX, INC, DEC, AND, OR, XOR, WAYS };

struct job {
    int mode, way, rank;
    int at[5], off[3];
    unsigned bytes, base; /* that will arrive; where the box begins in shared memory */
};

/* What a map is changed to (tensormap.replace). */
struct fields {
    unsigned long long address, strides[4];
    unsigned rank, dims[5], box[5], steps[5];
    int type, interleave, swizzle, fill;
};

/* A map as the driver's functions are given it. */
struct map {
    int mode, type, rank;
    unsigned long long dims[5], strides[4];
    unsigned box[5], steps[5];
    int lower[3], upper[3];
    unsigned channels, pixels;
    int interleave, swizzle, fill;
    unsigned align; /* of the address, behind 1024 */
};

#ifndef __cplusplus
/* Does the load or store in copies of the two memories, element by element as the manual says: of what is not interleaved. */
void tensor_model(const struct map *m, const struct job *j, unsigned size, unsigned char *global,
                  unsigned char *shared);
#endif

#endif
