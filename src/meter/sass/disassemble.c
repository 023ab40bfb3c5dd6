/* disassemble.c - the words of machine instructions, where NVIDIA's disassembler is installed: for people to read, nothing is
 * counted from them. Both of its forms have a function's name, and then lines of an address, in the marks of a comment, and an
 * instruction:
 *
 *     nvdisasm -c      .text._Z4copyPf:                      cuobjdump -sass       Function : _Z4copyPf
 *                      .L_x_2:
 *                              [0120]   @!P0 BRA `(.L_x_2) ;                [0120]   @!P0 BRA 0x40 ;   [its bits]
 *
 * Labels become the addresses that they stand for. */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "meter/rules.h"
#include "meter/sass/child.h"

enum { TEXT_MAX = 64 << 20 };

struct label {
    const char *name;
    size_t len;
    u32 address;
};
struct labels {
    VEC(struct label) at;
};

/* ---- lines ---- */

static size_t line_length(const char *at) { return strcspn(at, "\n"); }

/* [0120] text ; its address and its text without the semicolon. */
static bool instruction_of(const char *line, size_t len, u32 *address, const char **text, size_t *text_len)
{
    const char *end = line + len, *at = line;
    while (at < end && isspace((unsigned char)*at))
        at++;
    if (at == line || end - at < 4 || at[0] != '/' || at[1] != '*' || !isxdigit((unsigned char)at[2]))
        return false;
    char *behind;
    *address = (u32)strtoul(at + 2, &behind, 16);
    if (behind + 2 > end || behind[0] != '*' || behind[1] != '/')
        return false;
    for (at = behind + 2; at < end && isspace((unsigned char)*at);)
        at++;
    const char *stop = memchr(at, ';', (size_t)(end - at));
    stop = stop ? stop : end;
    while (stop > at && isspace((unsigned char)stop[-1]))
        stop--;
    *text = at;
    *text_len = (size_t)(stop - at);
    return stop > at;
}

static bool name_is(const struct sass_func *f, const char *name, size_t len)
{
    return strlen(f->name) == len && !memcmp(f->name, name, len);
}

/* The function that a line says begins; `now` when it says none. */
static struct sass_func *function_of(struct sass *code, const char *line, size_t len, struct sass_func *now)
{
    static const char section[] = ".text.", function[] = "Function : ";
    const char *name = NULL;
    size_t n = 0;
    for (size_t at = 0; at < len && !name; at++)
        if (len - at >= sizeof function && !memcmp(line + at, function, sizeof function - 1)) {
            name = line + at + sizeof function - 1;
            n = len - at - (sizeof function - 1);
        } else if (!isspace((unsigned char)line[at])) {
            break;
        }
    if (!name && len > sizeof section && !memcmp(line, section, sizeof section - 1) && line[len - 1] == ':') {
        name = line + sizeof section - 1;
        n = len - sizeof section;
    }
    for (u32 k = 0; name && k < code->n; k++)
        if (name_is(&code->funcs[k], name, n))
            return &code->funcs[k];
    return name ? NULL : now;
}

/* ---- labels ---- */

/* Those of a function's lines; a label is that of the next instruction. */
static void find_labels(struct arena *mem, const char *text, struct labels *out)
{
    u32 first = out->at.len, address;
    const char *words;
    size_t n;
    for (const char *at = text; *at; at += line_length(at) + (at[line_length(at)] != 0)) {
        const size_t len = line_length(at);
        if (len > 1 && (at[0] == '.' || at[0] == '$') && at[len - 1] == ':' && strncmp(at, ".text.", 6) != 0) {
            vec_push(mem, &out->at, ((struct label){at, len - 1, 0}));
        } else if (instruction_of(at, len, &address, &words, &n)) {
            for (; first < out->at.len; first++)
                out->at.at[first].address = address;
        }
    }
}

static const struct label *label_find(const struct labels *all, const char *name, size_t len)
{
    for (u32 k = 0; k < all->at.len; k++)
        if (all->at.at[k].len == len && !memcmp(all->at.at[k].name, name, len))
            return &all->at.at[k];
    return NULL;
}

/* `(.L_x_2) becomes 0x40; of what is no label of the text the name stays. */
static const char *with_addresses(struct arena *mem, const struct labels *labels, const char *text, size_t len)
{
    const char *open = memchr(text, '`', len), *close = open ? memchr(open, ')', len - (size_t)(open - text)) : NULL;
    if (!close || open[1] != '(')
        return arena_strndup(mem, text, len);
    const char *name = open + 2;
    const struct label *l = label_find(labels, name, (size_t)(close - name));
    const int front = (int)(open - text), rest = (int)(text + len - close - 1);
    if (!l)
        return arena_printf(mem, "%.*s%.*s%.*s", front, text, (int)(close - name), name, rest, close + 1);
    return arena_printf(mem, "%.*s0x%x%.*s", front, text, l->address, rest, close + 1);
}

/* ---- all ---- */

static void take_word(struct arena *mem, struct sass_func *f, u32 address, const char *words, const char *by)
{
    if (address % SASS_BYTES || address / SASS_BYTES >= f->n)
        return;
    if (!f->words)
        f->words = arena_array(mem, const char *, f->n + 1);
    f->words[address / SASS_BYTES] = words;
    f->said_by = by;
}

void disassembled(struct arena *mem, struct arena *tmp, struct sass *code, const char *text, const char *by)
{
    struct labels labels = {0};
    struct sass_func *f = NULL;
    const char *words;
    u32 address;
    size_t n;
    find_labels(tmp, text, &labels);
    for (const char *at = text; *at; at += line_length(at) + (at[line_length(at)] != 0)) {
        const size_t len = line_length(at);
        f = function_of(code, at, len, f);
        if (f && instruction_of(at, len, &address, &words, &n))
            take_word(mem, f, address, with_addresses(mem, &labels, words, n), by);
    }
}

/* What the program says of the file; NULL: it is not there, or says nothing. */
static const char *ask(struct arena *mem, const char *folder, const char *program, const char *option,
                       const char *cubin_file)
{
    char file[512];
    char *text = NULL;
    const int out = child_file(folder, file, sizeof file, "sass", "", 0);
    const int err = out < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC);
    const char *argv[] = {program, option, cubin_file, NULL};
    if (err >= 0 && child_run(argv, out, err)) {
        const off_t size = lseek(out, 0, SEEK_END);
        text = size > 0 && size < TEXT_MAX ? arena_array(mem, char, (size_t)size + 1) : NULL;
        if (text && pread(out, text, (size_t)size, 0) != (ssize_t)size)
            text = NULL;
    }
    if (err >= 0)
        close(err);
    if (out >= 0 && close(out) == 0)
        unlink(file);
    return text;
}

static bool is_said(const struct sass *code)
{
    for (u32 k = 0; k < code->n; k++)
        if (code->funcs[k].words)
            return true;
    return false;
}

void disassemble(struct arena *mem, struct arena *tmp, struct sass *code, const struct ptxas *with,
                 const char *cubin_file)
{
    static const char *const programs[][2] = {{"nvdisasm", "-c"}, {"cuobjdump", "-sass"}};
    const char *slash = strrchr(with->program, '/');
    for (u32 k = 0; k < LS_ARRAY_LEN(programs); k++)
        for (u32 on_path = slash ? 0 : 1; on_path < 2; on_path++) {
            const char *name = programs[k][0];
            const char *program =
                on_path ? name : arena_printf(tmp, "%.*s/%s", (int)(slash - with->program), with->program, name);
            const char *text = ask(tmp, with->tmp, program, programs[k][1], cubin_file);
            if (text)
                disassembled(mem, tmp, code, text, name);
            if (is_said(code))
                return;
        }
}
