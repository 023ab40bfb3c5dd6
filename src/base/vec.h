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

/* Room for more elements of a vector that is full; `at` is where its pointer is. False: no memory. */
static inline bool vec_grow(struct arena *a, void *at, u32 len, u32 *cap, size_t size)
{
    const u32 more = *cap ? *cap * 2 : 8;
    void *from, *to = arena_try(a, size * more);
    if (!to)
        return false;
    memcpy(&from, at, sizeof from);
    if (len)
        memcpy(to, from, size * len);
    memcpy(at, &to, sizeof to);
    *cap = more;
    return true;
}

#define vec_room(arena, v) ((v)->len < (v)->cap || vec_grow((arena), &(v)->at, (v)->len, &(v)->cap, sizeof(*(v)->at)))

#define vec_push(arena, v, x)                                                                                          \
    do {                                                                                                               \
        if (!vec_room((arena), (v)))                                                                                   \
            arena_out_of_memory(arena);                                                                                \
        (v)->at[(v)->len++] = (x);                                                                                     \
    } while (0)

#endif
