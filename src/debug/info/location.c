/* location.c - where variables are: DWARF's expressions, as the compilers for PTX write them.
 *
 * What they use is small: the address of a variable plus a number, a register (whose name is packed into its number, as
 * CUDA's debugger wants it), a number, and pieces of those. Anything else counts as optimised out. */
#include <dwarf.h>

#include "debug/info/internal.h"

/* What an expression has on its stack, or says at its end. */
struct item {
    const struct ptx_var *reg, *var;
    i64 offset;
    bool number; /* of the expression itself, and no address */
};

struct run {
    struct debug_info *info;
    struct debug_place at;
    Dwarf_Die *die;
    Dwarf_Attribute *attribute;
    struct item stack[8];
    u32 n;
    bool in_register, is_value, lost;
    const u8 *bytes;
    u64 nbytes;
    VEC(struct debug_piece) pieces;
};

/* "%rd12" as a number, its first character in the highest byte. */
const struct ptx_var *location_register(const struct debug_info *info, const struct ptx_func *f, u64 number)
{
    char name[12] = "%";
    u32 n = 0;
    for (int shift = 56; shift >= 0; shift -= 8) {
        const char c = (char)(number >> shift);
        if (c && !(n == 0 && c == '%'))
            name[1 + n++] = c;
    }
    return n ? debug_register(info, f, name) : NULL;
}

/* The memory for the locals of a call. */
static const struct ptx_var *depot(const struct ptx_func *f)
{
    for (u32 i = 0; f && i < f->nlocals; i++)
        if (strncmp(f->locals[i]->name, "__local_depot", 13) == 0)
            return f->locals[i];
    return NULL;
}

static void push(struct run *r, struct item i)
{
    if (r->n == LS_ARRAY_LEN(r->stack))
        r->lost = true;
    else
        r->stack[r->n++] = i;
}

static struct item pop(struct run *r)
{
    if (r->n == 0) {
        r->lost = true;
        return (struct item){0};
    }
    return r->stack[--r->n];
}

static void push_address(struct run *r, u64 address)
{
    struct item i = {0};
    i.var = address_variable(r->info, address, &i.offset);
    if (!i.var) {
        i.offset = (i64)address;
        r->lost |= address == 0; /* a name that is not there */
    }
    push(r, i);
}

static void push_register(struct run *r, u64 number, i64 offset)
{
    const struct item i = {.reg = location_register(r->info, r->at.func, number), .offset = offset};
    r->lost |= !i.reg;
    push(r, i);
}

static void push_local(struct run *r, i64 offset)
{
    const struct item i = {.var = depot(r->at.func), .offset = offset};
    r->lost |= !i.var;
    push(r, i);
}

/* One of the two must be a number. */
static void add(struct run *r, bool minus)
{
    struct item b = pop(r), a = pop(r);
    if (b.reg || b.var) {
        r->lost |= minus || a.reg || a.var;
        b.offset = (i64)((u64)b.offset + (u64)a.offset);
        b.number = false;
        push(r, b);
        return;
    }
    a.number = false;
    a.offset = (i64)(minus ? (u64)a.offset - (u64)b.offset : (u64)a.offset + (u64)b.offset);
    push(r, a);
}

/* Closes the location that has been described; size 0: to the end. */
static void finish_piece(struct run *r, u64 size)
{
    struct debug_piece p = {.kind = DEBUG_LOST, .size = size};
    if (r->bytes) {
        p.kind = DEBUG_VALUE;
        p.bytes = r->bytes;
        p.nbytes = r->nbytes;
    } else if (!r->lost && r->n) {
        const struct item i = pop(r);
        p.kind = r->in_register ? DEBUG_REGISTER : r->is_value ? DEBUG_VALUE : DEBUG_MEMORY;
        p.reg = i.reg;
        p.var = i.var;
        p.offset = i.offset;
        p.space = i.var ? i.var->space : (u8)die_space(r->die);
        if (p.kind == DEBUG_VALUE && i.var)
            p.kind = DEBUG_LOST; /* an address, of whose space nothing is known */
        if (p.kind == DEBUG_MEMORY && i.number)
            p.kind = DEBUG_LOST; /* a constant, or what LLVM 20 leaves of an expression that DWARF 2 cannot say */
    }
    vec_push(&r->info->mem, &r->pieces, p);
    r->n = 0;
    r->in_register = r->is_value = r->lost = false;
    r->bytes = NULL;
}

static void implicit_value(struct run *r, const Dwarf_Op *op)
{
    Dwarf_Block b;
    if (dwarf_getlocation_implicit_value(r->attribute, op, &b) == 0 && b.length) {
        r->bytes = b.data;
        r->nbytes = b.length;
    } else {
        r->lost = true;
    }
}

static void step(struct run *r, const Dwarf_Op *op)
{
    switch (op->atom) {
    case DW_OP_addr:
        push_address(r, op->number);
        break;
    case DW_OP_regx:
        push_register(r, op->number, 0);
        r->in_register = true;
        break;
    case DW_OP_bregx:
        push_register(r, op->number, (i64)op->number2);
        break;
    case DW_OP_fbreg:
        push_local(r, (i64)op->number);
        break;
    case DW_OP_call_frame_cfa:
        push_local(r, 0);
        break;
    case DW_OP_plus_uconst:
        push(r, (struct item){.offset = (i64)op->number});
        add(r, false);
        break;
    case DW_OP_plus:
    case DW_OP_minus:
        add(r, op->atom == DW_OP_minus);
        break;
    case DW_OP_lit0 ... DW_OP_lit31:
        push(r, (struct item){.offset = op->atom - DW_OP_lit0, .number = true});
        break;
    case DW_OP_const1u ... DW_OP_consts:
        push(r, (struct item){.offset = (i64)op->number, .number = true});
        break;
    case DW_OP_stack_value:
        r->is_value = true;
        break;
    case DW_OP_implicit_value:
        implicit_value(r, op);
        break;
    case DW_OP_piece:
        finish_piece(r, op->number);
        break;
    case DW_OP_nop:
        break;
    default:
        r->lost = true;
    }
}

/* A variable without a location: a constant, or one that the module has under its name. */
static void without_location(struct run *r, const struct debug_variable *v)
{
    Dwarf_Attribute a;
    Dwarf_Block b;
    u64 number, address;
    if (dwarf_attr_integrate(r->die, DW_AT_const_value, &a) && dwarf_formblock(&a, &b) == 0) {
        r->bytes = b.data;
        r->nbytes = b.length;
    } else if (die_number(r->die, DW_AT_const_value, &number)) {
        push(r, (struct item){.offset = (i64)number});
        r->is_value = true;
    } else if (v->linkage_name && names_find(&r->info->symbols, v->linkage_name, &address)) {
        push_address(r, address);
    }
}

/* Has it a list of locations, which depend on the place? */
static bool is_list(Dwarf_Attribute *a)
{
    const unsigned form = dwarf_whatform(a);
    return form == DW_FORM_sec_offset || form == DW_FORM_data4 || form == DW_FORM_data8 || form == DW_FORM_loclistx;
}

struct debug_location debug_location(struct debug_info *info, const struct debug_variable *v, struct debug_place at)
{
    Dwarf_Die die;
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t n = 0;
    bool list = false;
    struct run r = {.info = info, .at = at, .die = &die, .attribute = &a};
    if (die_at(info, v->die, &die)) {
        if (!dwarf_attr_integrate(&die, DW_AT_location, &a))
            without_location(&r, v);
        else if ((list = is_list(&a) && at.func && at.inst < at.func->ninsts))
            n = flow_entry(info, v->die, at, &a, &ops);
        else if (dwarf_getlocation_addr(&a, at.func ? place_address(info, at) : 0, &ops, &n, 1) != 1)
            n = 0;
        for (size_t k = 0; k < n; k++)
            step(&r, &ops[k]);
    }
    if (r.n || r.bytes || r.pieces.len == 0)
        finish_piece(&r, 0);
    if (list)
        flow_check_registers(info, at, r.pieces.at, r.pieces.len);
    return (struct debug_location){r.pieces.len, r.pieces.at};
}
