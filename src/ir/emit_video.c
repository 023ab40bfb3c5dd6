/* emit_video.c - video instructions (PTX ISA 9.7.18): types, modifiers and selectors become the bits of video.h. One
 * body an opcode runs all of them. */
#include "ir/emit.h"

#include <stdio.h>
#include <string.h>

#include "ir/video.h"

/* The elements of a packed instruction: 4, 2, or 1 for a scalar one. */
static unsigned elements(const struct ptx_inst *i)
{
    const char *name = ptx_op_name(i->op), last = name[strlen(name) - 1];
    return last == '2' || last == '4' ? (unsigned)(last - '0') : 1;
}

/* Digits of a selector, the last one first, as four bits each; -1 when it is not `letter` and 1 to n digits below
 * `limit`. */
static int digits(const char *sel, char letter, unsigned n, unsigned limit)
{
    int value = 0;
    const size_t len = strlen(sel);
    if (sel[0] != letter || len < 2 || len > n + 1)
        return -1;
    for (size_t k = 1; k < len; k++) {
        if (sel[k] < '0' || (unsigned)(sel[k] - '0') >= limit)
            return -1;
        value = value << 4 | (sel[k] - '0');
    }
    return value;
}

/* Which part of a source: see video.h. */
static int source_part(const struct ptx_operand *o, unsigned n, unsigned which)
{
    if (n > 1) {
        if (!o->sel)
            return n == 2 ? (which ? 0x32 : 0x10) : (which ? 0x7654 : 0x3210);
        return strlen(o->sel) == n + 1 ? digits(o->sel, n == 2 ? 'h' : 'b', n, 2 * n) : -1;
    }
    if (!o->sel)
        return 0x40;
    const int byte = digits(o->sel, 'b', 1, 4), half = digits(o->sel, 'h', 1, 2);
    return byte >= 0 ? byte | 0x10 : half >= 0 ? half * 2 | 0x20 : -1;
}

/* The bytes of d that the result goes to. */
static int dest_bytes(const struct ptx_operand *o, unsigned n)
{
    if (!o->sel)
        return 15;
    int bytes = 0, which = n == 4 ? digits(o->sel, 'b', 4, 4) : n == 2 ? digits(o->sel, 'h', 2, 2) : 0;
    if (n == 1) {
        which = source_part(o, 1, 0);
        return which < 0 ? -1 : ((1 << (which >> 4)) - 1) << (which & 15);
    }
    for (size_t k = 1; which >= 0 && o->sel[k]; k++, which >>= 4)
        bytes |= n == 4 ? 1 << (which & 15) : 3 << 2 * (which & 15);
    return which < 0 ? -1 : bytes;
}

static u64 flags(const struct ptx_inst *i)
{
    static const struct {
        u16 mod;
        u32 flag;
    } of[] = {
        {MOD_SAT, VIDEO_SAT}, {MOD_ADD, VIDEO_ADD}, {MOD_MIN, VIDEO_MIN}, {MOD_MAX, VIDEO_MAX}, {MOD_NE, VIDEO_NE},
        {MOD_LT, VIDEO_LT},   {MOD_LE, VIDEO_LE},   {MOD_GT, VIDEO_GT},   {MOD_GE, VIDEO_GE},   {MOD_WRAP, VIDEO_WRAP},
    };
    u64 how = 0;
    for (size_t k = 0; k < LS_ARRAY_LEN(of); k++)
        how |= ptx_has(i, of[k].mod) ? of[k].flag : 0;
    const unsigned a = i->ntypes - 2u; /* vset has no type of its result, which is unsigned */
    how |= a && ptx_type_signed(i->types[0]) ? VIDEO_SIGNED_D : 0;
    how |= ptx_type_signed(i->types[a]) ? VIDEO_SIGNED_A : 0;
    how |= ptx_type_signed(i->types[a + 1]) ? VIDEO_SIGNED_B : 0;
    return how;
}

/* A scalar instruction has a third source when it has a secondary operation or writes a part of d, never both. */
static bool is_complete(const struct ptx_inst *i, u64 how)
{
    if (elements(i) > 1)
        return true;
    const bool second = (how & (VIDEO_ADD | VIDEO_MIN | VIDEO_MAX)) != 0, part = i->operands[0].sel != NULL;
    return !(second && part) && (i->noperands == 4) == (second || part);
}

/* What does not run, or is no PTX; NULL: it runs. */
static const char *no_scalar(const struct ptx_inst *i, u64 how)
{
    const char *sel = i->operands[0].sel;
    if (elements(i) > 1 || i->op == OP_VABSDIFF || i->op == OP_VSET)
        return NULL;
    if ((i->op == OP_VSHL || i->op == OP_VSHR) && how & VIDEO_SIGNED_B)
        return "what to shift by is .u32";
    return how & (VIDEO_SAT | VIDEO_MIN | VIDEO_MAX) || (sel && !strcmp(sel, "h1"))
               ? "the manual and the machine code of sm_90 part here, and we do not guess"
               : NULL;
}

void emit_video(struct emit *e)
{
    const struct ptx_inst *i = e->inst;
    const unsigned n = elements(i);
    const int d = dest_bytes(&i->operands[0], n), a = source_part(&i->operands[1], n, 0),
              b = source_part(&i->operands[2], n, 1);
    u64 how = flags(i);
    const char *why = no_scalar(i, how);
    u32 source[3] = {0};
    if (d < 0 || a < 0 || b < 0 || (i->noperands > 3 && i->operands[3].sel)) {
        ir_poison(e->p, e->site, "it has no such selector");
        return;
    }
    if (why) {
        ir_poison(e->p, e->site, "%s", why);
        return;
    }
    if (!is_complete(i, how)) {
        ir_poison(e->p, e->site, "a third source goes with a secondary operation or a part of the destination");
        return;
    }
    for (unsigned k = 1; k < i->noperands; k++)
        source[k - 1] = emit_read(e, &i->operands[k], PTX_U32);
    const u32 to = emit_write(e, &i->operands[0], PTX_U32);
    how |= (u64)d << VIDEO_BYTES_AT | (u64)a << VIDEO_A_AT | (u64)b << VIDEO_B_AT;
    struct ir_inst *r = emit_put(e, ptx_op_name(i->op));
    r->d = to;
    r->a = source[0];
    r->b = source[1];
    r->c = source[2];
    r->imm = (i64)how;
    emit_end_writes(e);
}
