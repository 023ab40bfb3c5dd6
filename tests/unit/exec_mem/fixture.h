/* fixture.h - one warp by hand, so that bodies can be called without a grid: a register file, device memory with a few
 * allocations of every sort, shared and local memory, and a record of the fault and the events.
 *
 * warp_fault, warp_excuse, warp_forgive, grid_fault, fault_place and exec_print are the fixture's own (the linker wraps
 * the engine's). */
#ifndef EXEC_MEM_FIXTURE_H
#define EXEC_MEM_FIXTURE_H

#include "exec/bodies/bodies.h"
#include "exec/device/builtin.h"
#include "exec/memory/device_memory.h"
#include "exec/sched.h"

enum { FX_SLOTS = 96, FX_SHARED = 4096, FX_LOCAL = 272, FX_EVENTS = 4 };

struct fx_fault {
    bool set, write, atomic;
    enum exec_fault_kind kind;
    unsigned lane;
    u64 address, size;
    u8 space;
};

struct fx {
    struct warp w;
    struct ir_func func;
    struct ir_inst code[2]; /* the instruction and the one that stops */
    struct site_cache site;
    struct exec_hooks hooks;
    struct mem *m;
    u8 *regs; /* FX_SLOTS slots */
    u8 *shared, *local;
    struct block *block;
    struct fx_grid *grid;
    struct fx_fault fault;
    char detail[512]; /* of a fault that has one */
    unsigned nevents;
    struct exec_access events[FX_EVENTS];
    u64 event_addr[FX_EVENTS][IR_LANES];
    char *printed;
    size_t printed_len;
};

void fx_init(struct fx *f);
void fx_free(struct fx *f);
/* Forgets caches, fault and events. */
void fx_reset(struct fx *f);
/* Runs code[0] with this body; true when the record after it was reached. */
bool fx_run(struct fx *f, ir_body body);

static inline u32 *fx_32(struct fx *f, u32 slot) { return (u32 *)(void *)(f->regs + slot * IR_SLOT); }
static inline u64 *fx_64(struct fx *f, u32 slot) { return (u64 *)(void *)(f->regs + slot * IR_SLOT); }

/* xorshift64*, so that every run is the same. */
u64 fx_random(void);
void fx_seed(u64 seed);

#endif
