/* own.h - functions that Lockstep's libcuda.so.1 exports besides CUDA's. A program that may also run on NVIDIA's driver asks
 * for them with dlsym and does without where there are none. */
#ifndef LS_DRIVER_OWN_H
#define LS_DRIVER_OWN_H

#pragma GCC visibility push(default)

/* The library's version; that it is there at all tells that the driver is Lockstep's. */
const char *lockstep_driver_version(void);

/* For those that observe the driver (observe.h). A call of a library above it begins or returns. `name` as in its header;
 * calls from the library's code in between are not the program's. */
void lockstep_driver_call(const char *name, int begins);

/* The library's call under way is about to return this error. */
void lockstep_driver_failed(int error, const char *name, const char *text);
/* The program asks for the calling thread's last error. */
void lockstep_driver_asked(void);
/* A launch whose result the program can only have by asking for the last error, made at this place (a return address). */
void lockstep_driver_launched(const void *site);

/* Modules loaded and kernels launched from now on run in the order of this seed (as LOCKSTEP_SEED) and with weak memory or
 * without (as LOCKSTEP_MEMORY). (0, 0): again as the environment says. After cuInit, while nothing runs. */
void lockstep_driver_schedule(unsigned long long seed, int weak);

#pragma GCC visibility pop

#endif
