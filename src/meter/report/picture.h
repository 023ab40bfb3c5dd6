/* picture.h - samples of accesses for drawing: one execution of a memory instruction with each lane's address. */
#ifndef LS_METER_REPORT_PICTURE_H
#define LS_METER_REPORT_PICTURE_H

#include "exec/exec.h"

struct picture_sample {
    const struct ir_func *func;
    u32 site;
    u8 space, op, size; /* enum ptx_space; enum exec_access_op; bytes a lane */
    u32 mask;
    u64 addr[32]; /* as struct exec_access has them; only active lanes */
};

/* Hooks that keep samples and count as the meter's own. ctx: struct counter. */
void picture_block(void *ctx, const struct exec_block_info *b);
void picture_access(void *ctx, const struct exec_access *a);

#endif
