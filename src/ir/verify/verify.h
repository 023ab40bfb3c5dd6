/* verify.h - what the parts of the verifier share. Internal to ir/verify/.
 *
 * verify.c has the entry, verify_flow.c blocks and dominators, verify_frame.c the register file and who holds which slot,
 * verify_records.c the code. The first broken rule is kept, later ones are not looked for. */
#ifndef LS_IR_VERIFY_H
#define LS_IR_VERIFY_H

#include "ir/pass.h"

struct verify {
    const struct ir_func *f;
    const struct ptx_func *src;
    const struct ir_target *target;
    char *why; /* the broken rule, "" while there is none */
    size_t size;
};

/* Notes the rule that does not hold; `site` (or UINT32_MAX) says of which instruction. Returns false. */
bool verify_broken(struct verify *v, u32 site, const char *fmt, ...) LS_PRINTF(3, 4);

/* Each returns false when a rule is broken, true too when there is no memory to look. */
bool verify_blocks(struct verify *v);
bool verify_dominators(struct verify *v);
bool verify_frame(struct verify *v);
bool verify_slots(struct verify *v);
bool verify_records(struct verify *v, unsigned shape);

#endif
