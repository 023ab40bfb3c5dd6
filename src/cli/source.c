/* source.c - reads, unpacks and parses the file of `lockstep launch` and `lockstep ptx`. */
#include "cli/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define FILE_MAX ((size_t)1 << 30) /* larger than any PTX; a device file without an end is not read for ever */

static const char what_to_give[] = "give a PTX file (nvcc -ptx, clang -S --cuda-device-only), a fat binary, or an "
                                   "object or program that nvcc made";

static void LS_PRINTF(4, 5) complain(struct diag_list *diags, const char *path, const char *note, const char *fmt, ...)
{
    char text[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    struct diag *d = diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "%s", text);
    if (d && note)
        diag_set_note(diags, d, "%s", note);
}

/* All of fd, with a NUL behind it; NULL: errno says why. */
static char *read_all(int fd, size_t *len)
{
    char *text = NULL;
    size_t cap = 0;
    for (*len = 0;;) {
        if (*len + 1 >= cap) {
            cap = cap ? 2 * cap : 1 << 16;
            char *more = cap <= 2 * FILE_MAX ? ls_realloc(text, cap) : NULL;
            if (!more) {
                ls_free(text);
                errno = cap > FILE_MAX ? EFBIG : ENOMEM;
                return NULL;
            }
            text = more;
        }
        ssize_t n = read(fd, text + *len, cap - *len - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            ls_free(text);
            return NULL;
        }
        *len += (size_t)n;
        text[*len] = 0;
        if (n == 0)
            return text;
    }
}

static char *read_file(const char *path, size_t *len, bool *regular)
{
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0) {
        *regular = S_ISREG(st.st_mode);
        text = read_all(fd, len);
    }
    int why = errno;
    close(fd);
    errno = why;
    return text;
}

static bool is_elf(const char *data, size_t size) { return size >= 4 && memcmp(data, "\177ELF", 4) == 0; }

/* What to do about it, or NULL. */
static const char *note_for(enum ls_status status, size_t size, const char *why)
{
    if (status != LS_ERR_SYNTAX)
        return NULL;
    if (strstr(why, "truncated") || strstr(why, "corrupt") || strstr(why, "damaged"))
        return "it was cut short or changed on its way; copy it or build it again";
    return size ? what_to_give : NULL;
}

static enum ls_status unpack(struct cli_source *s, const char *path, const char *data, size_t size, u32 sm,
                             struct diag_list *diags)
{
    enum ls_status status =
        is_elf(data, size) ? image_elf(&s->img, data, size, sm, false) : image_read(&s->img, data, size, sm, path);
    if (status == LS_OK)
        return LS_OK;
    complain(diags, path, note_for(status, size, s->img.why), "%s",
             size == 0       ? "the file is empty"
             : s->img.why[0] ? s->img.why
                             : ls_status_text(status));
    return status;
}

/* A PTX module begins with a .version directive, behind white space and comments (PTX ISA 11.1). Text that does not is
 * something else, and one sentence says more than a list of syntax errors. */
static bool begins_as_ptx(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n\f\v");
        if (strncmp(text, "//", 2) == 0)
            text += strcspn(text, "\n");
        else if (strncmp(text, "/*", 2) == 0 && strstr(text + 2, "*/"))
            text = strstr(text + 2, "*/") + 2;
        else
            return strncmp(text, ".version", 8) == 0;
    }
}

static enum ls_status parse(struct cli_source *s, const char *path, struct diag_list *diags)
{
    s->units = ls_calloc(s->img.n ? s->img.n : 1, sizeof *s->units);
    if (!s->units) {
        complain(diags, path, NULL, "%s", ls_status_text(LS_ERR_NOMEM));
        return LS_ERR_NOMEM;
    }
    for (unsigned i = 0; i < s->img.n; i++) {
        const struct image_text *t = &s->img.texts[i];
        u32 before = diags->errors;
        if (!begins_as_ptx(t->text)) {
            complain(diags, path, what_to_give, "this is no PTX: it does not begin with .version");
            return LS_ERR_SYNTAX;
        }
        enum ls_status status = ptx_parse(t->text, t->len, s->whole ? path : t->name, &s->units[i], diags);
        if (status != LS_OK) {
            s->units[i] = NULL;
            if (diags->errors == before)
                complain(diags, path, NULL, "%s", ls_status_text(status));
            return status;
        }
    }
    return LS_OK;
}

enum ls_status cli_source_open(const char *path, u32 sm, struct cli_source *out, struct diag_list *diags)
{
    bool regular = false;
    size_t size = 0;
    *out = (struct cli_source){0};
    char *data = read_file(path, &size, &regular);
    if (!data) {
        bool folder = errno == EISDIR;
        complain(diags, path, folder ? what_to_give : NULL, "the file cannot be read: %s", strerror(errno));
        return LS_ERR_IO;
    }
    enum ls_status status = unpack(out, path, data, size, sm, diags);
    out->whole = status == LS_OK && regular && out->img.n == 1 && out->img.texts[0].len <= size &&
                 memcmp(data, out->img.texts[0].text, out->img.texts[0].len) == 0;
    if (status == LS_OK)
        status = parse(out, path, diags);
    ls_free(data);
    if (status != LS_OK)
        cli_source_close(out);
    return status;
}

void cli_source_close(struct cli_source *s)
{
    for (unsigned i = 0; s->units && i < s->img.n; i++)
        if (s->units[i])
            ptx_free(s->units[i]);
    ls_free(s->units);
    image_free(&s->img);
    *s = (struct cli_source){0};
}

const struct ptx_func *cli_source_kernel(const struct cli_source *s, u32 n, u32 *unit)
{
    for (u32 i = 0; i < s->img.n; i++)
        for (u32 k = 0; k < s->units[i]->nfuncs; k++) {
            const struct ptx_func *f = s->units[i]->funcs[k];
            if (!f->is_entry || !f->defined || n-- > 0)
                continue;
            if (unit)
                *unit = i;
            return f;
        }
    return NULL;
}

u32 cli_source_kernels(const struct cli_source *s)
{
    u32 n = 0;
    while (cli_source_kernel(s, n, NULL))
        n++;
    return n;
}
