/* async.h - what the records of mbarrier instructions (PTX ISA 9.7.13.15) and of bulk copies (9.7.9.25.4) point to:
 * made by emit_async.c, read by exec/sync/mbarrier.c and exec/sync/bulk.c. All places are byte offsets of slots from regs. */
#ifndef LS_IR_ASYNC_H
#define LS_IR_ASYNC_H

#include "base/base.h"

/* An address of 32 lanes: register + offset, or the offset alone. */
struct ir_address {
    u32 slot;
    u32 flags; /* IR_ADDR32, IR_ADDR_CONST */
    i64 offset;
    bool generic; /* else an offset in the block's shared memory, or a device address */
};

enum ir_mbarrier_op {
    MBARRIER_INIT,
    MBARRIER_INVAL,
    MBARRIER_EXPECT,
    MBARRIER_COMPLETE,
    MBARRIER_ARRIVE,
    MBARRIER_DROP,
    MBARRIER_COPIES, /* cp.async.mbarrier.arrive */
    MBARRIER_WAIT,   /* test_wait and try_wait */
};

struct ir_mbarrier {
    u8 op;            /* enum ir_mbarrier_op */
    bool parity;      /* WAIT: the phase is given by its parity, not by a state */
    bool no_complete; /* ARRIVE, DROP: must not be the last */
    bool transaction; /* ARRIVE, DROP: value is bytes to expect, the count is 1 */
    bool noinc;       /* COPIES */
    bool relaxed;     /* orders nothing */
    struct ir_address at;
    u32 value;  /* u32 lanes: count, bytes or parity; WAIT by state: u64 lanes */
    u32 result; /* ARRIVE, DROP: u64 lanes of the state; WAIT: a predicate */
};

enum ir_bulk_kind {
    BULK_IN,    /* global to shared, then bytes arrive at an mbarrier */
    BULK_OWN,   /* shared to shared of a block of the cluster, then bytes arrive at an mbarrier there */
    BULK_OUT,   /* shared to global */
    BULK_VALUE, /* st.async, red.async: registers to shared memory of a block of the cluster, and its mbarrier */
    BULK_FILL,  /* st.bulk: zeros to shared */
    BULK_AHEAD, /* global to L2: touches nothing */
};

struct ir_bulk {
    u8 kind;        /* enum ir_bulk_kind */
    bool is_masked; /* BULK_OUT with .cp_mask */
    bool multicast; /* BULK_IN: to every block of the cluster whose rank is a bit of `ranks`, and its mbarrier */
    bool is_tensor; /* the global side is an element of a tensor: the address is that of its map */
    bool is_im2col;
    u8 rank;    /* coordinates */
    u16 op;     /* enum ptx_mod of a reduction, or 0 */
    u8 type;    /* enum ptx_type of its elements; a tensor's are what its map says */
    u8 nvalues; /* BULK_VALUE */
    u8 value_bytes;
    struct ir_address to, from, barrier;
    u32 bytes;      /* u32 lanes; BULK_FILL: u64 lanes */
    u32 mask;       /* u32 lanes of cp_mask */
    u32 ranks;      /* u32 lanes */
    u32 at[5];      /* i32 lanes: coordinates, the innermost first */
    u32 offsets[3]; /* u32 lanes of 16 bits: is_im2col, of W, H, D */
    u32 values[4];  /* u32 or u64 lanes */
};

/* tensormap.replace (9.7.9.26.1), and tensormap.cp_fenceproxy (9.7.13.15.18). */
struct ir_tensor_map {
    u16 field;               /* enum ptx_mod; 0: a copy of the whole map */
    u8 number;               /* the field's, of those that there is one of in each dimension */
    bool is_shared, is_wide; /* value: u64 lanes */
    struct ir_address at, from;
    u32 value;
};

#endif
