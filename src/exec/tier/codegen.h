/* codegen.h - an LLVM module becomes an x86-64 object file in memory. */
#ifndef LS_EXEC_TIER_CODEGEN_H
#define LS_EXEC_TIER_CODEGEN_H

#include "base/status.h"
#include "exec/exec.h"
#include "exec/tier/llvm.h"

/* The module's object file (ELF, relocatable, for object_load) in memory of ls_realloc, for processors of this level, which
 * is not ISA_PORTABLE. The module is optimised in place and stays the caller's, as does its context. To be called in
 * llvm_guard. LS_ERR_UNSUPPORTED: why[n] has what LLVM said. LS_ERR_NOMEM. */
enum ls_status tier_codegen(const struct llvm *ll, llvm_module m, enum exec_isa isa, u8 **bytes, size_t *len, char *why,
                            size_t n);

/* What becomes of the object depends on this text too, beside the module, the level and llvm_version(): for a cache's key. */
const char *tier_codegen_recipe(void);

#endif
