/* cuda.c - the kernels by the CUDA driver API: Lockstep's, or a GPU's. */
#include <stdio.h>
#include <stdlib.h>

#include "driver/cuda_abi.h"
#include "peer.h"

static struct {
    const struct problem *p;
    CUcontext ctx;
    CUmodule module;
    CUfunction f;
    CUdeviceptr buffer[PEER_ARGS];
    char *text;
} cuda;

static const char *said(CUresult r)
{
    static char words[64];
    if (r == CUDA_SUCCESS)
        return NULL;
    snprintf(words, sizeof words, "CUDA error %d", (int)r);
    return words;
}

const char *peer_open(const struct problem *p, const char *folder)
{
    cuda.p = p;
    if (!folder || !(cuda.text = peer_text(folder, p->name, ".ptx")))
        return "its PTX cannot be read in the folder";
    CUresult r = cuInit(0);
    r = r ? r : cuCtxCreate_v4(&cuda.ctx, NULL, 0, 0);
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (peer_is_buffer(&p->args[k]))
            r = cuMemAlloc_v2(&cuda.buffer[k], p->args[k].bytes);
    return said(r);
}

const char *peer_build(void)
{
    CUresult r = cuModuleLoadData(&cuda.module, cuda.text);
    return said(r ? r : cuModuleGetFunction(&cuda.f, cuda.module, cuda.p->name));
}

const char *peer_write(void *const *data)
{
    CUresult r = CUDA_SUCCESS;
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (data[k])
            r = cuMemcpyHtoD_v2(cuda.buffer[k], data[k], cuda.p->args[k].bytes);
    return said(r);
}

const char *peer_read(void *const *data)
{
    CUresult r = CUDA_SUCCESS;
    for (unsigned k = 0; k < PEER_ARGS && !r; k++)
        if (cuda.p->args[k].kind == PEER_OUT)
            r = cuMemcpyDtoH_v2(data[k], cuda.buffer[k], cuda.p->args[k].bytes);
    return said(r);
}

const char *peer_launch(unsigned times)
{
    const struct problem *p = cuda.p;
    void *args[PEER_ARGS];
    for (unsigned k = 0; k < PEER_ARGS; k++)
        args[k] = peer_is_buffer(&p->args[k]) ? (void *)&cuda.buffer[k] : (void *)&p->args[k].i;
    CUresult r = CUDA_SUCCESS;
    while (times-- && !r)
        r = cuLaunchKernel(cuda.f, p->groups[0], p->groups[1], p->groups[2], p->group[0], p->group[1], p->group[2], 0,
                           NULL, args, NULL);
    return said(r ? r : cuCtxSynchronize());
}

void peer_close(void)
{
    if (cuda.ctx)
        cuCtxDestroy_v2(cuda.ctx);
    free(cuda.text);
    cuda = (typeof(cuda)){0};
}

const char *peer_about(void) { return "Lockstep"; }
