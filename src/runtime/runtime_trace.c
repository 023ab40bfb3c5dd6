/* runtime_trace.c - see runtime_trace.h. Values come from the argument's type as api.def spells it: pointers in
 * hexadecimal, strings as text, numbers in decimal, structures by their words. */
#include "runtime/runtime_trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"

bool trace_on;
trace_timeline_fn trace_timeline;
struct trace_checks trace_checks;

__attribute__((constructor)) static void on_load(void)
{
    struct settings settings;
    settings_read(&settings, NULL, NULL);
    trace_on = settings.trace;
}

struct out {
    char text[1536];
    size_t len;
};

LS_PRINTF(2, 3) static void put(struct out *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(o->text + o->len, sizeof o->text - o->len, fmt, args);
    va_end(args);
    o->len += n > 0 ? (size_t)n : 0;
    if (o->len >= sizeof o->text)
        o->len = sizeof o->text - 1;
}

static void put_words(struct out *o, const struct call_arg *a)
{
    put(o, "{");
    for (size_t at = 0; at + 4 <= a->size && at < 32; at += 4) {
        u32 word;
        memcpy(&word, (const char *)a->at + at, 4);
        put(o, "%s%u", at ? ", " : "", word);
    }
    put(o, a->size > 32 ? ", ...}" : "}");
}

static void put_arg(struct out *o, const struct call_arg *a)
{
    u64 value = 0;
    put(o, "%s=", a->name);
    if (a->size > 8 || strncmp(a->type, "struct ", 7) == 0 ? !strchr(a->type, '*') : strcmp(a->type, "dim3") == 0) {
        put_words(o, a);
        return;
    }
    memcpy(&value, a->at, a->size);
    if (strcmp(a->type, "const char *") == 0 && value)
        put(o, "\"%.200s\"", *(const char *const *)a->at);
    else if (strchr(a->type, '*') || (a->size == 8 && strstr(a->type, "_t") && strcmp(a->type, "size_t") != 0))
        put(o, "0x%llx", (unsigned long long)value);
    else if (a->size == 4)
        put(o, "%d", (int)value);
    else
        put(o, "%llu", (unsigned long long)value);
}

void trace_call(const char *function, cudaError_t result, const struct call_arg *args, unsigned n)
{
    struct out o = {.len = 0};
    for (unsigned i = 0; i < n; i++) {
        put(&o, "%s", i ? ", " : "");
        put_arg(&o, &args[i]);
    }
    rt_log("[%d] %s(%s) = %s", (int)gettid(), function, o.text, cudaGetErrorName(result));
}
