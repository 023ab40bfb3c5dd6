/* stalls.h - why a warp does not issue: the rows of stalls.def. */
#ifndef LS_MODEL_REPLAY_STALLS_H
#define LS_MODEL_REPLAY_STALLS_H

enum stall_reason {
#define STALL(id, name, text) STALL_##id,
#include "model/replay/stalls.def"
#undef STALL
    STALL_COUNT
};

#endif
