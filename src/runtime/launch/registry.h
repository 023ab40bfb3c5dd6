/* registry.h - binaries and their symbols: registry.c stores them, symbol.c loads them. Everything is under one lock.
 */
#ifndef LS_RUNTIME_REGISTRY_H
#define LS_RUNTIME_REGISTRY_H

#include <pthread.h>

#include "runtime/runtime.h"

struct rt_binary;

/* A kernel or variable of the program. */
struct rt_symbol {
    const void *host; /* the address by which the program knows it */
    const char *name; /* in the binary */
    struct rt_binary *binary;
    size_t size; /* of a variable */
    bool variable, managed;
    void **managed_pointer;  /* where the program keeps a managed variable's address */
    CUkernel kernel;         /* NULL: not looked up yet */
    struct rt_symbol *chain; /* of the same hash */
    struct rt_symbol *next;  /* of the same binary */
};

/* What __cudaRegisterFatBinary was given: one compiled file, or a linked program. */
struct rt_binary {
    void *wrapper;
    CUlibrary library;   /* NULL: not loaded */
    cudaError_t failure; /* of loading it: said once by the driver, and kept */
    u64 managed_epoch;   /* context_epoch() when managed variables got their addresses */
    struct rt_symbol *symbols;
    struct rt_binary *next;
};

void registry_lock(void);
void registry_unlock(void);

/* With the lock held: */
struct rt_symbol *symbol_find(const void *host);          /* NULL: none */
struct rt_symbol *symbol_of_managed(const void *address); /* by the variable's own address */
struct rt_symbol *symbol_of_kernel(CUkernel kernel);      /* NULL: none */
cudaError_t binary_load(struct rt_binary *b);             /* and places managed variables */

/* The compiler's entry points. */
#pragma GCC visibility push(default)
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *hostFun, char *deviceFun, const char *deviceName,
                            int thread_limit, uint3 *tid, uint3 *bid, dim3 *bDim, dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **handle, char *hostVar, char *deviceAddress, const char *deviceName, int ext, size_t size,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **hostVarPtrAddress, char *deviceAddress, const char *deviceName,
                              int ext, size_t size, int constant, int global);
#pragma GCC visibility pop

#endif
