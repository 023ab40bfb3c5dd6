/* module.c - modules and libraries: from an image to something that has functions and variables.
 *
 * Loading parses and links; kernels are lowered when their function is asked for. A module belongs to its context; a
 * library belongs to the process: a device has a module of it from its first use there, which goes when the device's
 * primary context is reset and comes back from the kept texts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"
#include "driver/module/fatbin.h"
#include "driver/module/jit.h"

struct CUlib_st {
    u32 tag;
    struct image img;            /* kept, for loading again */
    CUmodule mods[MEM_DEVICES];  /* by device; NULL: not loaded there now */
    u64 loads[MEM_DEVICES];      /* times it was made */
    CUkernel *kernels, *by_name; /* all of them: in the module's order, and sorted; NULL before the first look-up */
    unsigned nkernels;
    CUlibrary next;
};

static u32 device_sm(void) { return drv.gpu.cc_major * 10 + drv.gpu.cc_minor; }

/* ---- from texts to a module ---- */

static void free_parsed(struct ptx_module **mods, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (mods[i])
            ptx_free(mods[i]);
    ls_free(mods);
}

/* Parses every text, so that all diagnostics are reported; NULL and *status when one is bad. */
static struct ptx_module **parse(const struct image *img, struct diag_list *diags, enum ls_status *status)
{
    struct ptx_module **mods = ls_calloc(img->n ? img->n : 1, sizeof *mods);
    *status = mods ? LS_OK : LS_ERR_NOMEM;
    for (unsigned i = 0; mods && i < img->n; i++) {
        const struct image_text *t = &img->texts[i];
        enum ls_status s = ptx_parse(t->text, t->len, t->name, &mods[i], diags);
        if (s != LS_OK) {
            mods[i] = NULL;
            *status = s;
        }
    }
    if (mods && *status != LS_OK) {
        free_parsed(mods, img->n);
        mods = NULL;
    }
    return mods;
}

/* Where a module is loaded. */
struct target {
    CUdevice device;
    const struct exec_module *sibling; /* the same, for another device; or NULL */
};

static CUresult load(const struct image *img, struct target to, struct diag_list *diags, struct exec_module **out)
{
    enum ls_status s;
    struct ptx_module **mods = parse(img, diags, &s);
    if (!mods)
        return result_of(s);
    memory_run_begin(); /* it writes memory of the device */
    s = exec_module_load_beside(&drv.exec[to.device], mods, img->n, to.sibling, out, diags);
    memory_run_end();
    ls_free(mods);
    return s == LS_ERR_NOT_FOUND || s == LS_ERR_INVALID ? CUDA_ERROR_INVALID_PTX : result_of(s);
}

static CUresult module_build(const struct image *img, struct target to, struct diag_list *diags, CUmodule *out)
{
    CUmodule m = handle_new(TAG_MODULE, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->tag = TAG_MODULE;
    m->device = to.device;
    CUresult r = load(img, to, diags, &m->exec);
    if (r != CUDA_SUCCESS) {
        handle_free(TAG_MODULE, m);
        return r;
    }
    if (img->n == 1 && (m->ptx = ls_realloc(NULL, img->texts[0].len + 1))) {
        m->ptx_len = img->texts[0].len;
        memcpy(m->ptx, img->texts[0].text, m->ptx_len + 1);
    }
    TELL(module_made, m->exec, m->device);
    *out = m;
    return CUDA_SUCCESS;
}

void module_free(CUmodule m)
{
    while (m->functions) {
        CUfunction f = m->functions;
        m->functions = f->next;
        ls_free(f->old);
        struct function_kept *kept = atomic_load(&f->kept);
        if (kept)
            kept->free(kept);
        handle_free(TAG_FUNCTION, f);
    }
    TELL(module_gone, m->exec);
    exec_module_free(m->exec);
    ls_free(m->ptx);
    handle_free(TAG_MODULE, m);
}

/* ---- loading with options ---- */

static CUresult image_result(enum ls_status s)
{
    switch (s) {
    case LS_OK:
        return CUDA_SUCCESS;
    case LS_ERR_NOT_FOUND:
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    case LS_ERR_NOMEM:
        return CUDA_ERROR_OUT_OF_MEMORY;
    default:
        return CUDA_ERROR_INVALID_IMAGE;
    }
}

/* Says why in the caller's log buffer, or on stderr when there is none. */
static CUresult report(CUresult r, struct jit *jit, const char *why, const struct diag_list *diags)
{
    char *text = diags && diags->errors ? diag_text(diags) : NULL;
    if (r != CUDA_SUCCESS)
        jit_error(jit, r, text ? text : why);
    ls_free(text);
    return r;
}

static CUresult build(const struct image *img, struct target to, enum ls_status opened, struct jit *jit, CUmodule *out)
{
    if (opened != LS_OK)
        return report(image_result(opened), jit, img->why[0] ? img->why : ls_status_text(opened), NULL);
    struct diag_list diags;
    diag_init(&diags);
    CUresult r = report(module_build(img, to, &diags, out), jit, "the module cannot be loaded", &diags);
    diag_free(&diags);
    return r;
}

CUresult module_check(const struct image *img, struct jit *jit)
{
    CUmodule m = NULL;
    CUresult r = build(img, (struct target){.device = device_now()}, LS_OK, jit, &m);
    if (m)
        module_free(m);
    return r;
}

static CUresult build_for_context(struct image *img, enum ls_status opened, struct jit *jit, CUmodule *out)
{
    CUcontext ctx = ctx_current();
    CUmodule m = NULL;
    CUresult r = build(img, (struct target){.device = ctx->device}, opened, jit, &m);
    image_free(img);
    if (r != CUDA_SUCCESS)
        return r;
    m->ctx = ctx;
    pthread_mutex_lock(&drv.lock);
    m->next = ctx->modules;
    ctx->modules = m;
    pthread_mutex_unlock(&drv.lock);
    *out = m;
    return CUDA_SUCCESS;
}

CUresult impl_cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
                                 void **optionValues)
{
    struct jit jit;
    if (!module || !image)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = jit_begin(&jit, numOptions, options, optionValues);
    if (r != CUDA_SUCCESS)
        return r;
    struct image img = {0};
    r = build_for_context(&img, image_open(&img, image, device_sm(), "<PTX>"), &jit, module);
    jit_end(&jit);
    return r;
}

CUresult impl_cuModuleLoadData(CUmodule *module, const void *image)
{
    return impl_cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

CUresult impl_cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    return impl_cuModuleLoadDataEx(module, fatCubin, 0, NULL, NULL);
}

/* The whole file, ls_realloc'ed; NULL: cannot be read. */
char *file_read(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    char *data = NULL;
    size_t cap = 0;
    *size = 0;
    while (f) {
        if (*size == cap) {
            char *more = ls_realloc(data, cap = cap ? cap * 2 : 65536);
            if (!more)
                break;
            data = more;
        }
        size_t n = fread(data + *size, 1, cap - *size, f);
        if (n == 0 && !ferror(f)) {
            fclose(f);
            return data;
        }
        if (n == 0)
            break;
        *size += n;
    }
    if (f)
        fclose(f);
    ls_free(data);
    return NULL;
}

CUresult impl_cuModuleLoad(CUmodule *module, const char *fname)
{
    if (!module || !fname)
        return CUDA_ERROR_INVALID_VALUE;
    size_t size;
    char *data = file_read(fname, &size);
    if (!data)
        return CUDA_ERROR_FILE_NOT_FOUND;
    struct jit jit;
    jit_begin(&jit, 0, NULL, NULL);
    struct image img = {0};
    CUresult r = build_for_context(&img, image_read(&img, data, size, device_sm(), fname), &jit, module);
    jit_end(&jit);
    ls_free(data);
    return r;
}

static bool valid(CUmodule m) { return m && m->tag == TAG_MODULE; }

CUresult impl_cuModuleUnload(CUmodule hmod)
{
    if (!valid(hmod) || !hmod->ctx)
        return CUDA_ERROR_INVALID_HANDLE;
    streams_wait(hmod->ctx); /* its code may be running */
    pthread_mutex_lock(&drv.lock);
    CUmodule *at = &hmod->ctx->modules;
    while (*at && *at != hmod)
        at = &(*at)->next;
    if (*at) {
        *at = hmod->next;
        module_free(hmod);
    }
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    if (!mode)
        return CUDA_ERROR_INVALID_VALUE;
    *mode = CU_MODULE_LAZY_LOADING;
    return CUDA_SUCCESS;
}

CUresult impl_cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    if (!hfunc || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return valid(hmod) ? function_get(hmod, name, hfunc) : CUDA_ERROR_INVALID_HANDLE;
}

static unsigned kernel_count(CUmodule m)
{
    unsigned n = 0;
    while (exec_module_kernel_name(m->exec, n))
        n++;
    return n;
}

CUresult impl_cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!valid(mod))
        return CUDA_ERROR_INVALID_HANDLE;
    *count = kernel_count(mod);
    return CUDA_SUCCESS;
}

CUresult impl_cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
    if (!functions)
        return CUDA_ERROR_INVALID_VALUE;
    if (!valid(mod))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = 0; i < numFunctions && r == CUDA_SUCCESS; i++) {
        const char *name = exec_module_kernel_name(mod->exec, i);
        if (!name)
            break;
        r = function_get(mod, name, &functions[i]);
    }
    return r;
}

static CUresult global(CUmodule m, const char *name, CUdeviceptr *dptr, size_t *bytes, bool managed_only)
{
    u64 address, size;
    bool managed;
    if (!name || (!dptr && !bytes))
        return CUDA_ERROR_INVALID_VALUE;
    if (!exec_module_global(m->exec, name, &address, &size, &managed) || (managed_only && !managed))
        return CUDA_ERROR_NOT_FOUND;
    if (dptr)
        *dptr = address;
    if (bytes)
        *bytes = size;
    return CUDA_SUCCESS;
}

CUresult impl_cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    return valid(hmod) ? global(hmod, name, dptr, bytes, false) : CUDA_ERROR_INVALID_HANDLE;
}

/* ---- libraries ---- */

static bool valid_library(CUlibrary l) { return l && l->tag == TAG_LIBRARY; }

/* The library's module on a device other than this one; NULL: there is none. driver.lock held. */
static CUmodule sibling_of(CUlibrary l, CUdevice device)
{
    for (CUdevice d = 0; device_ok(d); d++)
        if (d != device && l->mods[d])
            return l->mods[d];
    return NULL;
}

/* driver.lock held, or no other thread has the library yet. */
static void unload(CUlibrary l, CUdevice device)
{
    CUmodule m = l->mods[device], sibling = sibling_of(l, device);
    if (!m)
        return;
    if (sibling)
        exec_module_hand_over(m->exec, sibling->exec);
    module_free(m);
    l->mods[device] = NULL;
}

void libraries_unload(CUdevice device)
{
    for (CUlibrary l = drv.libraries; l; l = l->next)
        unload(l, device);
}

/* The library's module on the device, loaded at its first use there and after a reset. */
static CUresult library_module(CUlibrary l, CUdevice device, CUmodule *out)
{
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&drv.lock);
    if (!l->mods[device]) {
        const CUmodule sibling = sibling_of(l, device);
        const struct target to = {.device = device, .sibling = sibling ? sibling->exec : NULL};
        struct jit jit;
        jit_begin(&jit, 0, NULL, NULL);
        r = build(&l->img, to, LS_OK, &jit, &l->mods[device]);
        l->loads[device]++;
        jit_end(&jit);
    }
    *out = l->mods[device];
    pthread_mutex_unlock(&drv.lock);
    return r;
}

static CUkernel kernel_new(CUlibrary l, const char *name)
{
    CUkernel k = handle_new(TAG_KERNEL, sizeof *k);
    char *copy = ls_realloc(NULL, strlen(name) + 1);
    if (!k || !copy) {
        handle_free(TAG_KERNEL, k);
        ls_free(copy);
        return NULL;
    }
    *k = (struct CUkern_st){.tag = TAG_KERNEL, .lib = l, .name = strcpy(copy, name)};
    return k;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const CUkernel *)a)->name, (*(const CUkernel *)b)->name);
}

static void free_kernels(CUlibrary l)
{
    for (unsigned i = 0; l->kernels && i < l->nkernels; i++) {
        ls_free(l->kernels[i]->name);
        handle_free(TAG_KERNEL, l->kernels[i]);
    }
    ls_free(l->kernels);
    ls_free(l->by_name);
    l->kernels = l->by_name = NULL;
    l->nkernels = 0;
}

/* Makes the handles of all kernels, which outlive the module. driver.lock held. */
static CUresult index_kernels(CUlibrary l, CUmodule m)
{
    LS_LOCKED(&drv.lock);
    if (l->kernels)
        return CUDA_SUCCESS;
    const unsigned n = kernel_count(m);
    l->kernels = ls_calloc(n + 1, sizeof(CUkernel));
    l->by_name = ls_calloc(n + 1, sizeof(CUkernel));
    bool ok = l->kernels && l->by_name;
    for (unsigned i = 0; ok && i < n; i++) {
        CUkernel k = kernel_new(l, exec_module_kernel_name(m->exec, i));
        ok = k != NULL;
        if (ok)
            l->kernels[l->nkernels++] = k;
    }
    if (!ok) {
        free_kernels(l);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(l->by_name, l->kernels, n * sizeof(CUkernel));
    qsort(l->by_name, n, sizeof(CUkernel), compare_names);
    return CUDA_SUCCESS;
}

static CUresult library_index(CUlibrary l)
{
    CUmodule m;
    CUresult r = library_module(l, device_now(), &m);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    r = index_kernels(l, m);
    pthread_mutex_unlock(&drv.lock);
    return r;
}

static CUresult kernel_get(CUlibrary l, const char *name, CUkernel *out)
{
    CUresult r = library_index(l);
    if (r != CUDA_SUCCESS)
        return r;
    const struct CUkern_st key = {.name = (char *)(uintptr_t)name};
    const struct CUkern_st *wanted = &key;
    CUkernel *found = bsearch(&wanted, l->by_name, l->nkernels, sizeof(CUkernel), compare_names);
    if (found)
        *out = *found;
    return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static CUresult library_new(struct image *img, enum ls_status opened, struct jit *jit, CUlibrary *out)
{
    CUlibrary l = handle_new(TAG_LIBRARY, sizeof *l);
    const CUdevice device = device_now();
    CUresult r =
        l ? build(img, (struct target){.device = device}, opened, jit, &l->mods[device]) : CUDA_ERROR_OUT_OF_MEMORY;
    if (r != CUDA_SUCCESS) {
        image_free(img);
        handle_free(TAG_LIBRARY, l);
        return r;
    }
    l->tag = TAG_LIBRARY;
    l->loads[device] = 1;
    l->img = *img;
    pthread_mutex_lock(&drv.lock);
    l->next = drv.libraries;
    drv.libraries = l;
    pthread_mutex_unlock(&drv.lock);
    *out = l;
    return CUDA_SUCCESS;
}

CUresult impl_cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                unsigned int numLibraryOptions)
{
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions; /* hints about the image's lifetime */
    if (!library || !code)
        return CUDA_ERROR_INVALID_VALUE;
    struct jit jit;
    CUresult r = jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (r != CUDA_SUCCESS)
        return r;
    struct image img = {0};
    r = library_new(&img, image_open(&img, code, device_sm(), "<PTX>"), &jit, library);
    jit_end(&jit);
    return r;
}

CUresult impl_cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
                                    void **jitOptionsValues, unsigned int numJitOptions,
                                    CUlibraryOption *libraryOptions, void **libraryOptionValues,
                                    unsigned int numLibraryOptions)
{
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    if (!library || !fileName)
        return CUDA_ERROR_INVALID_VALUE;
    size_t size;
    char *data = file_read(fileName, &size);
    if (!data)
        return CUDA_ERROR_FILE_NOT_FOUND;
    struct jit jit;
    CUresult r = jit_begin(&jit, numJitOptions, jitOptions, jitOptionsValues);
    if (r == CUDA_SUCCESS) {
        struct image img = {0};
        r = library_new(&img, image_read(&img, data, size, device_sm(), fileName), &jit, library);
        jit_end(&jit);
    }
    ls_free(data);
    return r;
}

CUresult impl_cuLibraryUnload(CUlibrary library)
{
    if (!valid_library(library))
        return CUDA_ERROR_INVALID_HANDLE;
    for (CUcontext c = drv.contexts; c; c = c->next)
        if (ctx_valid(c))
            streams_wait(c);
    pthread_mutex_lock(&drv.lock);
    CUlibrary *at = &drv.libraries;
    while (*at && *at != library)
        at = &(*at)->next;
    if (*at)
        *at = library->next;
    pthread_mutex_unlock(&drv.lock);
    for (CUdevice d = 0; device_ok(d); d++)
        unload(library, d);
    free_kernels(library);
    image_free(&library->img);
    handle_free(TAG_LIBRARY, library);
    return CUDA_SUCCESS;
}

CUresult impl_cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
    if (!pKernel || !name)
        return CUDA_ERROR_INVALID_VALUE;
    return valid_library(library) ? kernel_get(library, name, pKernel) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult impl_cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    if (!valid_library(lib))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = library_index(lib);
    if (r == CUDA_SUCCESS)
        *count = lib->nkernels;
    return r;
}

CUresult impl_cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
    if (!kernels)
        return CUDA_ERROR_INVALID_VALUE;
    if (!valid_library(lib))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = library_index(lib);
    for (unsigned i = 0; i < numKernels && i < lib->nkernels && r == CUDA_SUCCESS; i++)
        kernels[i] = lib->kernels[i];
    return r;
}

CUresult impl_cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
    if (!pMod)
        return CUDA_ERROR_INVALID_VALUE;
    return valid_library(library) ? library_module(library, device_now(), pMod) : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult library_global(CUlibrary l, const char *name, CUdeviceptr *dptr, size_t *bytes, bool managed)
{
    CUmodule m;
    if (!valid_library(l))
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult r = library_module(l, device_now(), &m);
    return r == CUDA_SUCCESS ? global(m, name, dptr, bytes, managed) : r;
}

CUresult impl_cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_global(library, name, dptr, bytes, false);
}

CUresult impl_cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
    return library_global(library, name, dptr, bytes, true);
}

CUresult kernel_function(CUkernel k, CUdevice device, CUfunction *out)
{
    CUmodule m;
    CUresult r = library_module(k->lib, device, &m);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    *out = k->load[device] == k->lib->loads[device] ? k->function[device] : NULL;
    pthread_mutex_unlock(&drv.lock);
    if (*out)
        return CUDA_SUCCESS;
    r = function_get(m, k->name, out);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    k->function[device] = *out;
    k->load[device] = k->lib->loads[device];
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
    if (!pFunc)
        return CUDA_ERROR_INVALID_VALUE;
    if (!kernel || kernel->tag != TAG_KERNEL)
        return CUDA_ERROR_INVALID_HANDLE;
    return kernel_function(kernel, device_now(), pFunc);
}

CUresult impl_cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
    if (!pLib)
        return CUDA_ERROR_INVALID_VALUE;
    if (!kernel || kernel->tag != TAG_KERNEL)
        return CUDA_ERROR_INVALID_HANDLE;
    *pLib = kernel->lib;
    return CUDA_SUCCESS;
}

CUresult impl_cuKernelGetName(const char **name, CUkernel hfunc)
{
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    if (!hfunc || hfunc->tag != TAG_KERNEL)
        return CUDA_ERROR_INVALID_HANDLE;
    *name = hfunc->name;
    return CUDA_SUCCESS;
}
