/* value.h - values of one thread of a program that is being debugged: where they are, what they are, and as text.
 *
 * A value in memory is read when its bytes are wanted, so that an element of a large array costs an element. */
#ifndef LS_DEBUG_INFO_VALUE_H
#define LS_DEBUG_INFO_VALUE_H

#include "debug/info/info.h"
#include "debug/info/target.h"

struct debug_value;

/* Whose values, and what they cost: everything is allocated in mem, which needs a recovery point. */
struct debug_context {
    struct debug_info *info;
    const struct debug_target *target;
    struct debug_thread thread;
    struct debug_place at; /* where that call of the thread is */
    u32 frame;             /* which of debug_frames there */
    struct arena *mem;
    bool may_write; /* assignments are allowed */
    bool any_type;  /* what is evaluated is the operand of &: a variable whose type is not known will do */
    /* $name of the debugger itself, such as $1; NULL: there are none. False: no such name. */
    bool (*convenience)(void *self, const char *name, struct debug_value *out);
    void *convenience_self;
    const char *error; /* set by what returns false: a sentence as gdb says it */
};

enum debug_place_kind { DEBUG_NOWHERE, DEBUG_IN_MEMORY, DEBUG_IN_PIECES };

struct debug_value {
    const struct debug_type *type; /* NULL: void */
    u8 where;                      /* enum debug_place_kind: what an assignment changes */
    u8 space;                      /* enum ptx_space */
    u64 address;
    struct debug_location location; /* DEBUG_IN_PIECES */
    u64 at;                         /* of the value inside it */
    u32 bits, bit;                  /* a bit-field: width, and lowest bit */
    u8 *bytes;                      /* type->size of them; NULL: not read yet */
    u8 *lost;                       /* beside them: this byte is optimised out; NULL: none is */
    bool unreadable;                /* the memory could not be read */
};

struct debug_value debug_value_of(struct debug_context *c, const struct debug_variable *v);
struct debug_value debug_value_in_memory(const struct debug_type *t, enum ptx_space space, u64 address);
struct debug_value debug_value_bytes(struct debug_context *c, const struct debug_type *t, const void *bytes);
struct debug_value debug_value_number(struct debug_context *c, const struct debug_type *t, u64 bits);
struct debug_value debug_value_register(struct debug_context *c, const struct ptx_var *reg);
/* A part of a value: a member, an element, or the same bytes as another type. */
struct debug_value debug_value_part(struct debug_context *c, const struct debug_value *v, const struct debug_type *t,
                                    u64 offset);
struct debug_value debug_value_member(struct debug_context *c, const struct debug_value *v,
                                      const struct debug_member *m);

/* Reads the bytes. False: optimised out or not accessible, with the error. */
bool debug_value_fetch(struct debug_context *c, struct debug_value *v);
/* Changes what the value is a name of; bytes as many as its type has. */
bool debug_value_store(struct debug_context *c, const struct debug_value *v, const void *bytes);

/* Of values that have been fetched. */
bool debug_value_lost(const struct debug_value *v);
u64 debug_value_bits(const struct debug_value *v); /* of up to 8 bytes, extended by the sign of their type */
f64 debug_value_float(const struct debug_value *v);
bool debug_is_signed(const struct debug_type *t);

bool debug_fail(struct debug_context *c, const char *fmt, ...) LS_PRINTF(2, 3); /* sets the error; false */

/* ---- text ---- */

struct debug_format {
    char letter;   /* x d u o t c f a z s, or 0: as the type says */
    u32 elements;  /* of arrays and strings; 0: 200 */
    u32 repeats;   /* from so many equal elements on they are counted; 0: 10 */
    bool top_type; /* a pointer is written with its type */
};

/* The value as gdb prints it; what cannot be read is said in its place. */
const char *debug_value_text(struct debug_context *c, struct debug_value v, const struct debug_format *f);

#endif
