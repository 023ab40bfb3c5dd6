/* event.c - events: the driver's, under the runtime API's names. */
#include "runtime/runtime.h"

cudaError_t impl_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
    if (!event)
        return cudaErrorInvalidValue;
    return error_of(drv.cuEventCreate(event, flags));
}

cudaError_t impl_cudaEventCreate(cudaEvent_t *event) { return impl_cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t impl_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return error_of(drv.cuEventRecord(event, stream_of(stream)));
}

cudaError_t impl_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
    return error_of(drv.cuEventRecordWithFlags(event, stream_of(stream), flags));
}

cudaError_t impl_cudaEventQuery(cudaEvent_t event) { return error_of(drv.cuEventQuery(event)); }

cudaError_t impl_cudaEventSynchronize(cudaEvent_t event) { return error_of(drv.cuEventSynchronize(event)); }

cudaError_t impl_cudaEventDestroy(cudaEvent_t event) { return error_of(drv.cuEventDestroy_v2(event)); }

cudaError_t impl_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
    return error_of(drv.cuEventElapsedTime(ms, start, end));
}
