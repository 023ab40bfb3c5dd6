/* lowered.h - lowering without an engine: every body exists, nothing is run. */
#ifndef LS_TESTS_METER_LOWERED_H
#define LS_TESTS_METER_LOWERED_H

#include <stdlib.h>
#include <string.h>

#include "ir/ir.h"

/* A body is the place of its name, so that each name has one of its own, as the verifier of lowered code expects. */
static ir_body lowered_body(void *ctx, const char *name, enum ir_mode mode)
{
    static char names[4096][48];
    (void)ctx, (void)mode;
    u32 k = 0;
    while (names[k][0] && strcmp(names[k], name) != 0)
        k++;
    if (k + 1 >= LS_ARRAY_LEN(names) || strlen(name) >= sizeof names[k])
        abort();
    strcpy(names[k], name);
    return (ir_body)(uintptr_t)names[k];
}

static bool lowered_address(void *ctx, const struct ptx_func *f, const struct ptx_var *v, u64 *address)
{
    (void)ctx, (void)f, (void)v;
    *address = 4096;
    return true;
}

static u64 lowered_handle(void *ctx, const struct ptx_func *f)
{
    (void)ctx, (void)f;
    return 1;
}

static int lowered_builtin(void *ctx, const char *name)
{
    (void)ctx, (void)name;
    return -1;
}

static const struct ir_target lowered_target = {.body = lowered_body,
                                                .var_address = lowered_address,
                                                .func_handle = lowered_handle,
                                                .builtin = lowered_builtin,
                                                .shared_window = 1ull << 32,
                                                .local_window = 1ull << 33};

#endif
