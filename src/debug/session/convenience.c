/* convenience.c - $names that are the debugger's own: the values that were printed ($1, $2, ..., $ the last, $$ the one
 * before, $$n the n-th before it), and $tick. */
#include <stdlib.h>
#include <string.h>

#include "debug/session/internal.h"

enum { KEPT_BYTES = 65536 };

/* The value's own bytes, as long as the session. */
u32 convenience_keep(struct session *s, struct debug_context *c, struct debug_value v)
{
    if (!v.type || !v.type->size || v.type->size > KEPT_BYTES || !debug_value_fetch(c, &v) || debug_value_lost(&v))
        return 0;
    u8 *bytes = arena_alloc(&s->mem, v.type->size);
    memcpy(bytes, v.bytes, v.type->size);
    vec_push(&s->mem, &s->values, ((struct kept_value){v.type, bytes}));
    return s->values.len;
}

/* 1 + where it is in the list; 0: the name is none of these. */
static u32 kept_number(const struct session *s, const char *name)
{
    char *end;
    const bool back = name[0] == '$';
    const unsigned long n = strtoul(name + back, &end, 10);
    if (*end || strspn(name + back, "0123456789") != strlen(name + back))
        return 0;
    if (!back && *name)
        return n <= s->values.len ? (u32)n : 0;
    const unsigned long behind = !back ? 0 : name[1] ? n : 1;
    return behind < s->values.len ? s->values.len - (u32)behind : 0;
}

bool convenience_value(void *self, const char *name, struct debug_value *out)
{
    struct session *s = self;
    struct debug_context c = {.mem = &s->stop_mem};
    const struct session_module *m = session_module_here(s);
    if (m && strcmp(name, "tick") == 0 && s->stop_message) {
        *out = debug_value_number(&c, debug_type_base(m->info, DEBUG_UNSIGNED, 8), s->where.tick);
        return true;
    }
    const u32 n = kept_number(s, name);
    if (!n)
        return false;
    *out = debug_value_bytes(&c, s->values.at[n - 1].type, s->values.at[n - 1].bytes);
    return true;
}

u32 session_values(const struct session *s) { return s->values.len; }
