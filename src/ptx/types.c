/* types.c - the tables as C arrays, the properties of their rows, and the keyword hash.
 *
 * Keywords: one open-addressing table over the mnemonics, modifiers, types and directives, made once for the process
 * without allocating. A word's meanings share an entry ("and" is an opcode and a modifier). */
#include <pthread.h>
#include <string.h>
#include <xxhash.h>

#include "ptx/parser.h"

const struct ptx_op_row ptx_op_rows[PTX_NOPS] = {
    {.name = "?", .forms = "", .cls = "", .section = "", .semantics = "", .class = PTX_CLASS_MISC},
#define PTX_OP(id, name, forms, cls, section, semantics, lowering, flow, memory, result, cost, weight)                 \
    {name, forms, #cls, section, semantics, PTX_CLASS_##cls, FLOW_##flow, PTX_MEM_##memory, PTX_RESULT_##result},
#include "ptx/ops.def"
#undef PTX_OP
};

static const char *const mod_names[PTX_NMODS] = {
    "?",
#define PTX_MOD(id, text, group) text,
#include "ptx/mods.def"
#undef PTX_MOD
};

static const char *const mod_groups[PTX_NMODS] = {
    "",
#define PTX_MOD(id, text, group) #group,
#include "ptx/mods.def"
#undef PTX_MOD
};

static const struct {
    const char *name;
    u16 bits;
    char cls;
} types[PTX_NTYPES] = {
    {"?", 0, '?'},
#define PTX_TYPE(id, name, bits, cls) {name, bits, #cls[0]},
#include "ptx/types.def"
#undef PTX_TYPE
};

static const char *const dir_names[] = {
    "",
#define PTX_DIR(id, text) text,
#include "ptx/dirs.def"
#undef PTX_DIR
};

const struct ptx_sreg_row ptx_sreg_rows[PTX_NSREGS] = {
#define PTX_SREG(name, type, vector, scope, fill) {"%" #name, PTX_##type, vector, SREG_SCOPE_##scope},
#include "ptx/sregs.def"
#undef PTX_SREG
};

const char *ptx_op_name(enum ptx_op op) { return ptx_op_row(op)->name; }

const char *ptx_mod_name(enum ptx_mod mod) { return (unsigned)mod < PTX_NMODS ? mod_names[mod] : "?"; }

const char *mod_group(enum ptx_mod mod) { return mod_groups[mod]; }

enum ptx_space mod_space(enum ptx_mod mod)
{
    switch (mod) {
    case MOD_GLOBAL:
        return SPACE_GLOBAL;
    case MOD_SHARED:
    case MOD_SHARED_CTA:
    case MOD_SHARED_CLUSTER:
        return SPACE_SHARED;
    case MOD_LOCAL:
        return SPACE_LOCAL;
    case MOD_CONST:
        return SPACE_CONST;
    case MOD_PARAM:
    case MOD_PARAM_ENTRY:
    case MOD_PARAM_FUNC:
        return SPACE_PARAM;
    default:
        return SPACE_NONE;
    }
}

const char *ptx_type_name(enum ptx_type t) { return (unsigned)t < PTX_NTYPES ? types[t].name : "?"; }

u32 ptx_type_bits(enum ptx_type t) { return (unsigned)t < PTX_NTYPES ? types[t].bits : 0; }

char ptx_type_class(enum ptx_type t) { return (unsigned)t < PTX_NTYPES ? types[t].cls : '?'; }

bool ptx_type_signed(enum ptx_type t)
{
    return ptx_type_class(t) == 'S' || t == PTX_S16X2 || t == PTX_S4 || t == PTX_S2;
}

bool ptx_type_float(enum ptx_type t)
{
    switch (t) {
    case PTX_U16X2:
    case PTX_S16X2:
    case PTX_U4:
    case PTX_S4:
    case PTX_U2:
    case PTX_S2:
    case PTX_B1:
        return false;
    default:
        return ptx_type_class(t) == 'F' || ptx_type_class(t) == 'A';
    }
}

unsigned ptx_vec_count(const struct ptx_inst *i)
{
    for (unsigned k = 0; k < i->nmods; k++)
        switch (i->mods[k]) {
        case MOD_V2:
            return 2;
        case MOD_V4:
            return 4;
        case MOD_V8:
            return 8;
        default:
            break;
        }
    return 1;
}

const struct ptx_func *ptx_find_func(const struct ptx_module *m, const char *name)
{
    for (u32 i = 0; i < m->nfuncs; i++)
        if (strcmp(m->funcs[i]->name, name) == 0)
            return m->funcs[i];
    return NULL;
}

bool sreg_find(const char *name, enum ptx_sreg *sreg)
{
    for (unsigned i = 0; i < PTX_NSREGS; i++)
        if (strcmp(ptx_sreg_rows[i].name, name) == 0) {
            *sreg = (enum ptx_sreg)i;
            return true;
        }
    return false;
}

enum { KEYWORDS = 4096 }; /* a power of two, about four times the number of words */
static struct keyword table[KEYWORDS];
static pthread_once_t made = PTHREAD_ONCE_INIT;

static struct keyword *slot_of(const char *s, size_t n)
{
    u32 i = (u32)XXH3_64bits(s, n) & (KEYWORDS - 1);
    while (table[i].text && (table[i].len != n || memcmp(table[i].text, s, n) != 0))
        i = (i + 1) & (KEYWORDS - 1);
    return &table[i];
}

static struct keyword *add(const char *s)
{
    struct keyword *k = slot_of(s, strlen(s));
    k->text = s;
    k->len = (u16)strlen(s);
    return k;
}

static void make(void)
{
    for (unsigned i = 1; i < PTX_NOPS; i++)
        add(ptx_op_rows[i].name)->op = (u16)i;
    for (unsigned i = 1; i < PTX_NMODS; i++)
        add(mod_names[i])->mod = (u16)i;
    for (unsigned i = 1; i < PTX_NTYPES; i++)
        add(types[i].name)->type = (u16)i;
    for (unsigned i = 1; i < LS_ARRAY_LEN(dir_names); i++)
        add(dir_names[i])->dir = (u16)i;
}

const struct keyword *keyword_find(const char *s, size_t n)
{
    pthread_once(&made, make);
    const struct keyword *k = slot_of(s, n);
    return k->text ? k : NULL;
}
