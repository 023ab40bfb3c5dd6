/* clones.h - functions that are compiled for several levels of the processor's vectors, the best of which is taken. */
#ifndef LS_BASE_CLONES_H
#define LS_BASE_CLONES_H

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#endif
