/* proc.c - cuGetProcAddress: from a name without version and a CUDA version to the function of that time.
 *
 * Several functions may share a name ("cuMemHostRegister", "cuMemHostRegister_v2"); each came with some CUDA version,
 * and the newest that is not above the version asked for is the answer. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/stubs.h"

typedef void (*entry)(void);

struct proc {
    const char *name;
    entry plain, per_thread; /* per_thread: NULL when there is no twin */
};

#define PROC__(name) {#name, (entry)name, NULL},
#define PROC_SZ(name) {#name, (entry)name, (entry)name##_ptsz},
#define PROC_DS(name) {#name, (entry)name, (entry)name##_ptds},

static const struct proc procs[] = {
#define API(name, when, threads, n, ...) PROC_##threads(name)
#include "driver/api.def"
#undef API
#define STUB(name) {#name, (entry)name, NULL},
#include "driver/stubs.def"
#undef STUB
};

/* When a version came, where the same name has several. What is not here: 0 without suffix, 3020 with one. */
static const struct {
    const char *name;
    int since;
} births[] = {
    {"cuCtxCreate_v3", 11040},
    {"cuCtxCreate_v4", 12050},
    {"cuCtxDestroy_v2", 4000},
    {"cuCtxPopCurrent_v2", 4000},
    {"cuCtxPushCurrent_v2", 4000},
    {"cuStreamDestroy_v2", 4000},
    {"cuEventDestroy_v2", 4000},
    {"cuTexRefSetAddress2D_v3", 4010},
    {"cuLinkCreate_v2", 6050},
    {"cuLinkAddData_v2", 6050},
    {"cuLinkAddFile_v2", 6050},
    {"cuMemHostRegister_v2", 6050},
    {"cuGraphicsResourceSetMapFlags_v2", 6050},
    {"cuStreamBeginCapture_v2", 10010},
    {"cuDevicePrimaryCtxRelease_v2", 11000},
    {"cuDevicePrimaryCtxReset_v2", 11000},
    {"cuDevicePrimaryCtxSetFlags_v2", 11000},
    {"cuIpcOpenMemHandle_v2", 11000},
    {"cuGraphInstantiate_v2", 11000},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo_v3", 12030},
    {"cuDeviceGetUuid_v2", 11040},
    {"cuStreamWriteValue32_v2", 11070},
    {"cuStreamWaitValue32_v2", 11070},
    {"cuStreamWriteValue64_v2", 11070},
    {"cuStreamWaitValue64_v2", 11070},
    {"cuStreamBatchMemOp_v2", 11070},
    {"cuGetProcAddress_v2", 12000},
    {"cuGraphExecUpdate_v2", 12000},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync_v2", 12020},
    {"cuGraphGetEdges_v2", 12030},
    {"cuGraphNodeGetDependencies_v2", 12030},
    {"cuGraphNodeGetDependentNodes_v2", 12030},
    {"cuGraphAddDependencies_v2", 12030},
    {"cuGraphRemoveDependencies_v2", 12030},
    {"cuGraphAddNode_v2", 12030},
    {"cuStreamUpdateCaptureDependencies_v2", 12030},
    {"cuStreamGetCtx_v2", 12050},
    {"cuEventElapsedTime_v2", 12080},
    {"cuMemcpyBatchAsync_v2", 13000},
    {"cuMemcpy3DBatchAsync_v2", 13000},
    {"cuCtxGetDevice_v2", 13000},
    {"cuCtxSynchronize_v2", 13000},
};

/* Length of a name without "_v2" and the like. */
static size_t base_len(const char *name)
{
    size_t n = strlen(name), digits = n;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    return digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_' ? digits - 2 : n;
}

static int since(const char *name)
{
    for (size_t i = 0; i < LS_ARRAY_LEN(births); i++)
        if (strcmp(births[i].name, name) == 0)
            return births[i].since;
    return name[base_len(name)] ? 3020 : 0;
}

struct answer {
    const struct proc *best;
    int since;
    bool too_new; /* the name exists, but later */
};

static struct answer look_up(const char *symbol, int version)
{
    struct answer a = {0};
    size_t n = strlen(symbol);
    for (size_t i = 0; i < LS_ARRAY_LEN(procs); i++) {
        const struct proc *p = &procs[i];
        if (strcmp(p->name, symbol) == 0 && p->name[base_len(p->name)])
            return (struct answer){.best = p}; /* the full name */
        if (strncmp(p->name, symbol, n) != 0 || base_len(p->name) != n)
            continue;
        int born = since(p->name);
        if (born > version)
            a.too_new = true;
        else if (!a.best || born > a.since)
            a.best = p, a.since = born;
    }
    return a;
}

CUresult impl_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus)
{
    CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
    if (!symbol || !pfn || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
        return CUDA_ERROR_INVALID_VALUE;
    if (strcmp(symbol, "cuGraphInstantiate") == 0 && cudaVersion >= 12000)
        symbol = "cuGraphInstantiateWithFlags"; /* the name means that one since */
    struct answer a = look_up(symbol, cudaVersion);
    *pfn = NULL;
    if (a.best) {
        bool twin = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) && a.best->per_thread;
        *pfn = (void *)(twin ? a.best->per_thread : a.best->plain);
    } else {
        status = a.too_new ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    if (symbolStatus)
        *symbolStatus = status;
    return a.best ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult impl_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    return impl_cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL);
}

/* The tables that NVIDIA's runtime library, of any linkage, asks for first of all (seen with CUDA 13.0). Its NVRTC asks for
 * others, and does without. */
static const unsigned char runtime_tables[][16] = {
    {0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9},
    {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9},
};

static bool is_runtime_table(const CUuuid *id)
{
    for (size_t i = 0; id && i < LS_ARRAY_LEN(runtime_tables); i++)
        if (memcmp(id->bytes, runtime_tables[i], sizeof runtime_tables[i]) == 0)
            return true;
    return false;
}

/* NVIDIA's own libraries find each other's internals through these tables; there are none here. Whoever asks for the
 * runtime's has that one: the only place where a stripped program, or a library that one loads later, gives itself
 * away. */
CUresult impl_cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (is_runtime_table(pExportTableId) && !atomic_flag_test_and_set(&said))
        drv_log("something in this program is or contains NVIDIA's own runtime library, which accepts NVIDIA's driver "
                "only: its calls fail; build with `nvcc -cudart shared` and start with `lockstep run`");
    if (ppExportTable)
        *ppExportTable = NULL;
    return CUDA_ERROR_NOT_SUPPORTED;
}
