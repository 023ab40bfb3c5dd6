/* kernel.h - what is worked out once for a kernel and kept for its next launches (struct meter_kernel, meter.h): registers as estimated, and
 * the machine code of its functions, which depend on the PTX, on what ptxas says of it and on the GPU alone. */
#ifndef LS_METER_KERNEL_H
#define LS_METER_KERNEL_H

#include "meter/meter.h"
#include "meter/rules.h"
#include "model/replay/code.h"

/* A thread's registers of a kernel that no ptxas was asked about. k: NULL: nothing is kept. */
u32 meter_kernel_registers(struct meter_kernel *k, const struct gpu *gpu, const struct ir_func *kernel);

/* Of one of the kernel's functions: of what ptxas made of the kernel if `made` is not NULL and has some of f, else as estimated. It lives as long as
 * k, or as tmp (whose recovery point is set) if k is NULL or there is no memory to keep it. */
const struct replay_code *meter_kernel_code(struct meter_kernel *k, struct arena *tmp, const struct gpu *gpu,
                                            const struct ir_func *f, const struct estimate *e,
                                            const struct sass_func *made);

#endif
