/* sass_lines.c - a DWARF 2 line number program (DWARF 2.0, section 6.2), as ptxas writes it. Nothing of the table is
 * trusted: every read is checked against its size. */
#include <string.h>

#include "meter/sass/sass.h"

struct reader {
    const u8 *at, *end;
    bool bad;
};

static u64 fixed(struct reader *r, u32 bytes)
{
    u64 v = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        return 0;
    }
    memcpy(&v, r->at, bytes); /* little endian, as all cubins */
    r->at += bytes;
    return v;
}

static u64 uleb(struct reader *r)
{
    u64 v = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
        const u64 byte = fixed(r, 1);
        v |= (byte & 127) << shift;
        if (byte < 128)
            return v;
    }
    r->bad = true;
    return 0;
}

static i64 sleb(struct reader *r)
{
    u64 v = 0;
    for (u32 shift = 0; shift < 64; shift += 7) {
        const u64 byte = fixed(r, 1);
        v |= (byte & 127) << shift;
        if (byte < 128)
            return byte & 64 && shift + 7 < 64 ? (i64)(v | ~0ull << (shift + 7)) : (i64)v;
    }
    r->bad = true;
    return 0;
}

/* The state machine's registers and the unit's constants. */
struct machine {
    const u8 *table;
    const struct sass_origin *origins;
    u32 norigins;
    void (*row)(void *ctx, u32 section, u64 address, u32 line);
    void *ctx;
    u8 unit, line_range, opcode_base, lengths[256];
    i8 line_base;
    u64 address;
    i64 line;
    u32 section;
};

static void emit(struct machine *m)
{
    if (m->line > 0 && m->line <= UINT32_MAX)
        m->row(m->ctx, m->section, m->address, (u32)m->line);
}

/* DW_LNE_set_address has a relocation, which says whose address it is. */
static void set_address(struct machine *m, struct reader *r)
{
    const u64 at = (u64)(r->at - m->table);
    m->address = fixed(r, 8);
    m->section = 0;
    for (u32 i = 0; i < m->norigins; i++)
        if (m->origins[i].at == at)
            m->section = m->origins[i].section;
}

static void extended(struct machine *m, struct reader *r)
{
    const u64 len = uleb(r);
    if (r->bad || len == 0 || len > (u64)(r->end - r->at)) {
        r->bad = true;
        return;
    }
    const u8 *end = r->at + len;
    switch (fixed(r, 1)) {
    case 1: /* end of sequence */
        m->address = 0;
        m->line = 1;
        break;
    case 2:
        set_address(m, r);
        break;
    default:
        break;
    }
    r->at = end;
}

static void standard(struct machine *m, struct reader *r, u8 op)
{
    switch (op) {
    case 1:
        emit(m);
        break;
    case 2:
        m->address += uleb(r) * m->unit;
        break;
    case 3:
        m->line += sleb(r);
        break;
    case 8:
        m->address += (u64)((255 - m->opcode_base) / m->line_range) * m->unit;
        break;
    case 9:
        m->address += fixed(r, 2);
        break;
    default:
        for (u32 i = 0; i < m->lengths[op]; i++)
            uleb(r);
    }
}

static void run(struct machine *m, struct reader *r)
{
    m->address = 0;
    m->line = 1;
    while (r->at < r->end && !r->bad) {
        const u8 op = (u8)fixed(r, 1);
        if (op == 0) {
            extended(m, r);
        } else if (op < m->opcode_base) {
            standard(m, r, op);
        } else {
            m->address += (u64)((op - m->opcode_base) / m->line_range) * m->unit;
            m->line += m->line_base + (op - m->opcode_base) % m->line_range;
            emit(m);
        }
    }
}

/* One unit: its header, then its program. */
static bool unit(struct machine *m, struct reader *r)
{
    const u64 length = fixed(r, 4);
    if (r->bad || length > (u64)(r->end - r->at))
        return false;
    struct reader u = {r->at, r->at + length, false};
    r->at += length;
    const u64 version = fixed(&u, 2), header = fixed(&u, 4);
    if (u.bad || version != 2 || header > (u64)(u.end - u.at))
        return false;
    struct reader program = {u.at + header, u.end, false};
    m->unit = (u8)fixed(&u, 1);
    fixed(&u, 1); /* default_is_stmt */
    m->line_base = (i8)fixed(&u, 1);
    m->line_range = (u8)fixed(&u, 1);
    m->opcode_base = (u8)fixed(&u, 1);
    for (u32 i = 1; i < m->opcode_base; i++)
        m->lengths[i] = (u8)fixed(&u, 1);
    if (u.bad || !m->line_range || !m->opcode_base)
        return false;
    run(m, &program);
    return !program.bad;
}

bool sass_lines(const u8 *table, size_t size, const struct sass_origin *origins, u32 n,
                void (*row)(void *ctx, u32 section, u64 address, u32 line), void *ctx)
{
    struct machine m = {.table = table, .origins = origins, .norigins = n, .row = row, .ctx = ctx};
    struct reader r = {table, table + size, false};
    while (r.at < r.end)
        if (!unit(&m, &r))
            return false;
    return true;
}
