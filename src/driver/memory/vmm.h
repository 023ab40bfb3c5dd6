/* vmm.h - what other files ask of memory that programs map themselves (vmm.c).
 */
#ifndef LS_DRIVER_VMM_H
#define LS_DRIVER_VMM_H

#include "driver/driver.h"

CUmemAllocationHandleType piece_handle_types(const struct piece *p);

#endif
