/* stubs.c - functions of the driver API that Lockstep lacks: each says so once, and returns
 * CUDA_ERROR_NOT_SUPPORTED. */
#include "driver/stubs.h"

#include "driver/driver.h"

static CUresult not_supported(atomic_bool *said, const char *name)
{
    if (!atomic_exchange(said, true))
        drv_log("%s is not supported", name);
    return CUDA_ERROR_NOT_SUPPORTED;
}

#define REFUSAL(name)                                                                                                  \
    CUresult name(void)                                                                                                \
    {                                                                                                                  \
        static atomic_bool said;                                                                                       \
        return not_supported(&said, #name);                                                                            \
    }
#define STUB__(name) REFUSAL(name)
#define STUB_SZ(name) REFUSAL(name) REFUSAL(name##_ptsz)
#define STUB_DS(name) REFUSAL(name) REFUSAL(name##_ptds)
#define STUB(name, threads) STUB_##threads(name)
#include "driver/stubs.def"
#undef STUB
