/* output.c - what is printed: lines of text, or with --json one object a line: {"text": ...}, {"error": ...}, or what a
 * word has to tell. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/debug/debug.h"

static void print_object(json_t *object)
{
    char *text = object ? json_dumps(object, JSON_COMPACT) : NULL;
    if (text)
        puts(text);
    free(text); /* jansson's */
    json_decref(object);
}

static json_t *text_object(const char *name, const char *text)
{
    json_t *value = json_string(text);
    return json_pack("{s:o}", name, value ? value : json_string_nocheck("?"));
}

static void tell(struct debug_cli *d, const char *name, json_t *object, const char *fmt, va_list args)
{
    char *text;
    if (d->json && object) {
        print_object(object);
        return;
    }
    json_decref(object);
    if (vasprintf(&text, fmt, args) < 0)
        return;
    if (d->json)
        print_object(text_object(name, text));
    else
        puts(text);
    free(text); /* vasprintf's */
}

void debug_say(struct debug_cli *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell(d, "text", NULL, fmt, args);
    va_end(args);
}

void debug_wrong(struct debug_cli *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell(d, "error", NULL, fmt, args);
    va_end(args);
}

void debug_failed(struct debug_cli *d) { debug_wrong(d, "%s", session_error(d->s)); }

void debug_tell(struct debug_cli *d, json_t *object, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    tell(d, "text", object, fmt, args);
    va_end(args);
}
