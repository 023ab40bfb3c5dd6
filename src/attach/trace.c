/* trace.c - decodes arguments by the text of their declared type, so that api.def is all there is to write for a new
 * function. Speed does not matter here. */
#include "attach/trace.h"
#include "attach/attach.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct out {
    char *buf;
    size_t size, len;
};

static void LS_PRINTF(2, 3) put(struct out *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(o->buf + o->len, o->size - o->len, fmt, args);
    va_end(args);
    if (n > 0)
        o->len = o->len + (size_t)n < o->size ? o->len + (size_t)n : o->size - 1;
}

static const struct enum_name {
    const char *type, *name;
    int value;
} enum_names[] = {
#define ENUM(tag, type)
#define E(name, value) {NULL, #name, value},
#define ENUM_END(type) {#type, NULL, 0},
#include "driver/enums.def"
#undef ENUM
#undef E
#undef ENUM_END
};

/* Rows of an enumeration stand before the row that bears its type. */
static const char *enum_name(const char *type, int value)
{
    const char *found = NULL;
    for (size_t i = 0; i < LS_ARRAY_LEN(enum_names); i++) {
        const struct enum_name *e = &enum_names[i];
        if (e->type) {
            if (strcmp(e->type, type) == 0)
                return found;
            found = NULL;
        } else if (e->value == value && !found) {
            found = e->name;
        }
    }
    return NULL;
}

static bool enum_known(const char *type)
{
    for (size_t i = 0; i < LS_ARRAY_LEN(enum_names); i++)
        if (enum_names[i].type && strcmp(enum_names[i].type, type) == 0)
            return true;
    return false;
}

static void put_string(struct out *o, const char *s)
{
    if (!s) {
        put(o, "NULL");
        return;
    }
    put(o, "\"%.80s\"%s", s, strnlen(s, 81) > 80 ? "..." : "");
}

static void put_copy2d(struct out *o, const CUDA_MEMCPY2D *c)
{
    put(o, "{%zu x %zu bytes}", c->WidthInBytes, c->Height);
}

static void put_copy3d(struct out *o, const CUDA_MEMCPY3D *c)
{
    put(o, "{%zu x %zu x %zu bytes}", c->WidthInBytes, c->Height, c->Depth);
}

static void put_config(struct out *o, const CUlaunchConfig *c)
{
    put(o, "{grid %ux%ux%u, block %ux%ux%u, shared %u, stream %p, %u attributes}", c->gridDimX, c->gridDimY,
        c->gridDimZ, c->blockDimX, c->blockDimY, c->blockDimZ, c->sharedMemBytes, (void *)c->hStream, c->numAttrs);
}

static bool is(const char *type, const char *what) { return strcmp(type, what) == 0; }

/* A value of that type at `at`. False: the type is no scalar that we know. */
static bool put_scalar(struct out *o, const char *type, const void *at)
{
    if (is(type, "int") || is(type, "CUdevice"))
        put(o, "%d", *(const int *)at);
    else if (is(type, "unsigned int"))
        put(o, "%u", *(const unsigned *)at);
    else if (is(type, "unsigned char"))
        put(o, "0x%02x", *(const unsigned char *)at);
    else if (is(type, "unsigned short"))
        put(o, "0x%04x", *(const unsigned short *)at);
    else if (is(type, "size_t") || is(type, "cuuint64_t") || is(type, "unsigned long long"))
        put(o, "%llu", *(const unsigned long long *)at);
    else if (is(type, "float"))
        put(o, "%g", (double)*(const float *)at);
    else if (is(type, "CUdeviceptr"))
        put(o, "0x%llx", *(const unsigned long long *)at);
    else if (is(type, "CUresult"))
        put(o, "%s", result_name(*(const CUresult *)at) ? result_name(*(const CUresult *)at) : "?");
    else if (is(type, "CUmemLocation"))
        put(o, "{%s, %d}", enum_name("CUmemLocationType", (int)((const CUmemLocation *)at)->type),
            ((const CUmemLocation *)at)->id);
    else if (enum_known(type)) {
        const char *name = enum_name(type, *(const int *)at);
        if (name)
            put(o, "%s", name);
        else
            put(o, "%d", *(const int *)at);
    } else
        return false;
    return true;
}

/* What a pointer points to: one value that the call has filled, or a structure that it was given. */
static void put_target(struct out *o, const char *type, const void *p, bool succeeded)
{
    char base[64];
    size_t n = strlen(type);
    while (n > 0 && (type[n - 1] == '*' || type[n - 1] == ' '))
        n--;
    if (is(type, "const CUDA_MEMCPY2D *")) {
        put_copy2d(o, p);
        return;
    }
    if (is(type, "const CUDA_MEMCPY3D *")) {
        put_copy3d(o, p);
        return;
    }
    if (is(type, "const CUlaunchConfig *")) {
        put_config(o, p);
        return;
    }
    put(o, "%p", p);
    if (!succeeded || n >= sizeof base || strncmp(type, "const ", 6) == 0 || is(type, "void *") || is(type, "char *"))
        return;
    memcpy(base, type, n);
    base[n] = 0;
    size_t mark = o->len;
    put(o, " -> ");
    bool handle = strncmp(base, "CU", 2) == 0 && strcmp(base, "CUdeviceptr") != 0;
    if (strchr(type, '*') == strrchr(type, '*') && put_scalar(o, base, p))
        return;
    if (handle && is(type + n, " *") && !strstr(base, "Param") && !strstr(base, "uuid") && !strstr(base, "prop") &&
        !strstr(base, "Attr") && !strstr(base, "Location") && !strstr(base, "DESC") && !strstr(base, "CUDA_") &&
        !strstr(base, "EdgeData") && !strstr(base, "Info"))
        put(o, "%p", *(void *const *)p);
    else
        o->buf[o->len = mark] = 0;
}

static void put_arg(struct out *o, const struct call_arg *a, bool succeeded)
{
    put(o, "%s=", a->name);
    if (put_scalar(o, a->type, a->at))
        return;
    if (a->size != sizeof(void *)) {
        put(o, "?");
        return;
    }
    const void *p = *(void *const *)a->at;
    if (is(a->type, "const char *"))
        put_string(o, p);
    else if (!p)
        put(o, "NULL");
    else if (!strchr(a->type, '*'))
        put(o, "%p", p); /* a handle */
    else
        put_target(o, a->type, p, succeeded);
}

void trace_format(char *buf, size_t size, const char *function, CUresult result, const struct call_arg *args,
                  unsigned n)
{
    struct out o = {buf, size, 0};
    put(&o, "%s(", function);
    for (unsigned i = 0; i < n; i++) {
        put(&o, "%s", i ? ", " : "");
        put_arg(&o, &args[i], result == CUDA_SUCCESS);
    }
    const char *name = result_name(result);
    put(&o, ") = %s", name ? name : "?");
}

static void on_call_end(const struct driver_call *c)
{
    char line[1536];
    if (c->above)
        return;
    trace_format(line, sizeof line, c->name, c->result, c->args, c->nargs);
    drv_log("[%d] %s", (int)gettid(), line);
}

void trace_start(void)
{
    static const struct driver_observer trace = {.call_end = on_call_end};
    driver_observe(&trace);
}
