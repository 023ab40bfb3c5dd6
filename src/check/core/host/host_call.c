/* host_call.c - the program's calls: each thread knows the outermost one that it is in, by the name that the program
 * used. A library above the driver (the runtime) says when its calls begin and end, so that what it calls here is not
 * taken for the program's.
 *
 * A place is the return addresses of the stack, innermost first, without those in this library and in the one above. It
 * is taken only for what may be printed: launches, copies, allocations, frees, and calls that fail. */
#include <execinfo.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "check/core/host/host.h"

/* Loaded code of a library. */
struct code {
    uintptr_t lo, hi;
};

enum { LIBRARIES = 2 };
static struct code libraries[LIBRARIES]; /* this one, the one above */

static _Thread_local struct {
    const char *name; /* what the program called */
    unsigned depth;   /* calls within calls */
    u64 number;
    bool known;    /* call is of this call */
    bool answered; /* its failure tells the program what there is */
    bool hidden;   /* the library above calls by itself: what fails is its matter */
    struct host_call call;
} now;

/* ---- where ---- */

struct search {
    uintptr_t at;
    struct code found;
};

static int look(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct search *s = ctx;
    (void)size;
    struct code c = {UINTPTR_MAX, 0};
    for (unsigned k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD)
            continue;
        const uintptr_t lo = info->dlpi_addr + p->p_vaddr, hi = lo + p->p_memsz;
        c.lo = lo < c.lo ? lo : c.lo;
        c.hi = hi > c.hi ? hi : c.hi;
    }
    if (s->at - c.lo >= c.hi - c.lo)
        return 0;
    s->found = c;
    return 1;
}

static struct code code_at(const void *at)
{
    struct search s = {.at = (uintptr_t)at};
    dl_iterate_phdr(look, &s);
    return s.found;
}

static bool ours(const void *at)
{
    for (unsigned k = 0; k < LIBRARIES; k++)
        if ((uintptr_t)at - libraries[k].lo < libraries[k].hi - libraries[k].lo)
            return true;
    return false;
}

void check_call_init(void)
{
    void *frames[1];
    libraries[0] = code_at((const void *)(uintptr_t)check_call_init);
    backtrace(frames, 1); /* loads the unwinder now, and not in the middle of something */
}

/* Without what the header adds for default streams of threads. */
static size_t name_length(const char *name)
{
    const size_t n = strlen(name), suffix = strlen("_ptsz");
    const char *tail = n > suffix ? name + n - suffix : "";
    return strcmp(tail, "_ptsz") == 0 || strcmp(tail, "_ptds") == 0 ? n - suffix : n;
}

static void find_frames(struct host_call *out)
{
    enum { OURS = 16 };
    void *frames[HOST_FRAMES + OURS];
    const int n = backtrace(frames, HOST_FRAMES + OURS);
    *out = (struct host_call){.nframes = 0};
    snprintf(out->api, sizeof out->api, "%.*s", (int)name_length(now.name), now.name);
    int first = 0; /* of this library: what is above it is the unwinder's */
    while (first < n && !ours(frames[first]))
        first++;
    for (int k = first < n ? first : 0; k < n && out->nframes < HOST_FRAMES; k++)
        if (!ours(frames[k]))
            out->frames[out->nframes++] = (u64)(uintptr_t)frames[k];
}

const struct host_call *check_call(void)
{
    if (!now.depth)
        return NULL;
    if (!now.known)
        find_frames(&now.call);
    now.known = true;
    return &now.call;
}

u64 check_call_number(void) { return now.number; }

struct host_call *check_call_new(void)
{
    const struct host_call *here = check_call();
    struct host_call *copy = here ? ls_realloc(NULL, sizeof *copy) : NULL;
    if (copy)
        *copy = *here;
    return copy;
}

/* ---- begin and end ---- */

void check_call_begin(const char *name, const void *from)
{
    if (now.depth++)
        return;
    now.name = name;
    now.number++;
    now.known = now.answered = false;
    now.hidden = ours(from);
}

void check_call_end(void)
{
    if (!now.depth || --now.depth)
        return;
    now.name = NULL;
}

void check_call_begin_above(const char *name, const void *from)
{
    if (!libraries[1].hi)
        libraries[1] = code_at(from);
    check_call_begin(name, NULL);
}

/* ---- errors ---- */

/* Calls by which programs find out what is supported: a failure is an answer and no error. */
static const struct {
    const char *call; /* NULL: any */
    int error;
} answers[] = {
    {NULL, CUDA_ERROR_NOT_READY},
    {NULL, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED},
    {NULL, CUDA_ERROR_PEER_ACCESS_NOT_ENABLED},
    {NULL, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED},
    {"cuGetProcAddress", CUDA_ERROR_NOT_FOUND},
    {"cuGetProcAddress_v2", CUDA_ERROR_NOT_FOUND},
    {"cuGetErrorName", CUDA_ERROR_INVALID_VALUE},
    {"cuGetErrorString", CUDA_ERROR_INVALID_VALUE},
    {"cuPointerGetAttribute", CUDA_ERROR_INVALID_VALUE},
    {"cuPointerGetAttributes", CUDA_ERROR_INVALID_VALUE},
    {"cuMemGetAddressRange_v2", CUDA_ERROR_NOT_FOUND},
    {"cudaPointerGetAttributes", CUDA_ERROR_INVALID_VALUE},
};

static bool is_error(int error)
{
    if (strcmp(now.name, "cuGetExportTable") == 0)
        return false; /* no part of the public API: libraries of NVIDIA's ask it for themselves */
    if (now.answered && drv.settings.check_api != CHECK_API_ALL)
        return false;
    for (size_t k = 0; drv.settings.check_api != CHECK_API_ALL && k < LS_ARRAY_LEN(answers); k++)
        if (answers[k].error == error && (!answers[k].call || strcmp(answers[k].call, now.name) == 0))
            return false;
    return true;
}

void check_call_answered(void) { now.answered = true; }

bool check_call_error(int error, const char *name, const char *text, char *what, size_t n)
{
    if (now.depth != 1 || now.hidden || !is_error(error))
        return false;
    snprintf(what, n, "Program hit %s (error %d) due to \"%s\" on CUDA API call to %s.", name, error, text,
             check_call()->api);
    return true;
}
