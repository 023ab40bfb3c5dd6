/* vec.h - a growing array of T in an arena (no free; it dies with the arena).
 *
 *     VEC(struct ir_block) blocks = {0};
 *     vec_push(&arena, &blocks, b);        blocks.at[i], blocks.len
 *     if (!vec_room(&arena, &blocks)) ...  room for one more, without a recovery point; false: no memory
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

/* The elements of a vector that is full, with room for more; NULL: no memory. */
static inline void *vec_grown(struct arena *a, const void *at, u32 len, u32 *cap, size_t size)
{
    const u32 more = *cap ? *cap * 2 : 8;
    void *to = arena_try(a, size * more);
    if (!to)
        return NULL;
    if (len)
        memcpy(to, at, size * len);
    *cap = more;
    return to;
}

#define vec_room(arena, v)                                                                                             \
    ({                                                                                                                 \
        void *to_ = (v)->at;                                                                                           \
        if ((v)->len == (v)->cap && (to_ = vec_grown((arena), (v)->at, (v)->len, &(v)->cap, sizeof(*(v)->at))))        \
            (v)->at = to_;                                                                                             \
        to_ != NULL;                                                                                                   \
    })

#define vec_push(arena, v, x)                                                                                          \
    do {                                                                                                               \
        if (!vec_room((arena), (v)))                                                                                   \
            arena_out_of_memory(arena);                                                                                \
        (v)->at[(v)->len++] = (x);                                                                                     \
    } while (0)

#endif
