/* bodies.h - the tables of op bodies, one for each instruction-set level, and the look-up by name.
 *
 * A body's name is made by ir/body_name.c from the PTX instruction: the opcode, then the modifiers that matter in the
 * order written, then the types, joined by '_' ("add_ftz_f32", "mul_wide_s32", "cvt_rn_f32_s32", "setp_lt_u32",
 * "ld_global_b32"). Modifiers that change nothing the engine computes are left out; body_name.c documents which.
 *
 * The linker gathers a level's entries (lanes.h, OP) into one array; traced bodies stand in a second one and replace
 * the fast body of the same name in traced code. */
#ifndef LS_EXEC_BODIES_H
#define LS_EXEC_BODIES_H

#include "exec/exec.h"

struct body {
    const char *name;
    ir_body run;
};

/* The body of that name, or NULL: for the best level, for another one, and with weak memory (bodies_weak.c). */
ir_body bodies_find(const char *name, enum ir_mode mode);
ir_body bodies_find_isa(enum exec_isa isa, const char *name, enum ir_mode mode);
ir_body bodies_find_weak(enum exec_isa isa, const char *name, enum ir_mode mode);
/* The name of a body of that level, fast or traced, or NULL: it is none. Looks through them all. */
const char *bodies_name_of(enum exec_isa isa, ir_body run);
/* Every name that has a body (n-th, NULL past the last), for the tests that walk the table. */
const char *bodies_name(unsigned n);

enum exec_isa bodies_isa(void); /* the highest level that this processor runs */
bool bodies_has_isa(enum exec_isa isa);

#endif
