/* finding_print.c - a finding as one line of JSON: the record that the driver writes and the command reads. What does not
 * apply is left out. Frames of the host are written as a file and an address in it, so that symbols can be looked up when
 * the process is gone. */
#include <dlfcn.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/finding.h"

/* Text of a program may be in any encoding; JSON's is UTF-8. */
static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_string("?");
}

static void put_text(json_t *o, const char *name, const char *s)
{
    if (s && *s)
        json_object_set_new(o, name, text(s));
}

static void put_number(json_t *o, const char *name, u64 n)
{
    if (n)
        json_object_set_new(o, name, json_integer((json_int_t)n));
}

static void put_hex(json_t *o, const char *name, u64 n)
{
    char hex[24];
    snprintf(hex, sizeof hex, "0x%" PRIx64, n);
    json_object_set_new(o, name, json_string(hex));
}

static json_t *triple(const u32 v[3]) { return json_pack("[i,i,i]", (int)v[0], (int)v[1], (int)v[2]); }

/* Bytes of memory as one number, the last byte first: little-endian. */
static void put_value(json_t *o, const struct party *p)
{
    char hex[2 * sizeof p->value + 3] = "0x";
    if (!p->value_bytes)
        return;
    for (u32 k = 0; k < p->value_bytes; k++)
        snprintf(hex + 2 + 2 * k, 3, "%02x", p->value[p->value_bytes - 1 - k]);
    json_object_set_new(o, "value", json_string(hex));
    put_number(o, "value_bytes", p->value_bytes);
}

static json_t *party(const struct party *p)
{
    static const char *const does[] = {[DOES_NOTHING] = NULL,    [DOES_READ] = "read", [DOES_WRITE] = "write",
                                       [DOES_ATOMIC] = "atomic", [DOES_COPY] = "copy", [DOES_WAIT] = "wait"};
    json_t *o = json_object();
    put_text(o, "kernel", p->kernel);
    put_text(o, "function", p->function);
    put_text(o, "launched", p->launched);
    if (p->has_thread) {
        json_object_set_new(o, "block", triple(p->block));
        json_object_set_new(o, "thread", triple(p->thread));
    }
    put_text(o, "file", p->line ? p->file : NULL);
    put_number(o, "line", p->line);
    put_number(o, "column", p->line ? p->column : 0);
    put_text(o, "ptx_file", p->ptx_file);
    put_number(o, "ptx_line", p->ptx_line);
    put_text(o, "ptx", p->ptx);
    put_text(o, "does", does[p->does]);
    put_value(o, p);
    return o;
}

/* A return address belongs to the instruction before it. */
static json_t *frame(u64 address)
{
    Dl_info i;
    json_t *o = json_object();
    if (address && dladdr((void *)(uintptr_t)(address - 1), &i) && i.dli_fname) {
        json_object_set_new(o, "module", text(i.dli_fname));
        address -= (u64)(uintptr_t)i.dli_fbase;
    }
    json_object_set_new(o, "offset", json_integer((json_int_t)address));
    return o;
}

static json_t *call(const struct host_call *c)
{
    json_t *o = json_object(), *frames = json_array();
    put_text(o, "api", c->api);
    for (u32 k = 0; k < c->nframes; k++)
        json_array_append_new(frames, frame(c->frames[k]));
    json_object_set_new(o, "frames", frames);
    return o;
}

static json_t *lines(const char *s)
{
    json_t *a = json_array();
    while (*s) {
        const size_t n = strcspn(s, "\n");
        json_t *line = json_stringn(s, n);
        json_array_append_new(a, line ? line : json_string("?"));
        s += n + (s[n] != 0);
    }
    return a;
}

static const char *space_name(u8 space)
{
    switch (space) {
    case SPACE_GLOBAL:
        return "global";
    case SPACE_SHARED:
        return "shared";
    case SPACE_LOCAL:
        return "local";
    case SPACE_CONST:
        return "const";
    case SPACE_PARAM:
        return "param";
    case SPACE_TEX:
        return "texture";
    default:
        return "generic";
    }
}

static void put_memory(json_t *o, const struct finding *f)
{
    if (f->has_address) {
        json_object_set_new(o, "space", json_string(space_name(f->space)));
        put_hex(o, "address", f->address);
        put_number(o, "size", f->size);
    }
    if (!f->allocation)
        return;
    json_t *a = json_object();
    put_number(a, "serial", f->allocation);
    if (f->has_made)
        json_object_set_new(a, "made", call(&f->made));
    if (f->has_gone)
        json_object_set_new(a, "freed", call(&f->gone));
    json_object_set_new(o, "allocation", a);
}

static json_t *record(const struct finding *f, u64 id)
{
    const struct finding_info *i = finding_info(f->kind);
    json_t *o = json_pack("{s:s, s:I, s:s, s:s, s:s, s:s, s:s}", "type", "finding", "id", (json_int_t)id, "kind",
                          i->name, "tool", check_tool_name(i->tool), "severity",
                          f->severity == SEVERITY_ERROR ? "error" : "warning", "title", i->title, "remedy", i->remedy);
    put_text(o, "what", f->what);
    put_number(o, "launch", f->launch);
    if (f->at.kernel || f->at.launched)
        json_object_set_new(o, "at", party(&f->at));
    if (f->has_other)
        json_object_set_new(o, "other", party(&f->other));
    put_memory(o, f);
    if (f->detail[0])
        json_object_set_new(o, "detail", lines(f->detail));
    put_number(o, "count", f->count);
    put_number(o, "threads", f->threads);
    put_text(o, "launched_by", f->launched_by);
    if (f->call.nframes || f->call.api[0])
        json_object_set_new(o, "call", call(&f->call));
    return o;
}

char *finding_print(const struct finding *f, u64 id)
{
    json_t *o = record(f, id);
    const size_t n = o ? json_dumpb(o, NULL, 0, JSON_COMPACT) : 0;
    char *line = n ? ls_realloc(NULL, n + 1) : NULL;
    if (line) {
        json_dumpb(o, line, n, JSON_COMPACT);
        line[n] = 0;
    }
    json_decref(o);
    return line;
}
