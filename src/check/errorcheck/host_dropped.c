/* host_dropped.c - does the caller look at what a call returned? Read from its machine code: from the return address
 * on, what happens first to %eax, on every way that the code can take?
 *
 *     written                               dropped on this way
 *     another call                          the same: no argument is passed in it (calls with a variable number of
 *                                           arguments set it first)
 *     read                                  looked at
 *     ret                                   the caller's caller decides (wrappers return what they got)
 *     an instruction that is not below      not known, which counts as looked at
 *     too long a way, another processor     the same
 *
 * The tables are from the opcode maps of Intel's manual (volume 2, appendix A): only what compilers put behind calls in
 * ordinary code. Nothing is run and nothing is changed. */
#include <link.h>
#include <string.h>

#include "check/errorcheck/errorcheck.h"

#if defined(__x86_64__)

enum { RAX = 0, NO_REG = 32 };
enum verdict { DROPPED, LOOKED_AT, UNKNOWN };

/* ---- where code is ---- */

struct text {
    uintptr_t at, lo, hi; /* the executable segment around at; hi 0: none */
};

static int find_text(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct text *t = ctx;
    (void)size;
    for (unsigned k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        const uintptr_t lo = info->dlpi_addr + p->p_vaddr;
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || t->at - lo >= p->p_filesz)
            continue;
        t->lo = lo;
        t->hi = lo + p->p_filesz;
        return 1;
    }
    return 0;
}

/* ---- one instruction ---- */

/* How an instruction uses its operands: `reg` and `rm` of the ModRM byte. */
enum use {
    BAD,     /* not known here */
    NONE,    /* no registers that matter */
    RM_REG,  /* reads both, writes rm */
    REG_RM,  /* reads both, writes reg */
    READS,   /* reads both */
    STORE,   /* rm = reg */
    LOAD,    /* reg = rm */
    ADDRESS, /* reg = the address of rm */
    RM,      /* reads rm (and writes it) */
    SET_RM,  /* rm = immediate */
    EAX,     /* reads %eax */
    POP,     /* writes the register in the opcode */
    PUSH,    /* reads it */
    IMM,     /* writes it */
    VECTOR,  /* registers of vectors; memory operands alone matter */
    FROM_RM, /* a vector register = rm */
    TO_RM,   /* rm = a vector register */
    JUMP,    /* rel8 or rel32 */
    BRANCH,  /* the same, or not */
    CALL,    /* rel32 */
    RETURN,
    GROUP_F7, /* by reg: test, not, neg, mul ... */
    GROUP_FF, /* inc, dec, call, jmp, push */
};

struct shape {
    u8 use;
    bool modrm;
    u8 imm; /* bytes behind; 4: as the operand size says */
};

static struct shape shape_of(u8 op)
{
    if (op < 0x40 && (op & 7) < 6) { /* add or adc sbb and sub xor cmp */
        const bool cmp = (op & 0x38) == 0x38;
        if ((op & 7) >= 4)
            return (struct shape){EAX, false, (op & 7) == 4 ? 1 : 4};
        return (struct shape){cmp ? READS : (op & 2) ? REG_RM : RM_REG, true, 0};
    }
    if (op >= 0x50 && op < 0x60)
        return (struct shape){op < 0x58 ? PUSH : POP, false, 0};
    if ((op & 0xf0) == 0x70)
        return (struct shape){BRANCH, false, 1};
    if ((op & 0xf8) ==
        0xb0) /* of a byte: %al before calls with a variable number of arguments, nobody keeps the rest */
        return (struct shape){IMM, false, 1};
    if ((op & 0xf8) == 0xb8)
        return (struct shape){IMM, false, 4};
    switch (op) {
    case 0x63:
        return (struct shape){LOAD, true, 0};
    case 0x68:
        return (struct shape){NONE, false, 4};
    case 0x69:
        return (struct shape){LOAD, true, 4};
    case 0x6a:
        return (struct shape){NONE, false, 1};
    case 0x6b:
        return (struct shape){LOAD, true, 1};
    case 0x80:
    case 0xc0:
    case 0xc1:
        return (struct shape){RM, true, 1};
    case 0x81:
        return (struct shape){RM, true, 4};
    case 0x83:
        return (struct shape){RM, true, 1};
    case 0x84:
    case 0x85:
        return (struct shape){READS, true, 0};
    case 0x88:
    case 0x89:
        return (struct shape){STORE, true, 0};
    case 0x8b:
        return (struct shape){LOAD, true, 0};
    case 0x8d:
        return (struct shape){ADDRESS, true, 0};
    case 0x90:
        return (struct shape){NONE, false, 0};
    case 0x98:
    case 0x99:
        return (struct shape){EAX, false, 0};
    case 0xa8:
        return (struct shape){EAX, false, 1};
    case 0xa9:
        return (struct shape){EAX, false, 4};
    case 0xc3:
        return (struct shape){RETURN, false, 0};
    case 0xc6:
        return (struct shape){SET_RM, true, 1};
    case 0xc7:
        return (struct shape){SET_RM, true, 4};
    case 0xc9:
        return (struct shape){NONE, false, 0}; /* leave */
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3:
        return (struct shape){RM, true, 0};
    case 0xe8:
        return (struct shape){CALL, false, 4};
    case 0xe9:
        return (struct shape){JUMP, false, 4};
    case 0xeb:
        return (struct shape){JUMP, false, 1};
    case 0xf6:
    case 0xf7:
        return (struct shape){GROUP_F7, true, 0};
    case 0xfe:
        return (struct shape){RM, true, 0};
    case 0xff:
        return (struct shape){GROUP_FF, true, 0};
    default:
        return (struct shape){BAD, false, 0};
    }
}

/* Behind 0F. */
static struct shape shape_of_0f(u8 op)
{
    if ((op & 0xf0) == 0x80)
        return (struct shape){BRANCH, false, 4};
    if ((op & 0xf0) == 0x40)
        return (struct shape){REG_RM, true, 0}; /* cmov */
    if ((op & 0xf0) == 0x90)
        return (struct shape){RM, true, 0}; /* set: a byte of it */
    switch (op) {
    case 0x1e:
    case 0x1f:
        return (struct shape){NONE, true, 0}; /* endbr64, nop */
    case 0xaf:
        return (struct shape){REG_RM, true, 0};
    case 0xb6:
    case 0xb7:
    case 0xbe:
    case 0xbf:
        return (struct shape){LOAD, true, 0};
    case 0x2a:
    case 0x6e:
        return (struct shape){FROM_RM, true, 0};
    case 0x2c:
    case 0x2d:
        return (struct shape){ADDRESS, true, 0}; /* reg = of a vector register */
    case 0x7e:
        return (struct shape){TO_RM, true, 0};
    case 0x10:
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x17:
    case 0x28:
    case 0x29:
    case 0x2e:
    case 0x2f:
    case 0x51:
    case 0x54:
    case 0x57:
    case 0x58:
    case 0x59:
    case 0x5a:
    case 0x5b:
    case 0x5c:
    case 0x5e:
    case 0x6c:
    case 0x6f:
    case 0x7f:
    case 0xd6:
    case 0xe6:
    case 0xef:
        return (struct shape){VECTOR, true, 0};
    case 0xc6:
    case 0x70:
        return (struct shape){VECTOR, true, 1};
    default:
        return (struct shape){BAD, false, 0};
    }
}

struct inst {
    struct shape shape;
    bool wide;      /* REX.W */
    bool narrow;    /* less than 32 bits: what it writes leaves the rest of the register as it was */
    u8 sub;         /* the reg field without its extension, of groups */
    u8 reg;         /* registers by number */
    u8 rm;          /* NO_REG: a memory operand */
    u8 base, index; /* of it */
    u8 low;         /* the register in the opcode */
    i64 rel;        /* of jumps */
    unsigned bytes;
};

static i64 signed_at(const u8 *p, unsigned n)
{
    i32 wide;
    if (n == 1)
        return (i8)p[0];
    memcpy(&wide, p, sizeof wide);
    return wide;
}

/* The ModRM byte at p and what belongs to it; its bytes. */
static unsigned decode_modrm(const u8 *p, u8 rex, struct inst *i)
{
    const u8 mod = p[0] >> 6, rm = p[0] & 7;
    unsigned n = 1, disp = mod == 1 ? 1 : mod == 2 ? 4 : 0;
    i->sub = p[0] >> 3 & 7;
    i->reg = (u8)(i->sub | (rex & 4) << 1);
    if (mod == 3) {
        i->rm = (u8)(rm | (rex & 1) << 3);
        return n;
    }
    i->base = (u8)(rm | (rex & 1) << 3);
    if (rm == 4) {
        const u8 sib = p[n++];
        i->base = (u8)((sib & 7) | (rex & 1) << 3);
        i->index = (u8)((sib >> 3 & 7) | (rex & 2) << 2);
        if (i->index == 4)
            i->index = NO_REG;
        if ((sib & 7) == 5 && mod == 0) {
            i->base = NO_REG;
            disp = 4;
        }
    } else if (rm == 5 && mod == 0) {
        i->base = NO_REG; /* relative to the instruction */
        disp = 4;
    }
    return n + disp;
}

/* Bytes of the operand in the instruction. */
static unsigned immediate(const struct inst *i, bool half)
{
    if (i->shape.use == IMM && i->wide)
        return 8;
    if (i->shape.use == GROUP_F7 && i->sub < 2)
        return i->narrow && !half ? 1 : half ? 2 : 4;
    const bool jump = i->shape.use == JUMP || i->shape.use == BRANCH || i->shape.use == CALL;
    return i->shape.imm == 4 && half && !jump ? 2 : i->shape.imm;
}

/* At least 16 bytes can be read at p. */
static struct inst decode(const u8 *p)
{
    struct inst i = {.rm = NO_REG, .base = NO_REG, .index = NO_REG};
    const u8 *at = p;
    bool half = false, vector = false;
    u8 rex = 0;
    for (; *at == 0x66 || *at == 0xf2 || *at == 0xf3; at++) {
        half |= *at == 0x66;
        vector |= *at != 0x66;
    }
    if ((*at & 0xf0) == 0x40)
        rex = *at++;
    const bool two = *at == 0x0f;
    at += two;
    const u8 op = *at++;
    i.shape = two ? shape_of_0f(op) : vector && op != 0xc3 && op != 0x90 ? (struct shape){BAD, false, 0} : shape_of(op);
    if (two && op == 0x7e && vector)
        i.shape.use = VECTOR; /* F3 0F 7E: of vector registers alone */
    if (two && (op == 0x2a || op == 0x2c || op == 0x2d) && !vector)
        i.shape.use = BAD; /* MMX */
    i.wide = rex & 8;
    const bool byte_op = !two &&
                         (op < 0x40 || op == 0x80 || op == 0x84 || op == 0x88 || op == 0xc0 || op == 0xc6 ||
                          op == 0xd0 || op == 0xd2 || op == 0xf6 || op == 0xfe) &&
                         !(op & 1);
    const bool general = !two || i.shape.use == LOAD || i.shape.use == REG_RM;
    i.narrow = byte_op || (half && general);
    i.low = (u8)((op & 7) | (rex & 1) << 3);
    if (i.shape.modrm)
        at += decode_modrm(at, rex, &i);
    const unsigned n = immediate(&i, half);
    if (n == 1 || n == 4)
        i.rel = signed_at(at, n);
    i.bytes = (unsigned)(at - p) + n;
    return i;
}

/* ---- what it does to %eax ---- */

static bool reads_address(const struct inst *i) { return i->base == RAX || i->index == RAX; }

/* xor %eax, %eax and sub %eax, %eax read nothing. */
static bool clears(const struct inst *i, u8 op)
{
    return i->reg == i->rm && (op == 0x31 || op == 0x33 || op == 0x29 || op == 0x2b) && !i->narrow;
}

enum effect { GOES_ON, READ, WRITTEN };

static enum effect writes(const struct inst *i, u8 reg)
{
    return reg != RAX ? GOES_ON : i->narrow ? READ : WRITTEN; /* of a part: leave it open */
}

static enum effect effect_of(const struct inst *i, u8 op)
{
    if (reads_address(i))
        return i->shape.use == NONE ? GOES_ON : READ;
    switch ((enum use)i->shape.use) {
    case RM_REG:
    case REG_RM:
        if (clears(i, op))
            return writes(i, i->reg);
        return i->reg == RAX || i->rm == RAX ? READ : GOES_ON;
    case READS:
        return i->reg == RAX || i->rm == RAX ? READ : GOES_ON;
    case STORE:
        return i->reg == RAX ? READ : writes(i, i->rm);
    case LOAD:
        return i->rm == RAX ? READ : writes(i, i->reg);
    case ADDRESS:
        return writes(i, i->reg);
    case RM:
    case FROM_RM:
        return i->rm == RAX ? READ : GOES_ON;
    case SET_RM:
    case TO_RM:
        return writes(i, i->rm);
    case EAX:
        return READ;
    case PUSH:
        return i->low == RAX ? READ : GOES_ON;
    case POP:
    case IMM:
        return writes(i, i->low);
    case GROUP_F7:
        return i->rm == RAX || i->sub >= 4 ? READ : GOES_ON; /* mul and div use it */
    case GROUP_FF:
        return i->rm == RAX ? READ : i->sub == 2 ? WRITTEN : GOES_ON;
    case CALL:
        return WRITTEN;
    default:
        return GOES_ON;
    }
}

/* ---- ways ---- */

enum { MOST_INSTRUCTIONS = 400, MOST_WAYS = 16 };

struct search {
    struct text text;
    const u64 *frames;
    u32 nframes, frame;
    u32 left; /* instructions that may still be looked at */
    uintptr_t ways[MOST_WAYS];
    u32 nways;
    bool returns; /* on some way */
};

/* Follows the code from `at` until %eax is decided; branches that are not taken wait in `ways`. */
static enum verdict follow(struct search *s, uintptr_t at)
{
    while (s->left--) {
        if (at < s->text.lo || at + 16 > s->text.hi)
            return UNKNOWN;
        const u8 *p = (const u8 *)at;
        const struct inst i = decode(p);
        const u8 *op = p;
        while (*op == 0x66 || *op == 0xf2 || *op == 0xf3 || (*op & 0xf0) == 0x40)
            op++;
        if (i.shape.use == BAD || (i.shape.use == GROUP_FF && i.sub >= 3 && i.sub != 6))
            return UNKNOWN;
        const enum effect e = effect_of(&i, *op);
        if (e != GOES_ON)
            return e == READ ? LOOKED_AT : DROPPED;
        at += i.bytes;
        if (i.shape.use == RETURN) {
            s->returns = true;
            return DROPPED;
        }
        if (i.shape.use == JUMP)
            at += (uintptr_t)i.rel;
        if (i.shape.use == BRANCH) {
            if (s->nways == MOST_WAYS)
                return UNKNOWN;
            s->ways[s->nways++] = at + (uintptr_t)i.rel;
        }
    }
    return UNKNOWN;
}

/* All ways from one return address; *returns: one of them leaves the function with the value still there. */
static enum verdict one_frame(struct search *s, bool *returns)
{
    const uintptr_t at = (uintptr_t)s->frames[s->frame];
    s->text = (struct text){.at = at};
    s->left = MOST_INSTRUCTIONS;
    s->nways = 0;
    s->returns = false;
    if (!dl_iterate_phdr(find_text, &s->text))
        return UNKNOWN;
    s->ways[s->nways++] = at;
    for (u32 k = 0; k < s->nways; k++) { /* grows */
        const enum verdict v = follow(s, s->ways[k]);
        if (v != DROPPED)
            return v;
    }
    *returns = s->returns;
    return DROPPED;
}

bool errorcheck_dropped(const u64 *frames, u32 nframes)
{
    struct search s = {.frames = frames, .nframes = nframes};
    for (; s.frame < nframes; s.frame++) {
        bool returns = false;
        if (one_frame(&s, &returns) != DROPPED)
            return false;
        if (!returns)
            return true;
    }
    return false;
}

#else

bool errorcheck_dropped(const u64 *frames, u32 nframes)
{
    (void)frames, (void)nframes;
    return false;
}

#endif
