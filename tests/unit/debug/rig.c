#include "rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"

static enum ls_status read_register(void *self, const struct debug_thread *t, const struct ptx_var *reg, void *to)
{
    const struct rig *r = self;
    (void)t;
    for (u32 k = 0; k < r->nregisters; k++)
        if (r->registers[k].var == reg) {
            memcpy(to, r->registers[k].bytes, 8);
            return LS_OK;
        }
    return LS_ERR_NOT_FOUND;
}

static enum ls_status write_register(void *self, const struct debug_thread *t, const struct ptx_var *reg,
                                     const void *from)
{
    struct rig *r = self;
    u64 value;
    (void)t;
    memcpy(&value, from, sizeof value);
    rig_set_register(r, reg->name, value);
    return LS_OK;
}

static bool inside(u64 address, u64 len) { return address <= RIG_MEMORY && len <= RIG_MEMORY - address; }

static enum ls_status read_memory(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, void *to,
                                  u64 len)
{
    const struct rig *r = self;
    (void)t;
    if (!inside(address, len))
        return LS_ERR_INVALID;
    memcpy(to, r->memory[space] + address, len);
    return LS_OK;
}

static enum ls_status write_memory(void *self, const struct debug_thread *t, enum ptx_space space, u64 address,
                                   const void *from, u64 len)
{
    struct rig *r = self;
    (void)t;
    if (!inside(address, len))
        return LS_ERR_INVALID;
    memcpy(r->memory[space] + address, from, len);
    return LS_OK;
}

static enum ls_status address_of(void *self, const struct debug_thread *t, const struct ptx_var *var, u64 *address)
{
    const struct rig *r = self;
    (void)t;
    *address = var->space == SPACE_PARAM ? var->offset : 0;
    for (u32 k = 0; k < r->nvariables; k++)
        if (r->variables[k].var == var)
            *address = r->variables[k].address;
    return LS_OK;
}

/* Spaces lie behind each other. */
static enum ls_status generic(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, u64 *out)
{
    (void)self;
    (void)t;
    *out = address + (u64)space * RIG_MEMORY;
    return LS_OK;
}

static enum ls_status special(void *self, const struct debug_thread *t, enum ptx_sreg sreg, char comp, u64 *value)
{
    (void)self;
    *value = sreg == SREG_tid ? (comp == 'x' ? t->lane : 0) : sreg == SREG_ntid ? (comp == 'x' ? 32 : 1) : 7;
    return LS_OK;
}

static void open_module(struct rig *r, const char *text, size_t len, const char *name)
{
    memset(r, 0, sizeof *r);
    diag_init(&r->diags);
    r->mem.name = "test";
    if (ptx_parse(text, len, name, &r->m, &r->diags) != LS_OK)
        fail_msg("%s", diag_text(&r->diags));
    assert_int_equal(debug_info_open(r->m, &r->info, &r->diags), LS_OK);
    if (setjmp(r->mem.oom) || setjmp(debug_info_memory(r->info)->oom))
        abort();
    r->target = (struct debug_target){r,          read_register, write_register, read_memory, write_memory,
                                      address_of, generic,       special};
    r->c = (struct debug_context){.info = r->info, .target = &r->target, .mem = &r->mem, .may_write = true};
    r->c.thread.lane = 3;
}

void rig_open_text(struct rig *r, const char *text) { open_module(r, text, strlen(text), "test.ptx"); }

void rig_open(struct rig *r, const char *file)
{
    char path[256];
    snprintf(path, sizeof path, "tests/unit/debug/ptx/%s", file);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    char *text = ls_realloc(NULL, 1 << 20);
    const size_t n = fread(text, 1, 1 << 20, f);
    fclose(f);
    open_module(r, text, n, file);
    ls_free(text);
}

void rig_close(struct rig *r)
{
    debug_info_close(r->info);
    ptx_free(r->m);
    arena_free(&r->mem);
    diag_free(&r->diags);
}

void rig_at_line(struct rig *r, u32 line)
{
    const struct debug_place *places;
    u32 found;
    assert_int_not_equal(debug_line_places(r->info, r->m->files[1], line, &places, &found), 0);
    assert_int_equal(found, line);
    r->c.at = places[0];
}

void rig_set_register(struct rig *r, const char *name, u64 value)
{
    const struct ptx_var *var = debug_register(r->info, r->c.at.func, name);
    assert_non_null(var);
    u32 k = 0;
    while (k < r->nregisters && r->registers[k].var != var)
        k++;
    assert_true(k < RIG_REGISTERS);
    r->registers[k].var = var;
    memcpy(r->registers[k].bytes, &value, sizeof value);
    r->nregisters += k == r->nregisters;
}

u64 rig_register(struct rig *r, const char *name)
{
    u64 value = 0;
    u8 bytes[DEBUG_REGISTER_BYTES] = {0};
    assert_int_equal(read_register(r, NULL, debug_register(r->info, r->c.at.func, name), bytes), LS_OK);
    memcpy(&value, bytes, sizeof value);
    return value;
}

static const struct ptx_var *find_variable(struct rig *r, const char *name)
{
    const struct ptx_var *v = debug_module_variable(r->info, name);
    for (u32 f = 0; f < r->m->nfuncs && !v; f++)
        for (u32 k = 0; k < r->m->funcs[f]->nlocals && !v; k++)
            if (strcmp(r->m->funcs[f]->locals[k]->name, name) == 0)
                v = r->m->funcs[f]->locals[k];
    return v;
}

void rig_place(struct rig *r, const char *ptx_name, u64 address)
{
    const struct ptx_var *v = find_variable(r, ptx_name);
    assert_non_null(v);
    r->variables[r->nvariables].var = v;
    r->variables[r->nvariables++].address = address;
}

void rig_write(struct rig *r, enum ptx_space space, u64 address, const void *bytes, u64 len)
{
    assert_int_equal(write_memory(r, NULL, space, address, bytes, len), LS_OK);
}

const char *rig_print_as(struct rig *r, const char *expression, char letter)
{
    const struct debug_format f = {.letter = letter, .top_type = true};
    struct debug_value v;
    return debug_evaluate_text(&r->c, expression, &v) ? debug_value_text(&r->c, v, &f) : r->c.error;
}

const char *rig_print(struct rig *r, const char *expression) { return rig_print_as(r, expression, 0); }
