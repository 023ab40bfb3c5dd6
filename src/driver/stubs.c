/* stubs.c - what the driver API has and Lockstep has not: each says so once, and returns CUDA_ERROR_NOT_SUPPORTED. */
#include "driver/stubs.h"

#include "driver/driver.h"

static CUresult not_supported(atomic_bool *said, const char *name)
{
    if (!atomic_exchange(said, true))
        drv_log("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define STUB(name)                                                                                                     \
    CUresult name(void)                                                                                                \
    {                                                                                                                  \
        static atomic_bool said;                                                                                       \
        return not_supported(&said, #name);                                                                            \
    }
#include "driver/stubs.def"
#undef STUB
