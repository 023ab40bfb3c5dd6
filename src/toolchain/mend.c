/* mend.c - what is changed in clang's PTX before it is used. Each change is one of text, for a shape that clang 19 is
 * known to emit; PTX without that shape stays as it is.
 *
 *     -maxrregcount                 .maxnreg behind the parameters of kernels that limit nothing themselves
 *     managed variables             .attribute(.managed): their names say that they are (rewrite.c)
 *     static variables with -rdc    one name, where clang uses two
 *     parameters of functions       copied to local memory where their address is taken */
#include "toolchain/toolchain.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The PTX with ".maxnreg n" behind the parameters of each kernel whose directives limit nothing yet. */
static char *limit_registers(const char *ptx, u32 n, struct arena *mem)
{
    const char *directive = arena_printf(mem, ".maxnreg %u\n", n);
    size_t kernels = 0;
    for (const char *at = ptx; (at = strstr(at, ".entry ")); at++)
        kernels++;
    char *out = arena_alloc(mem, strlen(ptx) + kernels * strlen(directive) + 1), *to = out;
    for (const char *entry; (entry = strstr(ptx, ".entry "));) {
        const char *body = entry + strcspn(entry, "{;"); /* a semicolon: a declaration only */
        const bool limited = memmem(entry, (size_t)(body - entry), ".maxnreg", 8) != NULL;
        memcpy(to, ptx, (size_t)(body - ptx));
        to += body - ptx;
        if (*body == '{' && !limited)
            to = stpcpy(to, directive);
        ptx = body;
    }
    strcpy(to, ptx);
    return out;
}

/* ".global" becomes ".global .attribute(.managed)" where a variable's name says that it is one (rewrite.c). */
static char *mark_managed(const char *ptx, struct arena *mem)
{
    static const char word[] = ".global ", name[] = " lockstep_managed_", attribute[] = ".attribute(.managed) ";
    size_t marks = 0;
    for (const char *at = ptx; (at = strstr(at, name)); at++)
        marks++;
    char *out = arena_alloc(mem, strlen(ptx) + marks * sizeof attribute + 1), *to = out;
    for (const char *line = ptx; *line;) {
        const size_t len = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        const char *space = memmem(line, len, word, sizeof word - 1), *named = memmem(line, len, name, sizeof name - 1);
        const char *value = memchr(line, '=', len);
        const size_t head =
            space && named && space < named && (!value || named < value) ? (size_t)(space - line) + sizeof word - 1 : 0;
        memcpy(to, line, head);
        to += head;
        if (head)
            to = stpcpy(to, attribute);
        memcpy(to, line + head, len - head);
        to += len - head;
        line += len;
    }
    *to = 0;
    return out;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$'; }

/* The text with a word replaced wherever it stands alone. */
static char *replace_word(const char *text, const char *from, const char *to, struct arena *mem)
{
    const size_t len = strlen(from), more = strlen(to);
    const char *begin = text;
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, from)); at += len)
        found++;
    char *out = arena_alloc(mem, strlen(text) + found * more + 1), *put = out;
    for (const char *at; (at = strstr(text, from)); text = at + len) {
        const bool alone =
            !(in_name(from[len - 1]) && in_name(at[len])) && !(in_name(from[0]) && at > begin && in_name(at[-1]));
        memcpy(put, text, (size_t)(at - text));
        put = stpcpy(put + (at - text), alone ? to : from);
    }
    strcpy(put, text);
    return out;
}

/* A static variable that the host uses is called <name>__static__<id> with -rdc; where device code refers to it before
 * the host does, clang 19 declares <name> besides and leaves it undefined. Such a declaration goes, and its uses get
 * the name that is defined. */
static char *join_statics(char *ptx, struct arena *mem)
{
    for (char *at = ptx; (at = strstr(at, "\n.extern ."));) {
        char *end = strchr(at + 1, ';'), *name = end;
        if (!end)
            break;
        while (in_name(name[-1]))
            name--;
        const char *alias = arena_printf(mem, "%.*s", (int)(end - name), name);
        const char *defined = strstr(ptx, arena_printf(mem, "%s__static__", alias));
        const bool variable = !memmem(at, (size_t)(end - at), ".func", 5);
        if (!variable || !*alias || !defined) {
            at = end;
            continue;
        }
        size_t len = 0;
        while (in_name(defined[len]))
            len++;
        const char *whole = arena_printf(mem, "%.*s", (int)len, defined);
        memset(at + 1, ' ', (size_t)(end - at));
        ptx = at = replace_word(ptx, alias, whole, mem);
    }
    return ptx;
}

/* ---- parameters whose address is taken ---- */

/* Function parameters have no address in PTX, but clang computes with that of a structure passed by value and loads
 * through it:
 *
 *     mov.b64 %rd1, f_param_0;                     mov.u64 %rd1, f_param_0_copy;
 *     ...                                   ──►    ...
 *     ld.param.f32 %f1, [%rd4];                    ld.local.f32 %f1, [%rd4];
 *
 * with the parameter copied where the function begins. text is one function, from its .func to its brace. */
enum { PARAMETERS = 32 };

struct parameter {
    const char *name;
    unsigned align, bytes;
};

/* The structures of a head whose address the body takes. */
static u32 find_parameters(const char *head, const char *body, struct parameter *found, struct arena *mem)
{
    u32 n = 0;
    for (const char *at = head; (at = strstr(at, ".param .align ")) && n < PARAMETERS; at++) {
        unsigned align, bytes;
        int begin = 0, end = 0;
        if (sscanf(at, ".param .align %u .b8 %n%*[^][ ,]%n[%u]", &align, &begin, &end, &bytes) != 2 || !end)
            continue;
        const char *name = arena_strndup(mem, at + begin, (size_t)(end - begin));
        if (strstr(body, arena_printf(mem, ", %s;", name)))
            found[n++] = (struct parameter){name, align, bytes};
    }
    return n;
}

/* The copy of one parameter, by the widest pieces that fit. */
static const char *copy_parameter(const struct parameter *p, struct arena *mem)
{
    unsigned unit = p->align < 8 ? p->align : 8;
    const char *text = arena_printf(mem, "\n\t.local .align %u .b8 %s_copy[%u];\n\t{\n", p->align, p->name, p->bytes);
    while (p->bytes % unit)
        unit /= 2;
    text = arena_printf(mem, "%s\t.reg .b%u %%part;\n", text, unit > 1 ? unit * 8 : 16);
    for (unsigned at = 0; at < p->bytes; at += unit)
        text = arena_printf(mem, "%s\tld.param.b%u %%part, [%s+%u];\n\tst.local.b%u [%s_copy+%u], %%part;\n", text,
                            unit * 8, p->name, at, unit * 8, p->name, at);
    return arena_printf(mem, "%s\t}", text);
}

/* "ld.param.f32 %f1, [%rd4]" to ld.local, in place: the words are of one length. */
static void load_copies(char *body)
{
    for (char *at = body; (at = strstr(at, "ld.param.")); at++) {
        const char *end = at + strcspn(at, ";\n"), *base = memchr(at, '[', (size_t)(end - at));
        if (base && base[1] == '%')
            memcpy(at, "ld.local", 8);
    }
}

static char *copy_parameters(char *ptx, struct arena *mem)
{
    const char *out = "";
    for (;;) {
        char *open = strstr(ptx, "\n{"), *close = open ? strstr(open, "\n}") : NULL, *head = NULL;
        if (!close)
            break;
        struct parameter found[PARAMETERS];
        const char *before = arena_strndup(mem, ptx, (size_t)(open - ptx));
        char *body = arena_strndup(mem, open + 2, (size_t)(close - (open + 2)));
        for (char *at = (char *)(uintptr_t)before; (at = strstr(at, ".func ")); at++)
            head = at;
        const u32 n = head && !strstr(head, ".entry ") ? find_parameters(head, body, found, mem) : 0;
        const char *copies = "";
        for (u32 i = 0; i < n; i++) {
            copies = arena_printf(mem, "%s%s", copies, copy_parameter(&found[i], mem));
            body = replace_word(body, arena_printf(mem, ", %s;", found[i].name),
                                arena_printf(mem, ", %s_copy;", found[i].name), mem);
        }
        if (n)
            load_copies(body);
        out = arena_printf(mem, "%s%s\n{%s%s", out, before, copies, body);
        ptx = close;
    }
    return arena_printf(mem, "%s%s", out, ptx);
}

char *tool_ptx_mend(char *ptx, const struct tool_options *o, struct arena *mem)
{
    if (o->max_registers)
        ptx = limit_registers(ptx, o->max_registers, mem);
    return copy_parameters(join_statics(mark_managed(ptx, mem), mem), mem);
}
