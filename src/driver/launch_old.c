/* launch_old.c - launches as before CUDA 4.0: the block's shape, shared memory and parameters are set on the function,
 * one call each, and stay there for every launch that follows. Deprecated since, but still exported, and old programs
 * use them.
 *
 * The state is made by the first of these calls and ends with the function. As in CUDA, it belongs to the function: two
 * threads that set one function's state must take turns. Texture references (cuParamSetTexRef) are not there. */
#include <string.h>

#include "base/alloc.h"
#include "driver/driver.h"

struct old_launch {
    u32 block[3];
    u32 shared;
    u32 size; /* of the parameters, as cuParamSetSize said */
    _Alignas(16) u8 params[];
};

static CUresult state_of(CUfunction hfunc, CUfunction *f, struct old_launch **out)
{
    CUresult r = function_find(hfunc, f);
    if (r != CUDA_SUCCESS)
        return r;
    pthread_mutex_lock(&drv.lock);
    if (!(*f)->old)
        (*f)->old = ls_calloc(1, sizeof(struct old_launch) + (*f)->ir->param_bytes);
    *out = (*f)->old;
    pthread_mutex_unlock(&drv.lock);
    return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult impl_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    CUfunction f;
    struct old_launch *old;
    if (x <= 0 || y <= 0 || z <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = state_of(hfunc, &f, &old);
    if (r == CUDA_SUCCESS)
        memcpy(old->block, (u32[]){(u32)x, (u32)y, (u32)z}, sizeof old->block);
    return r;
}

CUresult impl_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    CUfunction f;
    struct old_launch *old;
    CUresult r = state_of(hfunc, &f, &old);
    if (r == CUDA_SUCCESS)
        old->shared = bytes;
    return r;
}

CUresult impl_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    CUfunction f;
    struct old_launch *old;
    CUresult r = state_of(hfunc, &f, &old);
    if (r == CUDA_SUCCESS)
        old->size = numbytes;
    return r;
}

CUresult impl_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    CUfunction f;
    struct old_launch *old;
    CUresult r = state_of(hfunc, &f, &old);
    if (r != CUDA_SUCCESS)
        return r;
    if (!ptr || offset < 0 || (u64)offset + numbytes > f->ir->param_bytes)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(old->params + offset, ptr, numbytes);
    return CUDA_SUCCESS;
}

CUresult impl_cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return impl_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult impl_cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return impl_cuParamSetv(hfunc, offset, &value, sizeof value);
}

/* A shape that was never set is 0, which the launch refuses by name. */
CUresult impl_cuLaunchGridAsync(CUfunction hfunc, int grid_width, int grid_height, CUstream hStream)
{
    CUfunction f;
    struct old_launch *old;
    if (grid_width <= 0 || grid_height <= 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = state_of(hfunc, &f, &old);
    if (r != CUDA_SUCCESS)
        return r;
    size_t size = old->size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, old->params, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    return impl_cuLaunchKernel(f, (unsigned)grid_width, (unsigned)grid_height, 1, old->block[0], old->block[1],
                               old->block[2], old->shared, hStream, NULL, extra);
}

CUresult impl_cuLaunchGrid(CUfunction hfunc, int grid_width, int grid_height)
{
    return impl_cuLaunchGridAsync(hfunc, grid_width, grid_height, NULL);
}

CUresult impl_cuLaunch(CUfunction hfunc) { return impl_cuLaunchGridAsync(hfunc, 1, 1, NULL); }
