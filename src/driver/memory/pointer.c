/* pointer.c - attributes of pointers. An address that Lockstep does not know is the host's pageable memory. */
#include <string.h>

#include "driver/memory/vmm.h"

struct known {
    struct allocation a;
    bool found;
};

static struct known look_up(u64 p)
{
    struct known k = {0};
    enum mem_kind kind;
    u64 hi;
    k.found = memory_find(p, &k.a);
    if (!k.found && mem_range(drv.mem, p, &k.a.base, &hi, &kind)) { /* a module's variable */
        k.found = true;
        k.a.size = hi - k.a.base;
        k.a.kind = (u8)kind;
    }
    return k;
}

static bool on_host(const struct known *k) { return k->a.kind == MEM_PINNED || k->a.kind == MEM_REGISTERED; }

static size_t attribute_size(CUpointer_attribute a)
{
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        return 8;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return 16;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        return sizeof(int); /* booleans are ints in the documentation's examples */
    default:
        return sizeof(int);
    }
}

/* The addresses that were allocated together: of a mapping the whole reservation. */
static struct allocation range_of(const struct known *k, u64 p)
{
    struct allocation r = k->a;
    bool empty;
    if (k->a.piece)
        mem_reserved(drv.mem, p, &r.base, &r.size, &empty);
    return r;
}

static u64 access_of(u64 p)
{
    struct mem_block b;
    if (!mem_mapping(drv.exec[device_now()].mem, p, &b) || b.kind == MEM_MAPPED)
        return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return b.kind == MEM_MAPPED_READ ? CU_MEM_ACCESS_FLAGS_PROT_READ : CU_MEM_ACCESS_FLAGS_PROT_NONE;
}

/* The attribute of a known pointer. False: it has no such attribute. */
static bool value_of(const struct known *k, CUpointer_attribute attribute, u64 p, u64 *v)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        *v = (u64)(uintptr_t)k->a.ctx;
        return true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *v = on_host(k) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *v = p;
        return true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *v = p;
        return on_host(k) || k->a.kind == MEM_MANAGED;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        *v = k->a.id;
        return true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *v = k->a.kind == MEM_MANAGED;
        return true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *v = range_of(k, p).base;
        return true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *v = range_of(k, p).size;
        return true;
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *v = k->a.base;
        return true;
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        *v = k->a.size;
        return true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        *v = 1;
        return true;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        *v = access_of(p);
        return true;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        *v = k->a.piece ? (u64)piece_handle_types(k->a.piece) : 0;
        return true;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        *v = k->a.kind == MEM_DEVICE && !k->a.pool && !k->a.graph;
        return true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        *v = (u64)(uintptr_t)k->a.pool;
        return true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *v = (u64)memory_device(p);
        return true;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *v = 0;
        return true;
    default:
        return false;
    }
}

static bool in_range(CUpointer_attribute a)
{
    return a >= CU_POINTER_ATTRIBUTE_CONTEXT && a <= CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID;
}

CUresult impl_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    if (!data || !in_range(attribute))
        return CUDA_ERROR_INVALID_VALUE;
    struct known k = look_up(ptr);
    u64 v = 0;
    if (!k.found || !value_of(&k, attribute, ptr, &v))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &v, attribute_size(attribute) < 8 ? 4 : 8);
    return CUDA_SUCCESS;
}

/* Unlike the single query, this one answers zero for what it does not know; the ordinal then is -2, as CUDA's. */
CUresult impl_cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute *attributes, void **data,
                                     CUdeviceptr ptr)
{
    if (!numAttributes || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    struct known k = look_up(ptr);
    for (unsigned i = 0; i < numAttributes; i++) {
        u64 v = 0;
        if (!in_range(attributes[i]) || !data[i])
            return CUDA_ERROR_INVALID_VALUE;
        if (!k.found || !value_of(&k, attributes[i], ptr, &v))
            v = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? (u64)-2 : 0;
        memcpy(data[i], &v, attribute_size(attributes[i]) < 8 ? 4 : 8);
    }
    return CUDA_SUCCESS;
}

CUresult impl_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    struct allocation a;
    if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !memory_find(ptr, &a))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS; /* synchronous copies always are */
}
