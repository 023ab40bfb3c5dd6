/* memory_op.c - batches of memory operations: a stream writes a word of memory, or waits until one has a value. The
 * word is in device memory or pinned host memory, so a stream can wait for kernels, other streams and the program
 * itself.
 *
 * A batch is checked as a whole before any of it is done. A wait looks again and again, with pauses; between two looks
 * memory may go away, and then the wait ends as a GPU's would: with an illegal address. Writes are in the order of the
 * batch and visible at once, so barriers do nothing. Flushing remote writes is refused, as the device attribute says.
 * Not there: the functions of before CUDA 11.7, which an H200's driver refuses too. */
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "driver/driver.h"

enum { MOST = 255 }; /* of a batch */

struct batch {
    struct op op;
    CUstreamBatchMemOpParams ops[];
};

static unsigned width_of(CUstreamBatchMemOpType type)
{
    return type == CU_STREAM_MEM_OP_WAIT_VALUE_64 || type == CU_STREAM_MEM_OP_WRITE_VALUE_64 ? 8 : 4;
}

/* waitValue and writeValue have the same layout. */
static bool there(const CUstreamBatchMemOpParams *p)
{
    const u64 address = p->writeValue.address;
    const unsigned width = width_of(p->operation);
    return address % width == 0 && memory_covers(address, width, true);
}

/* ---- doing ---- */

static u64 load(const CUstreamBatchMemOpParams *p)
{
    const void *at = (const void *)(uintptr_t)p->waitValue.address;
    return width_of(p->operation) == 8 ? __atomic_load_n((const u64 *)at, __ATOMIC_ACQUIRE)
                                       : __atomic_load_n((const u32 *)at, __ATOMIC_ACQUIRE);
}

/* The comparison "at least" is cyclic: a counter that has wrapped around is ahead. */
static bool met(const CUstreamBatchMemOpParams *p)
{
    const bool wide = width_of(p->operation) == 8;
    const u64 is = load(p), want = wide ? p->waitValue.value64 : p->waitValue.value;
    const u64 ones = wide ? UINT64_MAX : UINT32_MAX;
    switch (p->waitValue.flags) {
    case CU_STREAM_WAIT_VALUE_EQ:
        return is == want;
    case CU_STREAM_WAIT_VALUE_AND:
        return (is & want) != 0;
    case CU_STREAM_WAIT_VALUE_NOR:
        return (~(is | want) & ones) != 0;
    default:
        return wide ? (i64)(is - want) >= 0 : (i32)(u32)(is - want) >= 0;
    }
}

static void store(const CUstreamBatchMemOpParams *p, const struct op *op)
{
    void *at = (void *)(uintptr_t)p->writeValue.address;
    TELL(filled, p->writeValue.address, width_of(p->operation), op);
    if (width_of(p->operation) == 8)
        __atomic_store_n((u64 *)at, p->writeValue.value64, __ATOMIC_RELEASE);
    else
        __atomic_store_n((u32 *)at, p->writeValue.value, __ATOMIC_RELEASE);
}

/* False: it is a wait whose value is not there yet. */
static bool try_one(const CUstreamBatchMemOpParams *p, struct op *op)
{
    bool done = true;
    if (p->operation == CU_STREAM_MEM_OP_BARRIER)
        return true;
    memory_run_begin();
    if (!there(p))
        stream_fault(op->ctx, "a memory operation", (const void *)(uintptr_t)p->writeValue.address);
    else if (p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || p->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64)
        done = met(p);
    else
        store(p, op);
    memory_run_end();
    return done;
}

static void batch_run(struct work *w)
{
    struct batch *b = (struct batch *)w;
    struct timespec pause = {0, 1000};
    for (unsigned i = 0; i < b->op.params.memOp.count && ctx_sticky(b->op.ctx) == CUDA_SUCCESS;) {
        if (try_one(&b->ops[i], &b->op)) {
            i++;
            continue;
        }
        if (atomic_load(&drv.exiting))
            return;
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < 1000000)
            pause.tv_nsec *= 2;
    }
}

/* ---- checking ---- */

static CUresult check_value(const CUstreamBatchMemOpParams *p, unsigned most_flags)
{
    struct allocation a;
    if (p->waitValue.flags & CU_STREAM_WAIT_VALUE_FLUSH)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (p->waitValue.flags > most_flags || !there(p))
        return CUDA_ERROR_INVALID_VALUE;
    return memory_find(p->waitValue.address, &a) && a.kind == MEM_MANAGED ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult check_one(const CUstreamBatchMemOpParams *p)
{
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        return check_value(p, CU_STREAM_WAIT_VALUE_NOR);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        return check_value(p, CU_STREAM_WRITE_VALUE_DEFAULT);
    case CU_STREAM_MEM_OP_BARRIER:
        return p->memoryBarrier.flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

static bool has_wait(const CUDA_BATCH_MEM_OP_NODE_PARAMS *p)
{
    for (unsigned i = 0; i < p->count; i++)
        if (p->paramArray[i].operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
            p->paramArray[i].operation == CU_STREAM_MEM_OP_WAIT_VALUE_64)
            return true;
    return false;
}

CUresult memory_ops(CUcontext ctx, const CUDA_BATCH_MEM_OP_NODE_PARAMS *p, struct op **out)
{
    if (p->count > MOST || (p->count && !p->paramArray) || p->flags)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < p->count; i++) {
        const CUresult r = check_one(&p->paramArray[i]);
        if (r != CUDA_SUCCESS)
            return r;
    }
    struct batch *b = (struct batch *)op_new(sizeof *b + p->count * sizeof b->ops[0], CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
                                             ctx, batch_run);
    if (!b)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (p->count)
        memcpy(b->ops, p->paramArray, p->count * sizeof b->ops[0]);
    if (has_wait(p))
        TELL(value_waited);
    b->op.params.memOp = (CUDA_BATCH_MEM_OP_NODE_PARAMS){ctx, p->count, b->ops, 0};
    *out = &b->op;
    return CUDA_SUCCESS;
}

/* ---- entry points ---- */

CUresult impl_cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
                                    unsigned int flags)
{
    struct CUstream_st *s;
    struct op *op;
    CUresult r = stream_find(stream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    const CUDA_BATCH_MEM_OP_NODE_PARAMS p = {s->ctx, count, paramArray, flags};
    r = memory_ops(s->ctx, &p, &op);
    return r == CUDA_SUCCESS ? stream_submit_op(s, op) : r;
}

static CUresult one(CUstream stream, CUstreamBatchMemOpType type, CUdeviceptr addr, cuuint64_t value, unsigned flags)
{
    CUstreamBatchMemOpParams p = {.waitValue = {.operation = type, .address = addr, .value64 = value, .flags = flags}};
    return impl_cuStreamBatchMemOp_v2(stream, 1, &p, 0);
}

CUresult impl_cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, addr, value, flags);
}

CUresult impl_cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return one(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, addr, value, flags);
}

CUresult impl_cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
    return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, addr, value, flags);
}

CUresult impl_cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
    return one(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, addr, value, flags);
}
