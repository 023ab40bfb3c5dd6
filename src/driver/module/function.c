/* function.c - kernels of a module: their handles, attributes and parameters. */
#include <string.h>

#include "base/alloc.h"
#include "driver/driver.h"
#include "ptx/declared.h"

CUresult function_get(CUmodule m, const char *name, CUfunction *out)
{
    CUresult r = CUDA_SUCCESS;
    pthread_mutex_lock(&drv.lock);
    const struct ir_func *ir = exec_module_kernel(m->exec, name);
    CUfunction f = m->functions;
    while (f && f->ir != ir)
        f = f->next;
    if (!f) {
        f = ir ? handle_new(TAG_FUNCTION, sizeof *f) : NULL;
        if (f) {
            *f = (struct CUfunc_st){.tag = TAG_FUNCTION, .mod = m, .ir = ir, .max_dynamic_shared = -1, .carveout = -1};
            f->next = m->functions;
            m->functions = f;
        }
        r = f ? CUDA_SUCCESS : ir ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_FOUND;
    }
    pthread_mutex_unlock(&drv.lock);
    if (r == CUDA_SUCCESS)
        *out = f;
    return r;
}

CUresult function_find(CUfunction handle, CUfunction *out)
{
    if (!handle)
        return CUDA_ERROR_INVALID_HANDLE;
    if (handle->tag == TAG_KERNEL)
        return kernel_function((CUkernel)(void *)handle, device_now(), out);
    *out = handle;
    return handle->tag == TAG_FUNCTION ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult function_find_for(CUcontext ctx, CUfunction handle, CUfunction *out)
{
    if (handle && handle->tag == TAG_KERNEL)
        return kernel_function((CUkernel)(void *)handle, ctx->device, out);
    const CUresult r = function_find(handle, out);
    return r == CUDA_SUCCESS && (*out)->mod->device != ctx->device ? CUDA_ERROR_INVALID_HANDLE : r;
}

/* ---- attributes ---- */

/* The largest block whose registers fit: registers are given out a warp at a time. */
static u32 threads_by_registers(const struct gpu *g, u32 registers)
{
    u32 warp = (u32)ls_align_up((u64)registers * g->warp_size, g->register_unit ? g->register_unit : 256);
    return warp ? g->registers_per_block / warp * g->warp_size : g->threads_per_block;
}

/* Where the kernel declares its largest block, ptxas gives it no more registers than such a block can have. */
static int max_threads(const struct ir_func *ir, u32 registers)
{
    const struct gpu *g = &drv.gpu;
    const u32 *declared = ir->src->reqntid[0] ? ir->src->reqntid : ir->src->maxntid;
    u32 n = g->threads_per_block, by_registers = threads_by_registers(g, registers);
    const u64 threads = ptx_block_threads(declared);
    if (threads)
        return (int)(threads < n ? (u32)threads : n);
    return (int)(by_registers < n ? by_registers : n);
}

u32 function_launch_threads(CUfunction f) { return (u32)max_threads(f->ir, f->ir->registers * 2 / 3); }

static int constant_bytes(const struct ptx_module *mod)
{
    u64 sum = 0;
    for (u32 i = 0; i < mod->nvars; i++)
        if (mod->vars[i]->space == SPACE_CONST)
            sum += mod->vars[i]->size;
    return (int)sum;
}

static int max_dynamic(CUfunction f)
{
    if (f->max_dynamic_shared >= 0)
        return f->max_dynamic_shared;
    int room = (int)drv.gpu.shared_per_block - (int)f->ir->shared_bytes;
    return room > 0 ? room : 0;
}

CUresult function_attribute(CUfunction f, CUfunction_attribute attrib, int *value)
{
    const struct ir_func *ir = f->ir;
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = max_threads(ir, ir->registers);
        break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)ir->shared_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        *value = constant_bytes(ir->mod);
        break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)ir->local_bytes;
        break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)ir->registers;
        break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = (int)ir->mod->sm;
        break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = (int)(drv.gpu.cc_major * 10 + drv.gpu.cc_minor);
        break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = max_dynamic(f);
        break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = f->carveout;
        break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        *value = (int)ir->src->cluster[attrib - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
        break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = f->nonportable_cluster;
        break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        *value = f->cluster_policy;
        break;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

CUresult function_set_attribute(CUfunction f, CUfunction_attribute attrib, int value)
{
    switch (attrib) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (u64)value + f->ir->shared_bytes > drv.gpu.shared_per_block_optin) {
            drv_log("%s: %d bytes of dynamic and %u of static shared memory are above the %u a block can have",
                    f->ir->name, value, f->ir->shared_bytes, drv.gpu.shared_per_block_optin);
            return CUDA_ERROR_INVALID_VALUE;
        }
        f->max_dynamic_shared = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < -1 || value > 100)
            return CUDA_ERROR_INVALID_VALUE;
        f->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        f->nonportable_cluster = value != 0;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
        f->cluster_policy = value;
        return CUDA_SUCCESS;
    default:
        if (attrib > CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
            TELL(call_refused, &(struct driver_refusal){
                                   .what = REFUSED_NUMBER, .text = "attribute of functions", .address = (u64)attrib});
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult function_param(CUfunction f, size_t index, size_t *offset, size_t *size)
{
    const struct ptx_func *src = f->ir->src;
    if (!offset || index >= src->nparams)
        return CUDA_ERROR_INVALID_VALUE;
    *offset = src->params[index]->offset;
    if (size)
        *size = src->params[index]->size;
    return CUDA_SUCCESS;
}

CUresult impl_cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    CUfunction f;
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(hfunc, &f);
    return r == CUDA_SUCCESS ? function_attribute(f, attrib, pi) : r;
}

CUresult impl_cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    CUfunction f;
    CUresult r = function_find(hfunc, &f);
    return r == CUDA_SUCCESS ? function_set_attribute(f, attrib, value) : r;
}

CUresult impl_cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    CUfunction f;
    if ((unsigned)config > CU_FUNC_CACHE_PREFER_EQUAL)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(hfunc, &f);
    if (r == CUDA_SUCCESS)
        f->cache = config;
    return r;
}

CUresult impl_cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
    CUfunction f;
    if ((unsigned)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE)
        return CUDA_ERROR_INVALID_VALUE;
    return function_find(hfunc, &f);
}

CUresult impl_cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    CUfunction f;
    if (!hmod)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(hfunc, &f);
    if (r == CUDA_SUCCESS)
        *hmod = f->mod;
    return r;
}

CUresult impl_cuFuncGetName(const char **name, CUfunction hfunc)
{
    CUfunction f;
    if (!name)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(hfunc, &f);
    if (r == CUDA_SUCCESS)
        *name = f->ir->name;
    return r;
}

CUresult impl_cuFuncGetParamInfo(CUfunction func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CUfunction f;
    CUresult r = function_find(func, &f);
    return r == CUDA_SUCCESS ? function_param(f, paramIndex, paramOffset, paramSize) : r;
}

CUresult impl_cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
    CUfunction f;
    if (!state)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = function_find(function, &f);
    if (r == CUDA_SUCCESS)
        *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return r;
}

CUresult impl_cuFuncLoad(CUfunction function)
{
    CUfunction f;
    return function_find(function, &f);
}

/* ---- the same for kernels of a library ---- */

static CUresult kernel_find(CUkernel k, CUdevice dev, CUfunction *f)
{
    if (!k || k->tag != TAG_KERNEL)
        return CUDA_ERROR_INVALID_HANDLE;
    return device_ok(dev) ? kernel_function(k, dev, f) : CUDA_ERROR_INVALID_DEVICE;
}

CUresult impl_cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
    CUfunction f;
    if (!pi)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = kernel_find(kernel, dev, &f);
    return r == CUDA_SUCCESS ? function_attribute(f, attrib, pi) : r;
}

CUresult impl_cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
    CUfunction f;
    CUresult r = kernel_find(kernel, dev, &f);
    return r == CUDA_SUCCESS ? function_set_attribute(f, attrib, val) : r;
}

CUresult impl_cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
    CUfunction f;
    CUresult r = kernel_find(kernel, dev, &f);
    return r == CUDA_SUCCESS ? impl_cuFuncSetCacheConfig(f, config) : r;
}

CUresult impl_cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CUfunction f;
    CUresult r = kernel_find(kernel, device_now(), &f);
    return r == CUDA_SUCCESS ? function_param(f, paramIndex, paramOffset, paramSize) : r;
}
