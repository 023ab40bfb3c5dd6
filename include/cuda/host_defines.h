/* host_defines.h - the words that CUDA C++ adds to C++: __global__, __device__, __shared__ and their like.
 *
 * In a .cu file clang knows them as attributes. In a plain C or C++ file, which may include the runtime's headers too,
 * they mean nothing and vanish; __noinline__ is a word of CUDA files only, where it is clang's own. */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#if defined(__CUDA__)

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
/* `lockstep cc` replaces the word in the .cu file itself (docs/cc.md); elsewhere it must not pass unnoticed. */
#define __managed__ the_word___managed___works_in_the_cu_file_itself_only
/* The compiler takes the copy that these promise not to need away itself, or keeps it: the meaning is the same. */
#define __grid_constant__
#define __restrict__ __restrict
/* A hint of registers, of which PTX has as many as it likes. */
#define __maxnreg__(n)
/* `lockstep cc` takes the annotation to the PTX where the .cu file itself has the word, which the macro tells. */
#if !defined LOCKSTEP_CLUSTER_DIMS || (defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900)
#define __cluster_dims__(...) the_word___cluster_dims___is_for_sm_90_and_stands_in_the_cu_file_too
#elif defined __CUDA_ARCH__
#define __cluster_dims__(...) __attribute__((annotate("lockstep_cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
#define __block_size__(...) the_word___block_size___needs_lockstep_cc___with_nvcc

#else

#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __grid_constant__
/* Not __noinline__: libstdc++ (<memory>) writes it inside __attribute__, where a macro of that name would break it. */

#endif

#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __specialization_static
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDAAPI
#define CUDA_CB

#endif
