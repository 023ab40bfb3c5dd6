/* target.c - registers and memory of the program's threads, as symbols and expressions ask for them. Answers are kept until
 * the launch goes on: a register's has all 32 lanes. */
#include <stdio.h>
#include <string.h>

#include "debug/session/internal.h"

/* Lanes that are in the focus's call together share its answers. */
static json_t *thread_words(const struct session *s, const struct debug_thread *t)
{
    const struct session_focus *f = &s->focus;
    u32 lane = t->lane;
    for (u32 k = 0; k < s->nframes; k++)
        if (s->frames[k].call == t->frame && s->frames[k].lanes >> t->lane & 1)
            lane = f->lane;
    return json_pack("{s:I, s:I, s:I, s:I}", "block", (json_int_t)f->block, "warp", (json_int_t)f->warp, "lane",
                     (json_int_t)lane, "frame", (json_int_t)t->frame);
}

static const json_t *one_register(struct session *s, const struct debug_thread *t, const char *name)
{
    json_t *q = thread_words(s, t);
    json_object_set_new(q, "names", json_pack("[s]", name));
    return json_array_get(json_object_get(client_ask_cached(s, "registers", q), "registers"), 0);
}

static enum ls_status read_register(void *self, const struct debug_thread *t, const struct ptx_var *reg, void *to)
{
    struct session *s = self;
    const json_t *r = one_register(s, t, reg->name), *lane = json_array_get(json_object_get(r, "lanes"), t->lane);
    if (!lane)
        return LS_ERR_NOT_FOUND;
    const u32 bits = ptx_type_bits((enum ptx_type)reg->type);
    if (bits > 64)
        return text_bytes(json_string_value(lane), to, bits / 8) ? LS_OK : LS_ERR_NOT_FOUND;
    const u64 value = text_u64(lane);
    memcpy(to, &value, bits < 8 ? 1 : bits / 8);
    return LS_OK;
}

static enum ls_status write_register(void *self, const struct debug_thread *t, const struct ptx_var *reg,
                                     const void *from)
{
    struct session *s = self;
    const u32 bits = ptx_type_bits((enum ptx_type)reg->type);
    u64 value = 0;
    char text[32];
    if (bits > 64)
        return LS_ERR_UNSUPPORTED;
    memcpy(&value, from, bits < 8 ? 1 : bits / 8);
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    json_t *q = thread_words(s, t);
    json_object_set_new(q, "name", json_string(reg->name));
    json_object_set_new(q, "value", json_string(text));
    json_object_set_new(q, "mask", json_integer((json_int_t)1 << t->lane));
    const bool ok = client_ask(s, "set_register", q) != NULL;
    json_object_clear(s->cache);
    return ok ? LS_OK : LS_ERR_NOT_FOUND;
}

static json_t *memory_words(struct session *s, const struct debug_thread *t, enum ptx_space space, u64 address)
{
    char text[32];
    json_t *q = thread_words(s, t);
    if (space == SPACE_GLOBAL || space == SPACE_CONST || space == SPACE_SHARED)
        json_object_set_new(q, "lane", json_integer(s->focus.lane));
    else
        json_object_set_new(q, "lane", json_integer(t->lane));
    if (!s->where.in_warp)
        json_object_clear(q);
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)address);
    json_object_set_new(q, "space", json_string(space_word(space)));
    json_object_set_new(q, "address", json_string(text));
    return q;
}

static enum ls_status read_memory(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, void *to,
                                  u64 len)
{
    enum { PIECE = 1 << 19 };
    struct session *s = self;
    for (u64 at = 0; at < len; at += PIECE) {
        const u64 n = len - at < PIECE ? len - at : PIECE;
        json_t *q = memory_words(s, t, space, address + at);
        json_object_set_new(q, "size", json_integer((json_int_t)n));
        const json_t *a = client_ask_cached(s, "read", q);
        if (!a || !json_is_true(json_object_get(a, "complete")) ||
            !text_bytes(member_text(a, "data"), (u8 *)to + at, n))
            return LS_ERR_INVALID;
    }
    return LS_OK;
}

static enum ls_status write_memory(void *self, const struct debug_thread *t, enum ptx_space space, u64 address,
                                   const void *from, u64 len)
{
    struct session *s = self;
    char *text = arena_alloc(&s->stop_mem, 2 * len + 1);
    for (u64 k = 0; k < len; k++)
        snprintf(text + 2 * k, 3, "%02x", ((const u8 *)from)[k]);
    json_t *q = memory_words(s, t, space, address);
    json_object_set_new(q, "data", json_string(text));
    const bool ok = client_ask(s, "write", q) != NULL;
    json_object_clear(s->cache);
    return ok ? LS_OK : LS_ERR_INVALID;
}

static enum ls_status address_of(void *self, const struct debug_thread *t, const struct ptx_var *var, u64 *address)
{
    struct session *s = self;
    json_t *q = thread_words(s, t);
    json_object_set_new(q, "name", json_string(var->name));
    const json_t *a = client_ask_cached(s, "variable", q);
    *address = member_u64(a, "address", 0);
    return a ? LS_OK : LS_ERR_NOT_FOUND;
}

static enum ls_status generic(void *self, const struct debug_thread *t, enum ptx_space space, u64 address, u64 *out)
{
    struct session *s = self;
    const json_t *a = client_ask_cached(s, "generic", memory_words(s, t, space, address));
    *out = member_u64(a, "address", 0);
    return a ? LS_OK : LS_ERR_NOT_FOUND;
}

static enum ls_status special(void *self, const struct debug_thread *t, enum ptx_sreg sreg, char comp, u64 *value)
{
    struct session *s = self;
    char name[64];
    json_t *q = thread_words(s, t);
    snprintf(name, sizeof name, comp ? "%s.%c" : "%s", ptx_sreg_rows[sreg].name, comp);
    json_object_set_new(q, "names", json_pack("[s]", name));
    const json_t *lanes = json_object_get(client_ask_cached(s, "specials", q), name);
    *value = (u64)json_integer_value(json_array_get(lanes, t->lane));
    return lanes ? LS_OK : LS_ERR_NOT_FOUND;
}

void target_init(struct session *s)
{
    s->target = (struct debug_target){s,          read_register, write_register, read_memory, write_memory,
                                      address_of, generic,       special};
}
