/* lives.h - which PTX registers have a value between the groups of a function, and how many machine registers each takes. */
#ifndef LS_METER_CODE_ESTIMATE_LIVES_H
#define LS_METER_CODE_ESTIMATE_LIVES_H

#include "ir/ir.h"
#include "meter/rules.h"

/* Its result may differ from lane to lane whatever it reads. */
bool lives_is_of_lane(const struct ptx_inst *i);

struct lives {
    u64 *in;       /* by block: the set of registers that are read there or behind, as they were before it */
    u32 words;     /* of a set */
    bool *varying; /* by register: it may differ from lane to lane */
    u8 *width; /* by register: machine registers of a lane that its value takes while nothing reads it. What is the same in all
                      lanes is in uniform registers, or read from constants again; predicates have registers of their own */
    u32 *instead;    /* by register, two each: 1 + what is there in its place, as it is made of that; 0: none */
    bool *doubles;   /* by register: another one of the same fragment has the same */
    bool *predicate; /* by register */
    bool *parameter; /* by register: it is one, or a copy */
    u32 *place;      /* by register; for pressure.c */
};

/* By register: it may differ from lane to lane, or ptxas keeps it in each lane though it does not (uniform.c). */
bool *lives_find_varying(struct arena *mem, const struct ir_func *f);

struct lives *lives_make(struct arena *mem, const struct ir_func *f, const struct estimate *e);

/* In a loop, the base of an address that a lane makes by IMAD.WIDE, if it is the same in all lanes; else NULL. The factor is an immediate, so that the base
 * has to be in a lane's registers: from in front of the loop on, where it has a width, or it is loaded in each turn. */
const struct ptx_var *lives_base(const struct lives *l, const struct ir_func *f, const struct estimate *e, u32 site);
/* Those that are parameters get no register in front of loops in which more than `most` are taken (by block). False: none has lost one. */
bool lives_drop_parameters(struct lives *l, const struct ir_func *f, const struct estimate *e, const u32 *taken,
                           u32 most);

static inline bool lives_has(const u64 *set, u32 reg) { return set[reg / 64] >> (reg % 64) & 1; }
static inline const u64 *lives_into(const struct lives *l, u32 block) { return l->in + (size_t)block * l->words; }

#endif
