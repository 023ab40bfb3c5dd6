/* body_name.c - the name of the body that runs an instruction.
 *
 * The name is the opcode, the modifiers in the order written, the types, joined by '_'. Left out is what changes
 * nothing that the engine computes: `.rn` where it is the default (everywhere but cvt), `.uni`, `.sync`, `.aligned`,
 * `.noftz`, cache and eviction hints, scopes. min and max of three sources are min3 and max3. Types collapse to .bN
 * where the sign does not matter. Memory accesses, calls and barriers are named by emit_memory.c and emit_control.c. */
#include <stdio.h>

#include "ir/pass.h"

static bool is_dropped(const struct ptx_inst *i, enum ptx_mod m)
{
    switch (m) {
    case MOD_RN:
        return i->op != OP_CVT;
    case MOD_UNI:
        return i->op != OP_VOTE;
    case MOD_SYNC:
    case MOD_ALIGNED:
    case MOD_NOFTZ:
        return true;
    default:
        return false;
    }
}

/* Operations on bits, where .s32, .u32, .f32 and .b32 are the same. */
static bool is_untyped(enum ptx_op op)
{
    return op == OP_MOV || op == OP_AND || op == OP_OR || op == OP_XOR || op == OP_NOT || op == OP_CNOT ||
           op == OP_SHL || op == OP_SELP;
}

static const char *bits_name(u32 bits)
{
    return bits <= 8 ? "b8" : bits == 16 ? "b16" : bits == 32 ? "b32" : bits == 64 ? "b64" : "b128";
}

static const char *type_text(const struct ptx_inst *i, unsigned k)
{
    enum ptx_type t = i->types[k];
    if (t == PTX_PRED)
        return "pred";
    if (is_untyped(i->op))
        return bits_name(ptx_type_bits(t));
    if (i->op == OP_SHR && !ptx_type_signed(t))
        return ptx_type_bits(t) == 16 ? "u16" : ptx_type_bits(t) == 32 ? "u32" : "u64";
    if (i->op == OP_SLCT && k == 0)
        return bits_name(ptx_type_bits(t));
    return ptx_type_name(t);
}

struct name {
    char *at, *end;
};

static void add(struct name *n, const char *text)
{
    for (; *text && n->at + 1 < n->end; text++) {
        if (*text == ':') {
            if (n->at[-1] != '_')
                *n->at++ = '_';
        } else if (*text != '.') {
            *n->at++ = *text;
        } else {
            *n->at++ = '_';
        }
    }
    *n->at = 0;
}

static void add_part(struct name *n, const char *text)
{
    add(n, "_");
    add(n, *text == '.' ? text + 1 : text);
}

void ir_body_name(const struct ptx_inst *i, char *buf, size_t size)
{
    struct name n = {buf, buf + size};
    add(&n, ptx_op_name(i->op));
    if ((i->op == OP_MIN || i->op == OP_MAX) && i->noperands == 4) /* of three values: another operation */
        add(&n, "3");
    for (unsigned k = 0; k < i->nmods; k++)
        if (!is_dropped(i, i->mods[k]))
            add_part(&n, ptx_mod_name(i->mods[k]));
    for (unsigned k = 0; k < i->ntypes; k++)
        add_part(&n, type_text(i, k));
}
