/* vec.h - a growing array of T in an arena (no free; it dies with the arena).
 *
 *     VEC(struct ir_block) blocks = {0};
 *     vec_push(&arena, &blocks, b);        blocks.at[i], blocks.len
 */
#ifndef LS_BASE_VEC_H
#define LS_BASE_VEC_H

#include <string.h>

#include "base/arena.h"

#define VEC(T)                                                                                                         \
    struct {                                                                                                           \
        T *at;                                                                                                         \
        u32 len, cap;                                                                                                  \
    }

#define vec_push(arena, v, x)                                                                                          \
    do {                                                                                                               \
        if ((v)->len == (v)->cap) {                                                                                    \
            u32 cap_ = (v)->cap ? (v)->cap * 2 : 8;                                                                    \
            void *to_ = arena_alloc((arena), sizeof(*(v)->at) * cap_);                                                 \
            if ((v)->len)                                                                                              \
                memcpy(to_, (v)->at, sizeof(*(v)->at) * (v)->len);                                                     \
            (v)->at = to_;                                                                                             \
            (v)->cap = cap_;                                                                                           \
        }                                                                                                              \
        (v)->at[(v)->len++] = (x);                                                                                     \
    } while (0)

#endif
