/* latency.h - what a PTX instruction stands for on the machine. */
#ifndef LS_MODEL_LATENCY_H
#define LS_MODEL_LATENCY_H

#include "ir/ir.h"

/* The unit that runs the instruction, and how many machine instructions of that unit it is. */
struct ir_cost latency_cost(const struct ptx_inst *i);

#endif
