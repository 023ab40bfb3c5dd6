/* jit.h - the options of module loading and linking: log buffers, and the rest, which are accepted without effect. */
#ifndef LS_DRIVER_JIT_H
#define LS_DRIVER_JIT_H

#include <time.h>

#include "driver/driver.h"

struct jit {
    char *error_log, *info_log;
    size_t error_room, info_room, error_used;
    void **values;                        /* the caller's, where sizes and times are written back */
    int error_size, info_size, wall_time; /* indexes into values, or -1 */
    struct timespec started;
};

/* CUDA_ERROR_INVALID_VALUE when the arrays are missing. */
CUresult jit_begin(struct jit *j, unsigned n, const CUjit_option *options, void **values);
/* A message: into the error log buffer, or to stderr when the caller gave none. */
void jit_error(struct jit *j, CUresult r, const char *text);
/* Writes used sizes and the time back. */
void jit_end(struct jit *j);

/* module.c */
struct image;
char *file_read(const char *path, size_t *size);
CUresult module_check(const struct image *img, struct jit *jit); /* does it load? */

#endif
