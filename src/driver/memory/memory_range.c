/* memory_range.c - advice about ranges of managed memory, and prefetches of them. The host and all devices use the same
 * pages, so neither has an effect; the advice is only remembered, for cuMemRangeGetAttribute.
 *
 * A piece is a range of one allocation with the same advice; pieces do not overlap and are in the order of their
 * addresses. There is no advice for bytes that are in no piece. Pieces of memory that was freed are dropped when their
 * addresses are asked for again. A discard says that the contents are not needed any more, and leaves them alone. */
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"

enum { NOWHERE = -2 }; /* no location, or not the same for all of a range */

struct said {
    bool read_mostly;
    i32 preferred, prefetched; /* a device, CU_DEVICE_CPU or NOWHERE */
    u64 accessed_by;           /* bit 0: the host, bit n + 1: device n */
};

struct piece_of_range {
    u64 from, to, id; /* id: of the allocation */
    struct said said;
};

static const struct said nothing = {.preferred = NOWHERE, .prefetched = NOWHERE};

static struct {
    struct piece_of_range *at;
    size_t n;
    pthread_mutex_t lock;
} pieces = {.lock = PTHREAD_MUTEX_INITIALIZER};

static u64 accessor(CUdevice d) { return 1ull << (d + 1); }

/* ---- the pieces; lock held ---- */

static void drop(size_t i)
{
    LS_LOCKED(&pieces.lock);
    LS_BUG_ON(i >= pieces.n);
    pieces.n--;
    memmove(&pieces.at[i], &pieces.at[i + 1], (pieces.n - i) * sizeof pieces.at[0]);
}

static bool insert(size_t i, struct piece_of_range p)
{
    LS_LOCKED(&pieces.lock);
    LS_BUG_ON(i > pieces.n || p.from >= p.to || (i && pieces.at[i - 1].to > p.from) ||
              (i < pieces.n && p.to > pieces.at[i].from)); /* in order, and apart */
    struct piece_of_range *more = ls_realloc(pieces.at, (pieces.n + 1) * sizeof *more);
    if (!more)
        return false;
    pieces.at = more;
    memmove(&more[i + 1], &more[i], (pieces.n - i) * sizeof *more);
    more[i] = p;
    pieces.n++;
    return true;
}

static void drop_others(u64 from, u64 to, u64 id)
{
    for (size_t i = 0; i < pieces.n;)
        if (pieces.at[i].from < to && pieces.at[i].to > from && pieces.at[i].id != id)
            drop(i);
        else
            i++;
}

/* No piece goes across this address afterwards. */
static bool cut(u64 address)
{
    for (size_t i = 0; i < pieces.n; i++) {
        struct piece_of_range *p = &pieces.at[i];
        if (address <= p->from || address >= p->to)
            continue;
        struct piece_of_range rest = *p;
        rest.from = p->to = address;
        return insert(i + 1, rest);
    }
    return true;
}

/* Pieces everywhere in the range, and none across its ends. */
static bool cover(u64 from, u64 to, u64 id)
{
    drop_others(from, to, id);
    if (!cut(from) || !cut(to))
        return false;
    size_t i = 0;
    while (i < pieces.n && pieces.at[i].to <= from)
        i++;
    for (u64 at = from; at < to; i++) {
        const u64 next = i < pieces.n && pieces.at[i].from < to ? pieces.at[i].from : to;
        if (next > at && !insert(i, (struct piece_of_range){at, next, id, nothing}))
            return false;
        at = pieces.at[i].to;
    }
    return true;
}

/* What was said of the whole range. */
static struct said ask(u64 from, u64 to, u64 id)
{
    struct said all = nothing;
    u64 covered = 0;
    drop_others(from, to, id);
    for (size_t i = 0; i < pieces.n; i++) {
        const struct piece_of_range *p = &pieces.at[i];
        if (p->from >= to || p->to <= from)
            continue;
        const bool first = covered == 0;
        covered += (p->to < to ? p->to : to) - (p->from > from ? p->from : from);
        if (first) {
            all = p->said;
            continue;
        }
        all.read_mostly &= p->said.read_mostly;
        all.accessed_by &= p->said.accessed_by;
        all.preferred = all.preferred == p->said.preferred ? all.preferred : NOWHERE;
        all.prefetched = all.prefetched == p->said.prefetched ? all.prefetched : NOWHERE;
    }
    return covered == to - from ? all : nothing;
}

/* ---- advice and prefetches ---- */

static CUresult managed_range(CUdeviceptr p, size_t count, u64 *id)
{
    struct allocation a;
    if (!count || !memory_find(p, &a) || a.kind != MEM_MANAGED || !memory_covers(p, count, false))
        return CUDA_ERROR_INVALID_VALUE;
    *id = a.id;
    return CUDA_SUCCESS;
}

static void hear(struct said *s, CUmem_advise advice, CUdevice d)
{
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        s->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        s->preferred = d;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        s->preferred = NOWHERE;
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        s->accessed_by |= accessor(d);
        break;
    default:
        s->accessed_by &= ~accessor(d);
    }
}

/* advice 0: a prefetch. */
static CUresult say(CUdeviceptr from, size_t count, CUmem_advise advice, CUdevice d)
{
    u64 id;
    CUresult r = managed_range(from, count, &id);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&pieces.lock);
    const bool ok = cover(from, from + count, id);
    for (size_t i = 0; ok && i < pieces.n; i++) {
        struct piece_of_range *p = &pieces.at[i];
        if (p->from < from || p->to > from + count)
            continue;
        if (advice)
            hear(&p->said, advice, d);
        else
            p->said.prefetched = d;
    }
    pthread_mutex_unlock(&pieces.lock);
    return ok ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUdevice device_of(CUmemLocation l) { return l.type == CU_MEM_LOCATION_TYPE_DEVICE ? l.id : CU_DEVICE_CPU; }

static bool place_ok(CUdevice d) { return d == CU_DEVICE_CPU || device_ok(d); }

CUresult impl_cuMemAdvise(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUdevice device)
{
    if (advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    return place_ok(device) ? say(devPtr, count, advice, device) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult impl_cuMemAdvise_v2(CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    return impl_cuMemAdvise(devPtr, count, advice, device_of(location));
}

CUresult impl_cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream)
{
    struct CUstream_st *s;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    return place_ok(dstDevice) ? say(devPtr, count, 0, dstDevice) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult impl_cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                    CUstream hStream)
{
    return flags ? CUDA_ERROR_INVALID_VALUE : impl_cuMemPrefetchAsync(devPtr, count, device_of(location), hStream);
}

/* ---- batches: not for the legacy stream, and nothing is done if a part of one is wrong ---- */

static CUresult check_batch(const CUdeviceptr *dptrs, const size_t *sizes, size_t count, unsigned long long flags,
                            CUstream hStream)
{
    u64 id;
    struct CUstream_st *s;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (!dptrs || !sizes || !count || flags || s->legacy)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && r == CUDA_SUCCESS; i++)
        r = managed_range(dptrs[i], sizes[i], &id);
    return r;
}

/* Location k is for the ranges from idxs[k] on; they begin with the first and go up. */
static CUresult check_places(const CUmemLocation *locs, const size_t *idxs, size_t n, size_t count)
{
    if (!locs || !idxs || !n || n > count || idxs[0])
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t k = 0; k < n; k++) {
        if (idxs[k] >= count || (k && idxs[k] <= idxs[k - 1]))
            return CUDA_ERROR_INVALID_VALUE;
        if (!place_ok(device_of(locs[k])))
            return CUDA_ERROR_INVALID_DEVICE;
    }
    return CUDA_SUCCESS;
}

CUresult impl_cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, CUmemLocation *prefetchLocs,
                                      size_t *prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                      CUstream hStream)
{
    CUresult r = check_batch(dptrs, sizes, count, flags, hStream);
    if (r == CUDA_SUCCESS)
        r = check_places(prefetchLocs, prefetchLocIdxs, numPrefetchLocs, count);
    for (size_t i = 0, k = 0; i < count && r == CUDA_SUCCESS; i++) {
        if (k + 1 < numPrefetchLocs && i >= prefetchLocIdxs[k + 1])
            k++;
        r = say(dptrs[i], sizes[i], 0, device_of(prefetchLocs[k]));
    }
    return r;
}

CUresult impl_cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                     CUstream hStream)
{
    return check_batch(dptrs, sizes, count, flags, hStream);
}

CUresult impl_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                                                CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                size_t numPrefetchLocs, unsigned long long flags, CUstream hStream)
{
    return impl_cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                        hStream);
}

/* ---- asking ---- */

static i32 type_of(i32 place)
{
    return place == NOWHERE         ? CU_MEM_LOCATION_TYPE_INVALID
           : place == CU_DEVICE_CPU ? CU_MEM_LOCATION_TYPE_HOST
                                    : CU_MEM_LOCATION_TYPE_DEVICE;
}

/* The devices that were named, the host behind them, and NOWHERE in what is left. */
static void list_accessors(u64 accessed_by, i32 *to, size_t n)
{
    size_t k = 0;
    for (CUdevice d = 0; d < 63 && k < n; d++)
        if (accessed_by & accessor(d))
            to[k++] = d;
    if (k < n && (accessed_by & accessor(CU_DEVICE_CPU)))
        to[k++] = CU_DEVICE_CPU;
    while (k < n)
        to[k++] = NOWHERE;
}

static CUresult answer(const struct said *s, CUmem_range_attribute attribute, i32 *to, size_t size)
{
    const bool list = attribute == CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY;
    if (!to || !size || size % sizeof *to || (!list && size != sizeof *to))
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        *to = s->read_mostly;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY:
        list_accessors(s->accessed_by, to, size / sizeof *to);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        *to = s->preferred;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        *to = s->prefetched;
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        *to = type_of(s->preferred);
        return CUDA_SUCCESS;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        *to = type_of(s->prefetched);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult impl_cuMemRangeGetAttributes(void **data, size_t *dataSizes, CUmem_range_attribute *attributes,
                                      size_t numAttributes, CUdeviceptr devPtr, size_t count)
{
    u64 id;
    if (!data || !dataSizes || !attributes || !numAttributes)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = managed_range(devPtr, count, &id);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&pieces.lock);
    const struct said s = ask(devPtr, devPtr + count, id);
    pthread_mutex_unlock(&pieces.lock);
    for (size_t i = 0; i < numAttributes && r == CUDA_SUCCESS; i++)
        r = answer(&s, attributes[i], data[i], dataSizes[i]);
    return r;
}

CUresult impl_cuMemRangeGetAttribute(void *data, size_t dataSize, CUmem_range_attribute attribute, CUdeviceptr devPtr,
                                     size_t count)
{
    return impl_cuMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}
