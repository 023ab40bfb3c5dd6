/* own.c - the few functions of this library that NVIDIA's does not have: for Lockstep's own programs, found by
 * dlsym. */
#include "driver/memory/own.h"

#include "driver/driver.h"
#include "lockstep.h"

const char *lockstep_driver_version(void) { return ls_version(); }

void lockstep_driver_call(const char *name, int begins)
{
    const struct driver_call c = {.name = name, .from = __builtin_return_address(0), .above = true};
    if (begins)
        TELL(call_begin, &c);
    else
        TELL(call_end, &c);
}

void lockstep_driver_failed(int error, const char *name, const char *text) { TELL(call_failed, error, name, text); }

void lockstep_driver_asked(void) { TELL(error_asked); }

void lockstep_driver_launched(const void *site) { TELL(launch_untold, site); }

void lockstep_driver_schedule(unsigned long long seed, int weak)
{
    static bool known, weak_before;
    static u64 seed_before;
    if (!known) {
        seed_before = drv.settings.seed;
        weak_before = drv.exec[0].weak_memory;
        known = true;
    }
    drv.settings.seed = seed || weak ? seed : seed_before;
    for (unsigned i = 0; i < drv.ndevices; i++)
        drv.exec[i].weak_memory = seed || weak ? weak != 0 : weak_before;
}
