/* flight.h - bulk copies (PTX ISA 9.7.9.25.4, .5), st.async and red.async between their instruction and the moment at which
 * they are done. Internal to exec/.
 *
 * A copy is done as late as a program that waits for it allows: when a thread asks for the phase of the mbarrier at which
 * its bytes arrive and that is not over, when its thread waits for its group, or when the block has ended or cannot run
 * otherwise. So what reads its destination too early finds what was there before, and what overwrites its source too early
 * is copied instead. Addresses are checked, and instruments told, when it is issued.
 *
 * Each block has a list of the copies that its threads issued. */
#ifndef LS_EXEC_FLIGHT_H
#define LS_EXEC_FLIGHT_H

#include "exec/sync/cluster.h"
#include "exec/sync/tensor.h"
#include "ir/async.h"

enum { FLIGHT_UNIT = 16, FLIGHT_VALUES = 16 };

struct copy {
    const struct ir_bulk *what;
    const struct ir_func *func; /* and the instruction in it */
    const struct ir_inst *pc;
    u32 warp, lane; /* who issued it */
    u32 group;      /* BULK_OUT: of its thread */
    u32 bytes, mask;
    bool left_out; /* a finding was made of it: memory stays as it is */
    u8 type;       /* enum ptx_type of the elements of a reduction */
    u8 *to, *from; /* of a tensor: the shared side alone */
    u8 *shared;    /* a tensor's box is in this shared memory */
    u64 end;       /* of the allocation that the tensor's last row is in; 0: not known */
    u8 *barrier;   /* at which its bytes arrive, or NULL */
    union {
        struct tensor_box box;
        u8 values[FLIGHT_VALUES];
    };
};

/* Starts a copy; false after a fault. */
bool flight_start(struct warp *w, const struct copy *c);
/* Does the copies whose bytes arrive at the mbarrier, of all blocks of the cluster; false after a fault. */
bool flight_land_at(struct warp *w, const u8 *barrier);
/* Does what the block's threads have issued. True: there was something. */
bool flight_land_all(struct block *b);

#endif
