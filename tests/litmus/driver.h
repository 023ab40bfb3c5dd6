/* driver.h - the few functions of the CUDA driver API that the programs of this folder call, found while they run: in
 * Lockstep's library or in NVIDIA's. A C compiler is all that is needed. What fails ends the process with its name. */
#ifndef LITMUS_DRIVER_H
#define LITMUS_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_ptr;
struct kernel;

/* Loads the library, makes device 0's context current. Exit status 2: there is no driver. */
void driver_open(const char *library);
/* Compiles PTX and finds the function `name` in it. */
struct kernel *driver_kernel(const char *ptx, const char *name);
void driver_forget(struct kernel *k);
void driver_launch(struct kernel *k, unsigned blocks, unsigned threads, void **args);
void driver_wait(void);
device_ptr driver_alloc(size_t bytes);
void driver_clear(device_ptr p, size_t bytes);
void driver_read(void *to, device_ptr from, size_t bytes);
/* Memory of the host that kernels can reach too; *device is its address for them. */
void *driver_mapped(size_t bytes, device_ptr *device);

#endif
