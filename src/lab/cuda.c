/* cuda.c - finding and opening a CUDA driver. */
#include "lab/cuda.h"
#include "base/settings.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Lockstep's driver: LOCKSTEP_DRIVER, or ../lib/libcuda.so.1 from the program's own folder. */
static void own_path(char out[512])
{
    struct settings said;
    settings_read(&said, NULL, NULL);
    if (said.driver) {
        snprintf(out, 512, "%s", said.driver);
        return;
    }
    char self[400];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(out, 512, "%s/../lib/libcuda.so.1", self);
}

static bool same_file(const char *a, const char *b)
{
    char *x = realpath(a, NULL), *y = realpath(b, NULL);
    bool same = x && y && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* Opens one candidate for NVIDIA's driver; refuses our own. */
static bool open_vendor(struct lab_cuda *c, const char *name, const char *own)
{
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    struct link_map *map = NULL;
    bool ours = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map && same_file(map->l_name, own);
    if (ours || dlsym(library, "lockstep_driver_version")) {
        dlclose(library);
        return false;
    }
    c->library = library;
    snprintf(c->path, sizeof c->path, "%s", map ? map->l_name : name);
    return true;
}

static enum ls_status open_library(struct lab_cuda *c, bool gpu, struct diag_list *diags)
{
    static const char *const vendor[] = {"libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                                         "/usr/lib64/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"};
    struct diag_place nowhere = {0};
    char own[512];
    own_path(own);
    if (gpu) {
        for (u32 i = 0; i < LS_ARRAY_LEN(vendor); i++)
            if (open_vendor(c, vendor[i], own))
                return LS_OK;
        struct diag *d = diag_add(diags, DIAG_ERROR, nowhere, "no NVIDIA driver was found (libcuda.so.1)");
        if (d)
            diag_set_note(diags, d, "without --on gpu the kernels run on the CPU");
        return LS_ERR_NOT_FOUND;
    }
    c->library = dlopen(own, RTLD_NOW | RTLD_LOCAL);
    if (!c->library) {
        diag_add(diags, DIAG_ERROR, nowhere, "cannot load Lockstep's driver: %s", dlerror());
        return LS_ERR_NOT_FOUND;
    }
    snprintf(c->path, sizeof c->path, "%s", own);
    return LS_OK;
}

static enum ls_status resolve(struct lab_cuda *c, struct diag_list *diags)
{
#define X(member, name)                                                                                                \
    *(void **)&c->member = dlsym(c->library, #name);                                                                   \
    if (!c->member) {                                                                                                  \
        diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "%s has no function %s", c->path, #name);                  \
        return LS_ERR_NOT_FOUND;                                                                                       \
    }
    LAB_CUDA_FUNCTIONS(X)
#undef X
    *(void **)&c->schedule = dlsym(c->library, "lockstep_driver_schedule"); /* not in NVIDIA's */
    *(void **)&c->model = dlsym(c->library, "lockstep_driver_model");
    return LS_OK;
}

CUresult lab_cuda_renew(struct lab_cuda *c)
{
    if (c->context) {
        c->context_set(NULL);
        c->context_release(c->device);
        c->context_reset(c->device);
        c->context = NULL;
    }
    CUresult r = c->context_retain(&c->context, c->device);
    return r == CUDA_SUCCESS ? c->context_set(c->context) : r;
}

const char *lab_cuda_error(const struct lab_cuda *c, CUresult r)
{
    const char *name = NULL;
    if (c->error_name(r, &name) != CUDA_SUCCESS || !name)
        return "an unknown CUDA error";
    return name;
}

enum ls_status lab_cuda_open(struct lab_cuda *c, bool gpu, struct diag_list *diags)
{
    memset(c, 0, sizeof *c);
    enum ls_status s = open_library(c, gpu, diags);
    if (s == LS_OK)
        s = resolve(c, diags);
    if (s != LS_OK) {
        lab_cuda_close(c);
        return s;
    }
    CUresult r = c->init(0);
    if (r == CUDA_SUCCESS)
        r = c->device_get(&c->device, 0);
    if (r == CUDA_SUCCESS)
        r = c->device_get_name(c->device_name, sizeof c->device_name, c->device);
    if (r == CUDA_SUCCESS)
        r = lab_cuda_renew(c);
    if (r == CUDA_SUCCESS)
        return LS_OK;
    diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "the driver %s does not start: %s", c->path,
             lab_cuda_error(c, r));
    lab_cuda_close(c);
    return LS_ERR_NOT_FOUND;
}

/* The library itself stays: a driver has threads, which may still be in its code. */
void lab_cuda_close(struct lab_cuda *c)
{
    if (c->context) {
        c->context_set(NULL);
        c->context_release(c->device);
    }
    c->context = NULL;
}
