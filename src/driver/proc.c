/* proc.c - cuGetProcAddress: from a name without version and a CUDA version to the function of that time.
 *
 * Several functions may share a name ("cuMemHostRegister", "cuMemHostRegister_v2"); each came with some CUDA version,
 * and the newest that is not above the version asked for is the answer. Functions that are not supported are found too;
 * they say so when called. A test compares all answers with those of NVIDIA's driver
 * (tests/hw/h200/proc-address.csv). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "driver/driver.h"
#include "driver/stubs.h"

typedef void (*entry)(void);

struct proc {
    const char *name;
    int since;
    entry plain, per_thread; /* per_thread: NULL when there is no twin */
};

enum {
#define SINCE(version, name) SINCE_##name = version,
#include "driver/versions.def"
#undef SINCE
};

#define PROC__(name) {#name, SINCE_##name, (entry)name, NULL},
#define PROC_SZ(name) {#name, SINCE_##name, (entry)name, (entry)name##_ptsz},
#define PROC_DS(name) {#name, SINCE_##name, (entry)name, (entry)name##_ptds},

static const struct proc procs[] = {
#define API(name, when, threads, n, ...) PROC_##threads(name)
#include "driver/api.def"
#undef API
#define STUB(name, threads) PROC_##threads(name)
#include "driver/stubs.def"
#undef STUB
};

/* The twins for per-thread default streams came with CUDA 7.0, those of older functions too. */
enum { TWINS_SINCE = 7000 };

/* Length of a name without "_v2" and the like. */
static size_t base_len(const char *name)
{
    size_t n = strlen(name), digits = n;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1]))
        digits--;
    return digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_' ? digits - 2 : n;
}

static bool has_name(const struct proc *p, const char *symbol, size_t n)
{
    return strncmp(p->name, symbol, n) == 0 && base_len(p->name) == n;
}

static bool has_twins(const char *symbol)
{
    const size_t n = strlen(symbol);
    for (size_t i = 0; i < LS_ARRAY_LEN(procs); i++)
        if (procs[i].per_thread && has_name(&procs[i], symbol, n))
            return true;
    return false;
}

struct answer {
    entry function;
    int since;
    bool too_new; /* the name exists, but later */
};

/* If a name has twins, a request for twins gets only those. */
static struct answer look_up(const char *symbol, int version, bool twins)
{
    struct answer a = {0};
    const size_t n = strlen(symbol);
    for (size_t i = 0; i < LS_ARRAY_LEN(procs); i++) {
        const struct proc *p = &procs[i];
        if (!has_name(p, symbol, n) || (twins && !p->per_thread))
            continue;
        const int since = twins && p->since < TWINS_SINCE ? TWINS_SINCE : p->since;
        if (since > version)
            a.too_new = true;
        else if (!a.function || p->since > a.since)
            a = (struct answer){twins ? p->per_thread : p->plain, p->since, a.too_new};
    }
    return a;
}

/* The newer form does not fail for an unknown function: *pfn is NULL, and the status says why. */
CUresult impl_cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
                                  CUdriverProcAddressQueryResult *symbolStatus)
{
    const cuuint64_t known = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
    if (!symbol || !pfn || (flags & ~known) || cudaVersion > CUDA_VERSION)
        return CUDA_ERROR_INVALID_VALUE;
    const bool twins = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) && has_twins(symbol);
    const struct answer a = look_up(symbol, cudaVersion, twins);
    *pfn = (void *)a.function;
    if (symbolStatus)
        *symbolStatus = a.function  ? CU_GET_PROC_ADDRESS_SUCCESS
                        : a.too_new ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

CUresult impl_cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags)
{
    void *found = NULL;
    CUresult r = pfn ? impl_cuGetProcAddress_v2(symbol, &found, cudaVersion, flags, NULL) : CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS && !found)
        r = CUDA_ERROR_NOT_FOUND;
    if (r == CUDA_SUCCESS)
        *pfn = found;
    return r;
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

/* NVIDIA's own libraries find each other's internals through these tables; there are none here. A caller that asks for
 * the runtime's tables contains NVIDIA's runtime: the only way to tell for a stripped program, or a library loaded
 * later. */
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
