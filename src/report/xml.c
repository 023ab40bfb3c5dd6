/* xml.c - see xml.h. */
#include "report/xml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, FILE_MOST = 64 << 20 };

struct reader {
    struct arena *mem;
    struct diag_list *diags;
    const char *file, *text, *at;
    u32 line;
    bool wrong;
};

static void complain(struct reader *r, const char *what)
{
    if (!r->wrong)
        diag_add(r->diags, DIAG_ERROR, (struct diag_place){.file = r->file, .line = r->line}, "%s", what);
    r->wrong = true;
}

static bool starts(const struct reader *r, const char *text) { return !strncmp(r->at, text, strlen(text)); }

static void step(struct reader *r, size_t n)
{
    for (; n && *r->at; n--)
        r->line += *r->at++ == '\n';
}

/* Behind the next `end`. */
static void pass(struct reader *r, const char *end)
{
    const char *found = strstr(r->at, end);
    if (found)
        step(r, (size_t)(found - r->at) + strlen(end));
    else
        complain(r, "the file ends in the middle");
}

/* Declarations and comments. */
static bool pass_other(struct reader *r)
{
    const bool comment = starts(r, "<!--"), declaration = starts(r, "<?");
    if (!comment && !declaration && !(starts(r, "<!") && !starts(r, "<![CDATA[")))
        return false;
    pass(r, comment ? "-->" : declaration ? "?>" : ">");
    return true;
}

/* ---- text ---- */

static char *put_code(char *to, unsigned long code)
{
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 63));
        *to++ = (char)(0x80 | (code & 63));
    } else {
        *to++ = '?';
    }
    return to;
}

/* What stands behind an &; `to` behind it. */
static const char *entity(const char *from, char **to)
{
    static const struct {
        const char *name, *is;
    } known[] = {{"amp;", "&"}, {"lt;", "<"}, {"gt;", ">"}, {"quot;", "\""}, {"apos;", "'"}};
    for (u32 i = 0; i < LS_ARRAY_LEN(known); i++)
        if (!strncmp(from, known[i].name, strlen(known[i].name))) {
            *(*to)++ = *known[i].is;
            return from + strlen(known[i].name);
        }
    if (*from == '#') {
        char *end;
        const bool hex = from[1] == 'x';
        const unsigned long code = strtoul(from + 1 + hex, &end, hex ? 16 : 10);
        if (*end == ';' && end > from + 1 + hex && code) {
            *to = put_code(*to, code);
            return end + 1;
        }
    }
    *(*to)++ = '&';
    return from;
}

static const char *join(struct arena *mem, const char *before, const char *from, size_t n, bool raw)
{
    char *out = arena_alloc(mem, strlen(before) + n + 1), *to = stpcpy(out, before);
    const char *copy = arena_strndup(mem, from, n);
    while (*copy)
        if (*copy == '&' && !raw)
            copy = entity(copy + 1, &to);
        else
            *to++ = *copy++;
    return out;
}

static const char *trim(struct arena *mem, const char *text)
{
    text += strspn(text, " \t\r\n");
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    return arena_strndup(mem, text, n);
}

/* ---- elements ---- */

static struct xml_node *element(struct reader *r, u32 depth);

static const char *name_of(struct reader *r)
{
    const size_t n = strcspn(r->at, " \t\r\n/><");
    const char *name = arena_strndup(r->mem, r->at, n);
    if (!n)
        complain(r, "an element has no name");
    step(r, n);
    return name;
}

/* Attributes, and whether the element ends here: <a/>. A > in quotes ends nothing. */
static bool pass_attributes(struct reader *r)
{
    char quote = 0;
    for (; *r->at && (quote || *r->at != '>'); step(r, 1))
        if (quote)
            quote = *r->at == quote ? 0 : quote;
        else if (*r->at == '"' || *r->at == '\'')
            quote = *r->at;
    const bool ended = r->at > r->text && r->at[-1] == '/';
    if (!*r->at)
        complain(r, "the file ends in the middle");
    step(r, 1);
    return ended;
}

static void content(struct reader *r, struct xml_node *n, u32 depth)
{
    struct xml_node **last = &n->child;
    const char *text = "";
    while (!r->wrong && !starts(r, "</")) {
        if (!*r->at) {
            complain(r, "the file ends in the middle");
        } else if (starts(r, "<![CDATA[")) {
            const char *from = r->at + 9;
            pass(r, "]]>");
            if (!r->wrong)
                text = join(r->mem, text, from, (size_t)(r->at - 3 - from), true);
        } else if (*r->at != '<') {
            const size_t length = strcspn(r->at, "<");
            text = join(r->mem, text, r->at, length, false);
            step(r, length);
        } else if (!pass_other(r)) {
            if ((*last = element(r, depth + 1)))
                last = &(*last)->next;
        }
    }
    n->text = trim(r->mem, text);
}

static struct xml_node *element(struct reader *r, u32 depth)
{
    struct xml_node *n = arena_new(r->mem, struct xml_node);
    n->line = r->line;
    n->text = "";
    step(r, 1);
    n->name = name_of(r);
    if (depth > DEPTH_MOST)
        complain(r, "elements are nested too deep");
    if (r->wrong || pass_attributes(r))
        return n;
    content(r, n, depth);
    if (r->wrong)
        return n;
    step(r, 2);
    if (strcmp(name_of(r), n->name) != 0)
        complain(r, arena_printf(r->mem, "this ends another element than <%.60s>, which is open", n->name));
    pass(r, ">");
    return n;
}

static char *read_all(struct arena *mem, FILE *f)
{
    size_t n = 0, room = 1 << 16, got;
    char *text = arena_alloc(mem, room + 1);
    while ((got = fread(text + n, 1, room - n, f)) > 0 && n + got < FILE_MOST) {
        n += got;
        if (n == room) {
            char *more = arena_alloc(mem, 2 * room + 1);
            memcpy(more, text, n);
            text = more;
            room *= 2;
        }
    }
    text[n] = 0;
    return text;
}

enum ls_status xml_read_file(struct arena *mem, const char *path, struct xml_node **root, struct diag_list *diags)
{
    FILE *f = fopen(path, "re");
    struct reader r = {.mem = mem, .diags = diags, .file = path, .line = 1};
    if (!f) {
        diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "%s", strerror(errno));
        return LS_ERR_IO;
    }
    r.text = r.at = read_all(mem, f);
    fclose(f);
    do
        step(&r, strspn(r.at, " \t\r\n\xef\xbb\xbf"));
    while (!r.wrong && *r.at == '<' && pass_other(&r));
    if (!r.wrong && *r.at != '<')
        complain(&r, "this is no XML: it does not begin with an element");
    *root = r.wrong ? NULL : element(&r, 0);
    return r.wrong ? LS_ERR_SYNTAX : LS_OK;
}

/* ---- looking ---- */

const struct xml_node *xml_next(const struct xml_node *n, const char *name)
{
    for (n = n ? n->next : NULL; n; n = n->next)
        if (!strcmp(n->name, name))
            return n;
    return NULL;
}

const struct xml_node *xml_child(const struct xml_node *n, const char *name)
{
    const struct xml_node *c = n ? n->child : NULL;
    return !c || !strcmp(c->name, name) ? c : xml_next(c, name);
}

const char *xml_text(const struct xml_node *n, const char *name)
{
    const struct xml_node *c = xml_child(n, name);
    return c ? c->text : NULL;
}

void xml_put(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc((u8)*text < ' ' ? '?' : *text, out);
}
