/* target.h - what symbols and expressions ask of the program that is being debugged: the registers, memory and special
 * registers of one thread. Whoever has the program fills in the functions.
 *
 * LS_OK is the only good answer. LS_ERR_NOT_FOUND says that the value is no more (a register that is not live), which is
 * printed as <optimized out>; anything else that the memory cannot be accessed. Addresses are those of their space:
 * offsets for shared, local and param, as the engine counts them; SPACE_NONE takes generic addresses. */
#ifndef LS_DEBUG_INFO_TARGET_H
#define LS_DEBUG_INFO_TARGET_H

#include "ptx/ptx.h"

/* Whose values: a lane of the warp that is looked at, in one of its calls (0: the innermost one, inlined ones not counted). */
struct debug_thread {
    u32 lane, frame;
};

enum { DEBUG_REGISTER_BYTES = 64 }; /* the largest: a vector of four 128-bit values */

struct debug_target {
    void *self;
    /* A register of the function in that call: its bytes, little-endian; a predicate is one byte. */
    enum ls_status (*read_register)(void *self, const struct debug_thread *t, const struct ptx_var *reg, void *to);
    enum ls_status (*write_register)(void *self, const struct debug_thread *t, const struct ptx_var *reg,
                                     const void *from);
    enum ls_status (*read_memory)(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, void *to,
                                  u64 len);
    enum ls_status (*write_memory)(void *self, const struct debug_thread *t, enum ptx_space space, u64 address,
                                   const void *from, u64 len);
    /* Where a variable of the module or of the function lies, in its own space. */
    enum ls_status (*address_of)(void *self, const struct debug_thread *t, const struct ptx_var *var, u64 *address);
    /* An address of a space as a generic pointer has it. */
    enum ls_status (*generic)(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, u64 *out);
    /* comp: 'x' 'y' 'z' or 0 */
    enum ls_status (*special)(void *self, const struct debug_thread *t, enum ptx_sreg sreg, char comp, u64 *value);
};

#endif
