/* value_words.c - print and its like. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/debug/debug.h"

/* "/8xw ": count, letter and size; what is not there stays. False: it is none, which is told. */
bool debug_format_of(struct debug_cli *d, const char **rest, struct debug_format *f, u32 *count, char *size)
{
    const char *t = *rest;
    if (*t != '/')
        return true;
    char *end;
    const unsigned long n = strtoul(++t, &end, 10);
    if (end != t && count)
        *count = (u32)n;
    for (t = end; *t && !isspace((unsigned char)*t); t++)
        if (size && strchr("bhwg", *t))
            *size = *t;
        else if (strchr("xduotcfazsi", *t))
            f->letter = *t;
        else {
            debug_wrong(d, "Undefined output format \"%c\": there are x d u o t c f a z s.", *t);
            return false;
        }
    *rest = t + strspn(t, " ");
    return true;
}

/* ---- print ---- */

static u32 live_lanes(struct debug_cli *d)
{
    const struct session_focus *f = session_focus(d->s);
    const struct session_warp *warps;
    u32 n;
    if (!session_warps(d->s, f->block, &warps, &n))
        return 0;
    for (u32 k = 0; k < n; k++)
        if (warps[k].number == f->warp)
            return warps[k].threads & ~warps[k].exited;
    return 0;
}

/* Short values in rows of eight, as the lanes stand; long ones in lines, equal neighbours together. */
static void say_lanes(struct debug_cli *d, const char *text[32])
{
    size_t width = 0;
    for (u32 k = 0; k < 32; k++)
        width = text[k] && strlen(text[k]) > width ? strlen(text[k]) : width;
    for (u32 k = 0; k < 32 && width <= 10; k += 8) {
        char row[128];
        size_t at = 0;
        for (u32 i = k; i < k + 8; i++)
            at += (size_t)snprintf(row + at, sizeof row - at, " %*s", (int)width, text[i] ? text[i] : ".");
        debug_say(d, "lanes %2u-%-2u %s", k, k + 7, row);
    }
    for (u32 k = 0; k < 32 && width > 10; k++) {
        u32 last = k;
        while (last < 31 && text[k] && text[last + 1] && strcmp(text[k], text[last + 1]) == 0)
            last++;
        if (text[k] && last > k)
            debug_say(d, "lanes %2u-%-2u  %s", k, last, text[k]);
        else if (text[k])
            debug_say(d, "lane  %2u     %s", k, text[k]);
        k = last;
    }
}

static void print_lanes(struct debug_cli *d, const char *expression, const struct debug_format *f)
{
    const char *text[32];
    const u32 lanes = live_lanes(d);
    if (!session_print_lanes(d->s, expression, lanes, f, text)) {
        debug_failed(d);
        return;
    }
    json_t *list = json_array();
    for (u32 k = 0; k < 32; k++)
        json_array_append_new(list, text[k] ? json_string(text[k]) : json_null());
    if (d->json) {
        debug_tell(d, json_pack("{s:{s:s, s:o}}", "lanes", "expression", expression, "values", list), "%s", "");
        return;
    }
    json_decref(list);
    say_lanes(d, text);
}

void word_print(struct debug_cli *d, const char *rest)
{
    struct debug_format f = {.top_type = true};
    const char *text;
    u32 number;
    bool lanes = strncmp(rest, "-lanes", 6) == 0 && (rest[6] == ' ' || rest[6] == '/');
    if (lanes)
        rest += 6 + strspn(rest + 6, " ");
    if (!debug_format_of(d, &rest, &f, NULL, NULL))
        return;
    if (strncmp(rest, "-lanes ", 7) == 0) {
        lanes = true;
        rest += 7;
    }
    if (!*rest)
        debug_wrong(d, "Which expression?");
    else if (lanes)
        print_lanes(d, rest, &f);
    else if (!session_print_and_keep(d->s, rest, &f, &text, &number))
        debug_failed(d);
    else
        debug_tell(d,
                   json_pack("{s:{s:s, s:s, s:i}}", "print", "expression", rest, "value", text, "number", (int)number),
                   "%s = %s", rest, text);
}

/* The values that were printed, the last ten or from a number on. */
void word_show(struct debug_cli *d, const char *rest)
{
    const struct debug_format f = {.top_type = true};
    const u32 n = session_values(d->s);
    u32 from = n > 10 ? n - 9 : 1;
    if (strncmp(rest, "values", 6) != 0) {
        debug_wrong(d, "show values [FROM]: the values that were printed.");
        return;
    }
    if (rest[6])
        from = (u32)strtoul(rest + 6, NULL, 10);
    for (u32 k = from ? from : 1; k <= n && k < from + 10; k++) {
        const char *name = arena_printf(session_memory(d->s), "$%u", k), *text;
        if (session_print_value(d->s, name, &f, &text))
            debug_tell(d, json_pack("{s:{s:i, s:s}}", "value", "number", (int)k, "value", text), "%s = %s", name, text);
    }
}

void word_set(struct debug_cli *d, const char *rest)
{
    if (strncmp(rest, "var ", 4) == 0 || strncmp(rest, "variable ", 9) == 0)
        rest = strchr(rest, ' ') + 1;
    if (!session_assign(d->s, rest))
        debug_failed(d);
}

static void say_type(struct debug_cli *d, const char *name)
{
    debug_tell(d, json_pack("{s:{s:s}}", "type", "name", name), "type = %s", name);
}

void word_ptype(struct debug_cli *d, const char *rest)
{
    struct debug_context c;
    struct debug_value v;
    if (!session_context(d->s, &c))
        debug_failed(d);
    else if (!debug_evaluate_text(&c, rest, &v))
        debug_wrong(d, "%s", c.error);
    else
        say_type(d, v.type ? debug_type_name(c.info, v.type) : "void");
}

/* ---- display ---- */

void word_display(struct debug_cli *d, const char *rest)
{
    struct debug_format f = {.top_type = true};
    if (!*rest) {
        debug_show_displays(d);
        return;
    }
    if (!debug_format_of(d, &rest, &f, NULL, NULL))
        return;
    if (d->ndisplays == LS_ARRAY_LEN(d->displays)) {
        debug_wrong(d, "There are enough of them.");
        return;
    }
    char *copy = ls_realloc(NULL, strlen(rest) + 1);
    if (!copy)
        return;
    memcpy(copy, rest, strlen(rest) + 1);
    d->displays[d->ndisplays].expression = copy;
    d->displays[d->ndisplays++].format = f;
    debug_show_displays(d);
}

void word_undisplay(struct debug_cli *d, const char *rest)
{
    const u32 number = (u32)strtoul(rest, NULL, 10);
    for (u32 k = 0; k < d->ndisplays; k++)
        if (!*rest || k + 1 == number) {
            ls_free(d->displays[k].expression);
            d->displays[k].expression = NULL;
        }
    if (!*rest)
        d->ndisplays = 0;
}

void debug_show_displays(struct debug_cli *d)
{
    for (u32 k = 0; k < d->ndisplays; k++) {
        const char *text, *expression = d->displays[k].expression;
        if (expression && session_print_value(d->s, expression, &d->displays[k].format, &text))
            debug_tell(d,
                       json_pack("{s:{s:i, s:s, s:s}}", "display", "number", (int)k + 1, "expression", expression,
                                 "value", text),
                       "%u: %s = %s", k + 1, expression, text);
    }
}

void word_info_display(struct debug_cli *d, const char *rest)
{
    (void)rest;
    for (u32 k = 0; k < d->ndisplays; k++)
        if (d->displays[k].expression)
            debug_tell(
                d,
                json_pack("{s:{s:i, s:s}}", "display", "number", (int)k + 1, "expression", d->displays[k].expression),
                "%u: %s", k + 1, d->displays[k].expression);
}

/* ---- variables ---- */

void debug_context_of(struct debug_cli *d, const struct session_frame *f, struct debug_context *c)
{
    if (!session_context(d->s, c))
        return;
    c->at = f->at;
    c->thread.frame = f->call;
    c->frame = f->inside;
}

const char *debug_arguments(struct debug_cli *d, const struct session_frame *f)
{
    const struct debug_format format = {.elements = 8};
    const struct debug_variable *v;
    struct debug_context c;
    const char *all = "";
    struct arena *mem = session_memory(d->s);
    if (!session_context(d->s, &c))
        return all;
    debug_context_of(d, f, &c);
    const u32 n = debug_variables(c.info, c.at, c.frame, &v);
    for (u32 k = 0; k < n; k++)
        if (v[k].kind == DEBUG_ARGUMENT && v[k].name)
            all = arena_printf(mem, "%s%s%s=%s", all, *all ? ", " : "", v[k].name,
                               debug_value_text(&c, debug_value_of(&c, &v[k]), &format));
    return all;
}

static void say_variables(struct debug_cli *d, u8 kind, const char *none)
{
    const struct debug_format format = {.top_type = true};
    const struct debug_variable *v;
    const struct session_frame *frames;
    struct debug_context c;
    u32 said = 0, nframes;
    if (!session_frames(d->s, &frames, &nframes) || !session_context(d->s, &c)) {
        debug_failed(d);
        return;
    }
    const u32 n = debug_variables(c.info, c.at, c.frame, &v);
    for (u32 k = 0; k < n; k++)
        if (v[k].kind == kind && v[k].name && !v[k].artificial) {
            const char *text = debug_value_text(&c, debug_value_of(&c, &v[k]), &format);
            debug_tell(d, json_pack("{s:{s:s, s:s}}", "variable", "name", v[k].name, "value", text), "%s = %s",
                       v[k].name, text);
            said++;
        }
    if (!said)
        debug_say(d, "%s", none);
}

void word_info_locals(struct debug_cli *d, const char *rest)
{
    (void)rest, say_variables(d, DEBUG_LOCAL, "No locals.");
}
void word_info_args(struct debug_cli *d, const char *rest)
{
    (void)rest, say_variables(d, DEBUG_ARGUMENT, "No arguments.");
}

/* ---- registers ---- */

static bool among(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        const char *from = *at == '$' ? at + 1 : at;
        const size_t len = strcspn(from, " ");
        if ((len == n && memcmp(from, name, n) == 0) ||
            (name[0] == '%' && len == n - 1 && !memcmp(from, name + 1, len)))
            return true;
    }
    return false;
}

void word_info_registers(struct debug_cli *d, const char *rest)
{
    const struct session_register *all;
    u32 n, said = 0;
    if (!session_registers(d->s, &all, &n)) {
        debug_failed(d);
        return;
    }
    for (u32 k = 0; k < n; k++) {
        const char *value = all[k].lanes[session_focus(d->s)->lane];
        if (*rest && !among(rest, all[k].name))
            continue;
        debug_tell(
            d, json_pack("{s:{s:s, s:s, s:s}}", "register", "name", all[k].name, "type", all[k].type, "value", value),
            "%-10s .%-5s %s", all[k].name, all[k].type, value);
        said++;
    }
    if (!said)
        debug_wrong(d, "No such register here.");
}

/* ---- x ---- */

static u32 size_bytes(char letter) { return letter == 'b' ? 1 : letter == 'h' ? 2 : letter == 'g' ? 8 : 4; }

static void examine(struct debug_cli *d, struct debug_context *c, enum ptx_space space, u64 address, u32 count,
                    struct debug_format f, u32 size)
{
    const bool real = f.letter == 'f';
    const enum debug_encoding encoding = real ? DEBUG_FLOAT : f.letter == 'd' ? DEBUG_SIGNED : DEBUG_UNSIGNED;
    const struct debug_type *t = debug_type_base(c->info, encoding, real && size < 4 ? 4 : size);
    const u32 a_line = f.letter == 'x' && size == 1 ? 8 : size == 8 ? 2 : 4;
    for (u32 k = 0; k < count; k += a_line) {
        const char *from = arena_printf(c->mem, "0x%llx", (unsigned long long)(address + (u64)k * size));
        const char *text = arena_printf(c->mem, "%s:", from);
        json_t *values = json_array();
        for (u32 i = k; i < count && i < k + a_line; i++) {
            const char *one = debug_value_text(c, debug_value_in_memory(t, space, address + (u64)i * size), &f);
            text = arena_printf(c->mem, "%s\t%s", text, one);
            json_array_append_new(values, json_string(one));
        }
        debug_tell(d, json_pack("{s:{s:s, s:o}}", "memory", "address", from, "values", values), "%s", text);
    }
}

void word_x(struct debug_cli *d, const char *rest)
{
    struct debug_format f = {.letter = 'z'};
    struct debug_context c;
    struct debug_value v;
    u32 count = 1;
    char size = 'w';
    if (!debug_format_of(d, &rest, &f, &count, &size))
        return;
    if (f.letter == 'x')
        f.letter = 'z';
    if (!session_context(d->s, &c)) {
        debug_failed(d);
        return;
    }
    if (!debug_evaluate_text(&c, rest, &v) || !v.type) {
        debug_wrong(d, "%s", c.error ? c.error : "It has no value.");
        return;
    }
    const struct debug_type *t = debug_type_strip(v.type);
    if (v.where == DEBUG_IN_MEMORY && t->kind != DEBUG_POINTER && t->kind != DEBUG_BASE) {
        examine(d, &c, (enum ptx_space)v.space, v.address, count, f, size_bytes(size));
        return;
    }
    if (!debug_value_fetch(&c, &v) || debug_value_lost(&v)) {
        debug_wrong(d, "%s", c.error ? c.error : "It is optimized out.");
        return;
    }
    const enum ptx_space space = t->kind == DEBUG_POINTER ? (enum ptx_space)t->space : SPACE_NONE;
    examine(d, &c, space, debug_value_bits(&v), count, f, size_bytes(size));
}
