/* memcheck_shared.h - places in a block's shared memory by the names of variables. Internal. */
#ifndef LS_CHECK_MEMCHECK_SHARED_H
#define LS_CHECK_MEMCHECK_SHARED_H

#include "exec/exec.h"

/* "4 bytes after the 512-byte shared array 'tile'", of an access of `size` bytes; false: nothing can be said. */
bool memcheck_shared_describe(const struct exec_launch *l, u64 offset, u64 size, char *buf, size_t n);

#endif
