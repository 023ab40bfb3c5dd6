/* memory.c - bytes. A reference is a generic address ("0x7f00..."), or SPACE:ADDRESS:BLOCK:WARP:LANE for memory that a
 * block or a thread has for itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/debug/dap/dap.h"

enum { BYTES_MOST = 4 << 20, BYTES_AT_ONCE = 1 << 16 };

static const struct {
    enum ptx_space space;
    const char *name;
} spaces[] = {{SPACE_SHARED, "shared"}, {SPACE_LOCAL, "local"}, {SPACE_CONST, "constant"}, {SPACE_PARAM, "parameter"}};

json_t *memory_reference(const struct dap_focus *f, enum ptx_space space, u64 address)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(spaces); i++)
        if (spaces[i].space == space)
            return text_format("%s:0x%" PRIx64 ":%" PRIu64 ":%u:%u", spaces[i].name, address, f->block, f->warp,
                               f->lane);
    return text_format("0x%" PRIx64, address);
}

struct range {
    struct dap_focus focus;
    enum ptx_space space;
    u64 address;
};

static bool read_reference(const struct dap *d, const char *text, struct range *r)
{
    char space[16], rest;
    *r = (struct range){.focus = d->here, .space = SPACE_NONE};
    if (read_number(text, &r->address))
        return true;
    if (sscanf(text, "%15[a-z]:%" SCNx64 ":%" SCNu64 ":%u:%u%c", space, &r->address, &r->focus.block, &r->focus.warp,
               &r->focus.lane, &rest) != 5)
        return false;
    for (u32 i = 0; i < LS_ARRAY_LEN(spaces); i++)
        if (strcmp(spaces[i].name, space) == 0) {
            r->space = spaces[i].space;
            return true;
        }
    return false;
}

/* memoryReference and offset, which may be negative. */
static bool read_range(struct dap *d, const json_t *arguments, struct range *r, char why[DAP_WHY])
{
    const json_t *offset = json_object_get(arguments, "offset");
    const char *text;
    if (!argument_text(arguments, "memoryReference", NULL, &text, why))
        return false;
    if (!read_reference(d, text, r))
        return dap_fail(why, "memoryReference is none that was given out");
    if (offset && !json_is_integer(offset))
        return dap_fail(why, "offset: a number is wanted");
    r->address += (u64)json_integer_value(offset);
    return dap_look_at(d, &r->focus, why);
}

/* How many bytes from the beginning can be read. */
static u64 read_bytes(struct dap *d, const struct range *r, u8 *to, u64 count)
{
    u64 done = 0;
    while (done < count) {
        const u64 want = count - done < BYTES_AT_ONCE ? count - done : BYTES_AT_ONCE;
        u64 got = 0;
        if (!session_read_memory(d->session, r->space, r->address + done, want, to + done, &got))
            got = 0;
        done += got;
        if (got < want)
            break;
    }
    return done;
}

json_t *request_read_memory(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct range r;
    u64 count;
    if (!argument_number(arguments, "count", 0, BYTES_MOST, &count, why) || !read_range(d, arguments, &r, why))
        return NULL;
    u8 *bytes = ls_calloc(1, count + 1);
    if (!bytes)
        return NULL;
    const u64 got = read_bytes(d, &r, bytes, count);
    json_t *data = base64_json(bytes, got);
    ls_free(bytes);
    return json_pack("{s:o, s:I, s:o}", "address", text_format("0x%" PRIx64, r.address), "unreadableBytes",
                     (json_int_t)(count - got), "data", data);
}

static bool write_bytes(struct debug_context *c, const struct range *r, const u8 *from, size_t n, char why[DAP_WHY])
{
    for (size_t done = 0; done < n; done += BYTES_AT_ONCE) {
        const size_t part = n - done < BYTES_AT_ONCE ? n - done : BYTES_AT_ONCE;
        if (c->target->write_memory(c->target->self, &c->thread, r->space, r->address + done, from + done, part) !=
            LS_OK)
            return dap_fail(why, "the memory at 0x%" PRIx64 " cannot be written", r->address + done);
    }
    return true;
}

json_t *request_write_memory(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct debug_context c;
    const char *data;
    struct range r;
    size_t n;
    if (!argument_text(arguments, "data", NULL, &data, why) || !read_range(d, arguments, &r, why) ||
        !dap_context(d, &r.focus, &c, why))
        return NULL;
    u8 *bytes = base64_bytes(data, &n);
    if (!bytes)
        return dap_fail(why, "data is no base64");
    const bool done = write_bytes(&c, &r, bytes, n, why);
    ls_free(bytes);
    return done ? json_pack("{s:I}", "bytesWritten", (json_int_t)n) : NULL;
}
