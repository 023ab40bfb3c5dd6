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
    BULK_IN,   /* global to shared, then bytes arrive at an mbarrier */
    BULK_OWN,  /* shared to shared of a block of the cluster, which is this one */
    BULK_OUT,  /* shared to global */
    BULK_FILL, /* st.bulk: zeros to shared */
};

struct ir_bulk {
    u8 kind;        /* enum ir_bulk_kind */
    bool is_masked; /* BULK_OUT with .cp_mask */
    bool multicast; /* BULK_IN: to every block of the cluster whose rank is a bit of `ranks`, and its mbarrier */
    struct ir_address to, from, barrier;
    u32 bytes; /* u32 lanes; BULK_FILL: u64 lanes */
    u32 mask;  /* u32 lanes of cp_mask */
    u32 ranks; /* u32 lanes */
};

#endif
