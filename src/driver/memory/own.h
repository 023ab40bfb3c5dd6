/* own.h - functions that Lockstep's libcuda.so.1 exports besides CUDA's. A program that may also run on NVIDIA's driver
 * looks them up with dlsym and works without them. */
#ifndef LS_DRIVER_OWN_H
#define LS_DRIVER_OWN_H

#pragma GCC visibility push(default)

/* The library's version. The driver is Lockstep's if it exports this. */
const char *lockstep_driver_version(void);

/* For observers of the driver (observe.h): a call of a library above the driver begins or returns. `name` as in its
 * header; calls that the library makes in between are not the program's. */
void lockstep_driver_call(const char *name, int begins);

/* The library's call under way is about to return this error. */
void lockstep_driver_failed(int error, const char *name, const char *text);
/* The program asks for the calling thread's last error. */
void lockstep_driver_asked(void);
/* A launch by <<<>>>, whose result only the last error tells, made at this place (a return address). */
void lockstep_driver_launched(const void *site);

/* Modules loaded and kernels launched from now on run in the order of this seed (as LOCKSTEP_SEED) and with weak memory
 * or without (as LOCKSTEP_MEMORY). (0, 0): as the environment says. After cuInit, while nothing runs. */
void lockstep_driver_schedule(unsigned long long seed, int weak);

#pragma GCC visibility pop

#endif
