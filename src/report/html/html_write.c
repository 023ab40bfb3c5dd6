/* html_write.c - the page: its template, in which {{words}} in two braces stand for what is put there. */
#include <string.h>

#include "report/html/html_parts.h"

static bool is_word(const char *at, size_t n, const char *word) { return strlen(word) == n && !strncmp(at, word, n); }

static bool put_word(FILE *out, const struct html_page *p, const json_t *data, const char *word, size_t n)
{
    if (is_word(word, n, "style"))
        fputs(html_style, out);
    else if (is_word(word, n, "script"))
        fputs(html_script, out);
    else if (is_word(word, n, "command"))
        html_put(out, p->mem, p->r->command ? p->r->command : "a session");
    else if (is_word(word, n, "version"))
        html_put(out, p->mem, p->r->version);
    else if (is_word(word, n, "summary"))
        html_summary(out, p);
    else if (is_word(word, n, "kernels"))
        html_table(out, p);
    else if (is_word(word, n, "note"))
        html_put(out, p->mem, p->r->baseline_note ? p->r->baseline_note : "");
    else if (is_word(word, n, "data"))
        return html_dump(out, data);
    else
        LS_BUG_ON(true);
    return true;
}

static bool put_page(FILE *out, const struct html_page *p, const json_t *data)
{
    const char *at = html_template;
    for (const char *open; (open = strstr(at, "{{")); at = strstr(open, "}}") + 2) {
        fwrite(at, 1, (size_t)(open - at), out);
        if (!put_word(out, p, data, open + 2, (size_t)(strstr(open, "}}") - open - 2)))
            return false;
    }
    fputs(at, out);
    return true;
}

bool html_write(FILE *out, const struct html_report *r)
{
    struct arena mem = ARENA("html");
    struct html_page p = {.r = r, .mem = &mem};
    json_t *volatile data = NULL;
    volatile bool good = false;
    if (!setjmp(mem.oom)) {
        html_group(&p);
        data = html_data(&p);
        good = data && put_page(out, &p, data);
    }
    json_decref(data);
    arena_free(&mem);
    return good;
}
