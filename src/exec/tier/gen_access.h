/* gen_access.h - an access of memory while its code is made: what gen_memory.c, gen_offsets.c and gen_count.c share. */
#ifndef LS_EXEC_TIER_GEN_ACCESS_H
#define LS_EXEC_TIER_GEN_ACCESS_H

#include "exec/tier/gen.h"

/* An access under way. */
struct access {
    const struct op *op;
    const struct ir_inst *r;
    u32 record;
    unsigned bytes; /* a lane */
    struct shape shape;
    llvm_value at; /* the address: a scalar, or of 32 lanes; shared: an offset. 64 bits */
    llvm_value ok; /* a condition of the address, or NULL */
    struct value address;
    bool shared;
};

/* ---- gen_memory.c ---- */
llvm_value access_host(struct gen *e, const struct access *x, llvm_value at);
llvm_type access_element_type(struct gen *e, const struct op *op);
void access_load_whole(struct gen *e, const struct access *x, llvm_value at, llvm_value *v); /* at an address */
llvm_value access_load_many(struct gen *e, const struct access *x, llvm_value at, u32 n);
void access_put_elements(struct gen *e, const struct access *x, llvm_value *v, bool vec);
llvm_value access_element(struct gen *e, const struct access *x, unsigned k, bool vec);
llvm_value access_interleaved(struct gen *e, llvm_value *v, unsigned count);
llvm_value access_each_twice(struct gen *e, llvm_value mask, unsigned count);

/* ---- gen_count.c ---- */
/* Counts or tells the access, which is about to be done. first: of a row of all lanes, or NULL. */
void gen_count_access(struct gen *e, const struct access *x, llvm_value first);

/* The region that an access is checked against. */
struct bounds {
    llvm_value lo, len;
};
struct bounds access_site_bounds(struct gen *e, u32 site);
/* How far into the region an access of n bytes may begin, plus one; 0: nowhere. */
llvm_value access_room(struct gen *e, const struct bounds *b, u64 n);

/* ---- gen_root.c: addresses that are made of a pointer among the parameters ---- */
/* Whether `span` bytes from `low` behind the address are in the allocation of that pointer; NULL: it is made of none. */
llvm_value access_by_root(struct gen *e, const struct access *x, i64 low, u64 span);

/* ---- gen_offsets.c: lanes that are constant offsets apart ---- */
/* Lanes whose places follow one another. */
struct run {
    u32 first, n; /* lanes */
};
enum { MOST_RUNS = 4, MOST_PLACES = 4, WIDEST_SPAN = 512 };

struct access_layout {
    i64 low;   /* the least offset */
    u64 span;  /* bytes from there to behind the last place */
    bool even; /* all offsets are multiples of what a lane accesses */
    u32 nruns, nplaces;
    struct run runs[IR_LANES];
    i64 places[IR_LANES]; /* offsets, each once */
    u32 place[IR_LANES];  /* of each lane, among them */
};

struct access_layout access_lay_out(const struct access *x);
/* An address so many bytes on. */
llvm_value access_moved(struct gen *e, llvm_value at, i64 offset);
/* Does it; `none` is not looked at. */
void access_do_offsets(struct gen *e, const struct access *x, llvm_value none);
/* Whether it can: few runs of lanes, or little space between their places; or for a load few places. */
bool access_serves_offsets(const struct access *x, const struct access_layout *l);

#endif
