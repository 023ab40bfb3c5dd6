/* rig.h - symbols of PTX files, and a program that is not running: registers and memory that a test fills. */
#ifndef TEST_DEBUG_RIG_H
#define TEST_DEBUG_RIG_H

#include "debug/info/expression.h"

enum { RIG_MEMORY = 4096, RIG_REGISTERS = 256 };

struct rig {
    struct ptx_module *m;
    struct debug_info *info;
    struct arena mem;
    struct diag_list diags;
    struct debug_target target;
    struct debug_context c;
    u8 memory[16][RIG_MEMORY]; /* by enum ptx_space */
    struct {
        const struct ptx_var *var;
        u8 bytes[DEBUG_REGISTER_BYTES];
    } registers[RIG_REGISTERS];
    u32 nregisters;
    struct {
        const struct ptx_var *var;
        u64 address;
    } variables[RIG_REGISTERS];
    u32 nvariables;
};

/* Of a file in tests/unit/debug/ptx, or of a text. */
void rig_open(struct rig *r, const char *file);
void rig_open_text(struct rig *r, const char *text);
void rig_close(struct rig *r);

/* The place of a line's code; the test fails if there is none. */
void rig_at_line(struct rig *r, u32 line);
void rig_set_register(struct rig *r, const char *name, u64 value);
u64 rig_register(struct rig *r, const char *name);
/* Variables of the PTX text get addresses where the test wants them. */
void rig_place(struct rig *r, const char *ptx_name, u64 address);
void rig_write(struct rig *r, enum ptx_space space, u64 address, const void *bytes, u64 len);

/* What `print` says: the value or the error. */
const char *rig_print(struct rig *r, const char *expression);
const char *rig_print_as(struct rig *r, const char *expression, char letter);

#define assert_prints(r, expression, expected) assert_string_equal(rig_print(r, expression), expected)

#endif
