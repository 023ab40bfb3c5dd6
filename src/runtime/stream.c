/* stream.c - streams: the driver's, under the runtime API's names. */
#include <stdlib.h>

#include "runtime/runtime.h"

cudaError_t impl_cudaStreamCreateWithPriority(cudaStream_t *pStream, unsigned int flags, int priority)
{
    if (!pStream || (flags & ~(unsigned)cudaStreamNonBlocking))
        return cudaErrorInvalidValue;
    return error_of(drv.cuStreamCreateWithPriority(pStream, flags, priority));
}

cudaError_t impl_cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags)
{
    return impl_cudaStreamCreateWithPriority(pStream, flags, 0);
}

cudaError_t impl_cudaStreamCreate(cudaStream_t *pStream)
{
    return impl_cudaStreamCreateWithPriority(pStream, cudaStreamDefault, 0);
}

/* The default streams are not the program's to destroy. */
cudaError_t impl_cudaStreamDestroy(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
        return cudaErrorInvalidResourceHandle;
    return error_of(drv.cuStreamDestroy_v2(stream));
}

cudaError_t impl_cudaStreamGetPriority(cudaStream_t hStream, int *priority)
{
    return error_of(drv.cuStreamGetPriority(stream_of(hStream), priority));
}

cudaError_t impl_cudaStreamGetFlags(cudaStream_t hStream, unsigned int *flags)
{
    return error_of(drv.cuStreamGetFlags(stream_of(hStream), flags));
}

cudaError_t impl_cudaStreamGetId(cudaStream_t hStream, unsigned long long *streamId)
{
    return error_of(drv.cuStreamGetId(stream_of(hStream), streamId));
}

cudaError_t impl_cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
    return error_of(drv.cuStreamGetDevice(stream_of(hStream), device));
}

cudaError_t impl_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
    return error_of(drv.cuStreamWaitEvent(stream_of(stream), event, flags));
}

/* The two callback types differ in the names of their codes only. */
cudaError_t impl_cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *userData,
                                       unsigned int flags)
{
    if (!callback || flags)
        return cudaErrorInvalidValue;
    return error_of(
        drv.cuStreamAddCallback(stream_of(stream), (CUstreamCallback)(void (*)(void))callback, userData, 0));
}

cudaError_t impl_cudaStreamSynchronize(cudaStream_t stream)
{
    return error_of(drv.cuStreamSynchronize(stream_of(stream)));
}

cudaError_t impl_cudaStreamQuery(cudaStream_t stream) { return error_of(drv.cuStreamQuery(stream_of(stream))); }

cudaError_t impl_cudaStreamAttachMemAsync(cudaStream_t stream, void *devPtr, size_t length, unsigned int flags)
{
    return error_of(drv.cuStreamAttachMemAsync(stream_of(stream), (CUdeviceptr)(uintptr_t)devPtr, length, flags));
}

cudaError_t impl_cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src)
{
    return error_of(drv.cuStreamCopyAttributes(stream_of(dst), stream_of(src)));
}

_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUlaunchAttributeValue), "values are passed on as they are");

cudaError_t impl_cudaStreamGetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        cudaLaunchAttributeValue *value_out)
{
    return error_of(
        drv.cuStreamGetAttribute(stream_of(hStream), (CUstreamAttrID)attr, (CUstreamAttrValue *)(void *)value_out));
}

cudaError_t impl_cudaStreamSetAttribute(cudaStream_t hStream, cudaLaunchAttributeID attr,
                                        const cudaLaunchAttributeValue *value)
{
    return error_of(drv.cuStreamSetAttribute(stream_of(hStream), (CUstreamAttrID)attr,
                                             (const CUstreamAttrValue *)(const void *)value));
}

cudaError_t impl_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *pCaptureStatus)
{
    return error_of(drv.cuStreamIsCapturing(stream_of(stream), (CUstreamCaptureStatus *)(void *)pCaptureStatus));
}

cudaError_t impl_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    return error_of(drv.cuThreadExchangeStreamCaptureMode((CUstreamCaptureMode *)(void *)mode));
}

/* ---- the profiler's switch ---- */

cudaError_t impl_cudaProfilerStart(void) { return error_of(drv.cuProfilerStart()); }

cudaError_t impl_cudaProfilerStop(void) { return error_of(drv.cuProfilerStop()); }
