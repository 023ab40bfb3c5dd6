/* matrix_whole.h - matrix instructions are aligned warp-wide operations: they run once, for all 32 lanes, when all have come. Lanes
 * that have parted wait for each other; that a lane has exited is a fault (exec/sync/warp_wide.c, warp_whole). So a body never
 * looks at w->mask. */
#ifndef LS_EXEC_OPS_MATRIX_WHOLE_H
#define LS_EXEC_OPS_MATRIX_WHOLE_H

#include "exec/lanes.h"
#include "exec/sched.h"

#define WHOLE_WARP()                                                                                                   \
    do {                                                                                                               \
        if (LS_UNLIKELY(w->mask != FULL_MASK)) {                                                                       \
            CALL_OUT();                                                                                                \
            if (!warp_whole(w, pc))                                                                                    \
                return NULL;                                                                                           \
        }                                                                                                              \
    } while (0)

#endif
