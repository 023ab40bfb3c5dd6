/* vmm.h - what other files need of vmm.c: memory that programs map themselves.
 */
#ifndef LS_DRIVER_VMM_H
#define LS_DRIVER_VMM_H

#include "driver/driver.h"

CUmemAllocationHandleType piece_handle_types(const struct piece *p);

#endif
