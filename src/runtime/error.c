/* error.c - names and texts of error codes, and the calling thread's last error.
 *
 * Every entry of api.def records what it returns unless that is success. cudaGetLastError forgets the record, but for
 * an error that ended the context: that one stays until cudaDeviceReset, as CUDA has it. */
#include "runtime/runtime.h"
#include "runtime/runtime_trace.h"

struct error {
    cudaError_t code;
    const char *name, *text;
};

static const struct error errors[] = {
#define ERROR(name, value, text) {name, #name, text},
#include "runtime/errors.def"
#undef ERROR
};

static const struct error *find(cudaError_t code)
{
    for (size_t i = 0; i < LS_ARRAY_LEN(errors); i++)
        if (errors[i].code == code)
            return &errors[i];
    return NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
    const struct error *e = find(error);
    return e ? e->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    const struct error *e = find(error);
    return e ? e->text : "unrecognized error code";
}

bool error_is_sticky(cudaError_t e)
{
    switch (e) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorExternalDevice:
        return true;
    default:
        return false;
    }
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = rt.last;
    if (trace_checks.asked)
        trace_checks.asked();
    if (!error_is_sticky(e))
        rt.last = cudaSuccess;
    else if (!context_stuck(e)) /* its context was reset */
        e = rt.last = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    if (trace_checks.asked)
        trace_checks.asked();
    if (error_is_sticky(rt.last) && !context_stuck(rt.last))
        rt.last = cudaSuccess;
    return rt.last;
}
