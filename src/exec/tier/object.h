/* object.h - a relocatable object file (ELF, x86-64) in memory becomes code that can be called. */
#ifndef LS_EXEC_TIER_OBJECT_H
#define LS_EXEC_TIER_OBJECT_H

#include "base/base.h"
#include "base/status.h"

struct object;

/* What an object may refer to, by name. */
struct object_symbol {
    const char *name;
    const void *address;
};

/* Maps the object's code and constants. Nothing of `bytes` is needed afterwards, and they may be anything: what is not well
 * formed, or is an object that this does not load, is LS_ERR_SYNTAX or LS_ERR_UNSUPPORTED, and why[n] says what it is. A
 * name that the object needs and the table lacks: LS_ERR_NOT_FOUND. LS_ERR_NOMEM, LS_ERR_IO: no memory, no mapping. */
enum ls_status object_load(const u8 *bytes, size_t len, const struct object_symbol *symbols, size_t nsymbols,
                           struct object **out, char *why, size_t n);
/* The address of a function of the object; NULL: it has none of that name. */
void *object_function(const struct object *o, const char *name);
size_t object_size(const struct object *o); /* bytes mapped */
/* No thread may be in its code. NULL is fine. */
void object_free(struct object *o);

#endif
