/* heap.h - what the meter sees of the device's heap, for the model of its time (model/device_heap.h). */
#ifndef LS_METER_REPORT_HEAP_H
#define LS_METER_REPORT_HEAP_H

#include "exec/exec.h"

/* Whether a kernel's module calls malloc or free. */
bool heap_is_called(const struct ir_func *kernel);

/* A hook (exec.h): ctx is a struct counter. */
void counter_heap(void *ctx, const struct exec_heap *h);

#endif
