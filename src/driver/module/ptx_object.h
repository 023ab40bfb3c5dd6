/* ptx_object.h - the object that lockstep-ptxas makes: an ELF file for no machine, with the PTX as it came in one section.
 *
 * It stands where programs want machine code: they hand it to cuModuleLoadData like the rest. e_flags says for which GPU it was
 * made, and it is refused by others as machine code would be. The table of sections is the end of the file, so the size of an
 * object of which only the address is known is in its header. */
#ifndef LS_DRIVER_PTX_OBJECT_H
#define LS_DRIVER_PTX_OBJECT_H

#include <elf.h>

#include "base/base.h"

#define PTX_OBJECT_SECTION ".lockstep.ptx"
#define PTX_OBJECT_COMMENT ".comment" /* by which command it was made */

enum {
    PTX_OBJECT_SM = 0xffff,    /* 90 */
    PTX_OBJECT_ARCH = 0x10000, /* 'a': for this GPU alone */
    PTX_OBJECT_FAMILY = 0x20000
};

/* Whether such an object runs on a GPU of compute capability sm. */
static inline bool ptx_object_runs(u32 flags, u32 sm)
{
    const u32 made = flags & PTX_OBJECT_SM;
    return flags & PTX_OBJECT_ARCH ? made == sm : made / 10 == sm / 10 && made <= sm;
}

static inline bool ptx_object_is(const Elf64_Ehdr *e) { return e->e_machine == EM_NONE && e->e_version == EV_CURRENT; }

#endif
