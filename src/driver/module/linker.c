/* linker.c - the linker API: PTX, alone or in fat binaries, objects and libraries, is collected, linked once to see
 * that all fits together, and packed into one image (fatbin.h) that the module functions load. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "driver/driver.h"
#include "driver/module/fatbin.h"
#include "driver/module/jit.h"
#include "exec/device/builtin.h"

struct CUlinkState_st {
    u32 tag;
    struct image img;
    struct ptx_module **mods; /* img's texts, parsed */
    unsigned nmods;
    char code_only[256]; /* the last library of which members were left out: they have no PTX */
    struct jit jit;  /* the caller's arrays of cuLinkCreate live until cuLinkDestroy: results are written back there */
    CUresult failed; /* of an input: nothing can be made of the rest */
    void *out;
};

static u32 device_sm(void) { return drv.gpu.cc_major * 10 + drv.gpu.cc_minor; }

static bool valid(CUlinkState s) { return s && s->tag == TAG_LINK; }

CUresult impl_cuLinkCreate_v2(unsigned int numOptions, CUjit_option *options, void **optionValues,
                              CUlinkState *stateOut)
{
    if (!stateOut)
        return CUDA_ERROR_INVALID_VALUE;
    CUlinkState s = handle_new(TAG_LINK, sizeof *s);
    if (!s)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->tag = TAG_LINK;
    CUresult r = jit_begin(&s->jit, numOptions, options, optionValues);
    if (r != CUDA_SUCCESS) {
        handle_free(TAG_LINK, s);
        return r;
    }
    *stateOut = s;
    return CUDA_SUCCESS;
}

CUresult impl_cuLinkCreate(unsigned int numOptions, CUjit_option *options, void **optionValues, CUlinkState *stateOut)
{
    return impl_cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

static CUresult fail(CUlinkState s, CUresult r, const char *why)
{
    jit_error(&s->jit, r, why);
    jit_end(&s->jit);
    return r;
}

/* Syntax errors are reported where the input is added, as by CUDA. */
static CUresult parse(CUlinkState s, const struct image_text *t)
{
    struct ptx_module **more = ls_realloc(s->mods, (s->nmods + 1) * sizeof *more);
    if (!more)
        return CUDA_ERROR_OUT_OF_MEMORY;
    s->mods = more;
    struct diag_list diags;
    diag_init(&diags);
    enum ls_status status = ptx_parse(t->text, t->len, t->name, &more[s->nmods], &diags);
    CUresult r = result_of(status);
    if (status == LS_OK) {
        s->nmods++;
    } else {
        char *text = diag_text(&diags);
        fail(s, r, text ? text : ls_status_text(status));
        ls_free(text);
    }
    diag_free(&diags);
    return r;
}

/* ---- names that are defined twice ---- */

static bool strong(bool defined, u8 linkage) { return defined && linkage == LINK_VISIBLE; }

static bool defines(const struct ptx_module *m, const char *name)
{
    const struct ptx_func *f = ptx_find_func(m, name);
    if (f && strong(f->defined, f->linkage))
        return true;
    for (u32 k = 0; k < m->nvars; k++)
        if (strong(true, m->vars[k]->linkage) && strcmp(m->vars[k]->name, name) == 0)
            return true;
    return false;
}

static CUresult check_once(CUlinkState s, const struct ptx_module *m, u32 line, const char *name)
{
    for (unsigned i = 0; s->mods[i] != m; i++) {
        if (!defines(s->mods[i], name))
            continue;
        char text[512];
        snprintf(text, sizeof text, "%s:%u: error: '%s' is defined twice, first in %s\n", m->file, line, name,
                 s->mods[i]->file);
        return fail(s, CUDA_ERROR_INVALID_SOURCE, text);
    }
    return CUDA_SUCCESS;
}

/* A name that the module added last defines must not be defined in the others. */
static CUresult check_last(CUlinkState s)
{
    const struct ptx_module *m = s->mods[s->nmods - 1];
    CUresult r = CUDA_SUCCESS;
    for (u32 k = 0; k < m->nfuncs && r == CUDA_SUCCESS; k++)
        if (strong(m->funcs[k]->defined, m->funcs[k]->linkage))
            r = check_once(s, m, m->funcs[k]->line, m->funcs[k]->name);
    for (u32 k = 0; k < m->nvars && r == CUDA_SUCCESS; k++)
        if (strong(true, m->vars[k]->linkage))
            r = check_once(s, m, m->vars[k]->line, m->vars[k]->name);
    return r;
}

/* ---- names that are used and not defined ---- */

static bool function_defined(const CUlinkState s, const char *name)
{
    for (unsigned i = 0; i < s->nmods; i++) {
        const struct ptx_func *f = ptx_find_func(s->mods[i], name);
        if (f && f->defined)
            return true;
    }
    return builtin_find(name) >= 0;
}

static bool variable_defined(const CUlinkState s, const char *name)
{
    for (unsigned i = 0; i < s->nmods; i++)
        for (u32 k = 0; k < s->mods[i]->nvars; k++) {
            const struct ptx_var *v = s->mods[i]->vars[k];
            if (v->linkage != LINK_EXTERN && strcmp(v->name, name) == 0)
                return true;
        }
    return false;
}

static CUresult unresolved(CUlinkState s, const char *file, u32 line, const char *what, const char *name)
{
    char text[768];
    int n =
        snprintf(text, sizeof text, "%s:%u: error: %s '%s' is declared and nowhere defined\n", file, line, what, name);
    if (s->code_only[0] && n > 0 && (size_t)n < sizeof text)
        snprintf(text + n, sizeof text - (size_t)n,
                 "note: '%s' was left out where it has machine code only; it must hold PTX too\n", s->code_only);
    return fail(s, CUDA_ERROR_INVALID_SOURCE, text);
}

static CUresult check_symbols(CUlinkState s)
{
    for (unsigned i = 0; i < s->nmods; i++) {
        const struct ptx_module *m = s->mods[i];
        for (u32 k = 0; k < m->nfuncs; k++)
            if (!m->funcs[k]->is_entry && !m->funcs[k]->defined && !function_defined(s, m->funcs[k]->name))
                return unresolved(s, m->file, m->funcs[k]->line, "function", m->funcs[k]->name);
        for (u32 k = 0; k < m->nvars; k++) {
            const struct ptx_var *v = m->vars[k];
            bool memory = v->space == SPACE_GLOBAL || v->space == SPACE_CONST; /* extern shared is dynamic */
            if (memory && v->linkage == LINK_EXTERN && !variable_defined(s, v->name))
                return unresolved(s, m->file, v->line, "variable", v->name);
        }
    }
    return CUDA_SUCCESS;
}

static enum ls_status read_library(CUlinkState s, const void *data, size_t size, const char *name)
{
    bool left_out = false;
    const enum ls_status status = image_archive(&s->img, data, size, device_sm(), name, &left_out);
    if (left_out)
        snprintf(s->code_only, sizeof s->code_only, "%s", name);
    return status;
}

static enum ls_status read_object(CUlinkState s, const void *data, size_t size, const char *name)
{
    const unsigned before = s->img.n;
    const enum ls_status status = image_elf(&s->img, data, size, device_sm(), true);
    image_rename(&s->img, before, name);
    return status;
}

static enum ls_status read_input(CUlinkState s, CUjitInputType type, const void *data, size_t size, const char *name)
{
    switch (type) {
    case CU_JIT_INPUT_PTX:
        return image_add(&s->img, data, size, name);
    case CU_JIT_INPUT_FATBINARY:
        return size ? image_read(&s->img, data, size, device_sm(), name) : image_open(&s->img, data, device_sm(), name);
    case CU_JIT_INPUT_OBJECT:
        return read_object(s, data, size, name);
    default:
        return read_library(s, data, size, name);
    }
}

/* Inputs that only NVIDIA's own compiler can link. */
static CUresult refuse_type(CUlinkState s, CUjitInputType type)
{
    if (type == CU_JIT_INPUT_CUBIN)
        return fail(s, CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code cannot be linked, only what holds PTX");
    if (type == CU_JIT_INPUT_NVVM)
        return fail(s, CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
                    "NVVM IR cannot be linked: let libNVVM or NVRTC make PTX of it");
    return CUDA_ERROR_INVALID_VALUE;
}

/* What lockstep-ptxas made stands where machine code would. */
static bool is_ptx_object(const void *data, size_t size)
{
    return data && size >= sizeof(Elf64_Ehdr) && memcmp(data, ELFMAG, SELFMAG) == 0 && image_elf_size(data);
}

static CUresult add(CUlinkState s, CUjitInputType type, const void *data, size_t size, const char *name)
{
    const unsigned before = s->img.n;
    if (type == CU_JIT_INPUT_CUBIN && is_ptx_object(data, size))
        type = CU_JIT_INPUT_OBJECT;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY && type != CU_JIT_INPUT_OBJECT &&
        type != CU_JIT_INPUT_LIBRARY)
        return refuse_type(s, type);
    const enum ls_status status = read_input(s, type, data, size, name ? name : "<input>");
    if (status == LS_ERR_NOMEM)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (status != LS_OK)
        return fail(s, status == LS_ERR_NOT_FOUND ? CUDA_ERROR_NO_BINARY_FOR_GPU : CUDA_ERROR_INVALID_IMAGE,
                    s->img.why);
    CUresult r = CUDA_SUCCESS;
    for (unsigned i = before; i < s->img.n && r == CUDA_SUCCESS; i++)
        if ((r = parse(s, &s->img.texts[i])) == CUDA_SUCCESS)
            r = check_last(s);
    if (r != CUDA_SUCCESS)
        s->failed = r;
    return r;
}

CUresult impl_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                               unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    (void)numOptions, (void)options, (void)optionValues;
    if (!valid(state))
        return CUDA_ERROR_INVALID_HANDLE;
    return data ? add(state, type, data, size, name) : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name,
                            unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    return impl_cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult impl_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                               CUjit_option *options, void **optionValues)
{
    (void)numOptions, (void)options, (void)optionValues;
    if (!valid(state))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!path)
        return CUDA_ERROR_INVALID_VALUE;
    size_t size;
    char *data = file_read(path, &size);
    if (!data)
        return CUDA_ERROR_FILE_NOT_FOUND;
    CUresult r = add(state, type, data, size, path);
    ls_free(data);
    return r;
}

CUresult impl_cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path, unsigned int numOptions,
                            CUjit_option *options, void **optionValues)
{
    return impl_cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult impl_cuLinkComplete(CUlinkState state, void **cubinOut, size_t *sizeOut)
{
    if (!valid(state))
        return CUDA_ERROR_INVALID_HANDLE;
    if (!cubinOut)
        return CUDA_ERROR_INVALID_VALUE;
    if (state->failed)
        return state->failed;
    if (state->img.n == 0)
        return fail(state, CUDA_ERROR_INVALID_VALUE, "nothing to link");
    CUresult r = check_symbols(state);
    if (r == CUDA_SUCCESS)
        r = module_check(&state->img, &state->jit);
    jit_end(&state->jit);
    if (r != CUDA_SUCCESS)
        return r;
    size_t size;
    ls_free(state->out);
    state->out = image_pack(&state->img, &size);
    if (!state->out)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *cubinOut = state->out;
    if (sizeOut)
        *sizeOut = size;
    return CUDA_SUCCESS;
}

CUresult impl_cuLinkDestroy(CUlinkState state)
{
    if (!valid(state))
        return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; i < state->nmods; i++)
        ptx_free(state->mods[i]);
    ls_free(state->mods);
    image_free(&state->img);
    ls_free(state->out);
    handle_free(TAG_LINK, state);
    return CUDA_SUCCESS;
}
