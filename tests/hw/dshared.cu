/* dshared.cu - one form of access to another block's shared memory a kernel: the first block of a cluster of 2 (or 4) does it
 * to the next one's. What an H200 counts of each is h200/dshared.csv; dshared.py compares with what Lockstep counts. Not in
 * there: k25 and k34, of which ptxas makes other code, and k37 and k38, which are no accesses of the load-store unit. */
#include <cstdio>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned mapa(unsigned at, unsigned rank)
{ unsigned r; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank)); return r; }
__device__ __forceinline__ unsigned long long mapa64(void *p, unsigned rank)
{ unsigned long long r; asm volatile("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank)); return r; }
__device__ __forceinline__ unsigned my_rank() { unsigned r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ void sync() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
#define KERNEL(name, WIDTH, STRIDE, BODY) \
    extern "C" __global__ void name(unsigned *out) { \
        extern __shared__ __align__(16) unsigned s[]; \
        for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = k * 2654435761u + blockIdx.x; \
        unsigned at = (unsigned)__cvta_generic_to_shared(s), v = 0; if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at + 8192) : "memory"); unsigned v1 = 0, v2 = 0, v3 = 0; unsigned lane = threadIdx.x; \
        unsigned far = mapa(at, my_rank() ^ 1) + lane * (STRIDE), own = mapa(at, my_rank()) + lane * (STRIDE), here = at + lane * (STRIDE); \
        unsigned long long gfar = mapa64(s, my_rank() ^ 1) + lane * (STRIDE); float f = 0; unsigned long long w = 0; \
        sync(); \
        if (my_rank() == 0) { BODY } \
        sync(); \
        out[blockIdx.x * blockDim.x + lane] = v + v1 + v2 + v3 + (unsigned)f + (unsigned)w + far + own + here + (unsigned)gfar; \
    }
#define LD(a) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(a) : "memory");
#define ST(a) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(lane * 77u) : "memory");
KERNEL(k00_nothing, 4, 4, )
KERNEL(k01_ld_here, 4, 4, asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(here) : "memory");)
KERNEL(k02_ld_own, 4, 4, LD(own))
KERNEL(k03_ld_far, 4, 4, LD(far))
KERNEL(k04_ld_far_generic, 4, 4, asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(gfar) : "memory");)
KERNEL(k05_ld_far_stride2, 4, 8, LD(far))
KERNEL(k06_ld_far_stride32, 4, 128, LD(far))
KERNEL(k07_ld_far_same, 4, 0, LD(far))
KERNEL(k08_ld_far_64, 8, 8, asm volatile("ld.shared::cluster.u64 %0, [%1];" : "=l"(w) : "r"(far) : "memory");)
KERNEL(k09_ld_far_128, 16, 16, asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(v1), "=r"(v2), "=r"(v3) : "r"(far) : "memory");)
KERNEL(k10_ld_far_half, 4, 4, if (lane < 16) LD(far))
KERNEL(k11_ld_far_one, 4, 4, if (lane == 3) LD(far))
KERNEL(k12_ld_far_8, 4, 1, asm volatile("ld.shared::cluster.u8 %0, [%1];" : "=r"(v) : "r"(far) : "memory");)
KERNEL(k13_st_own, 4, 4, ST(own))
KERNEL(k14_st_far, 4, 4, ST(far))
KERNEL(k15_st_far_generic, 4, 4, asm volatile("st.u32 [%0], %1;" :: "l"(gfar), "r"(lane * 77u) : "memory");)
KERNEL(k16_st_far_stride2, 4, 8, ST(far))
KERNEL(k17_st_far_stride32, 4, 128, ST(far))
KERNEL(k18_st_far_same, 4, 0, ST(far))
KERNEL(k19_st_far_64, 8, 8, asm volatile("st.shared::cluster.u64 [%0], %1;" :: "r"(far), "l"(lane * 77ull) : "memory");)
KERNEL(k20_st_far_128, 16, 16, asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %1, %1, %1};" :: "r"(far), "r"(lane * 77u) : "memory");)
KERNEL(k21_st_far_half, 4, 4, if (lane < 16) ST(far))
KERNEL(k22_atom_here, 4, 4, asm volatile("atom.shared.add.u32 %0, [%1], 3;" : "=r"(v) : "r"(here) : "memory");)
KERNEL(k23_atom_own, 4, 4, asm volatile("atom.shared::cluster.add.u32 %0, [%1], 3;" : "=r"(v) : "r"(own) : "memory");)
KERNEL(k24_atom_far, 4, 4, asm volatile("atom.shared::cluster.add.u32 %0, [%1], 3;" : "=r"(v) : "r"(far) : "memory");)
KERNEL(k25_atom_far_same, 4, 0, asm volatile("atom.shared::cluster.add.u32 %0, [%1], %2;" : "=r"(v) : "r"(far), "r"(lane) : "memory");)
KERNEL(k26_atom_far_stride32, 4, 128, asm volatile("atom.shared::cluster.add.u32 %0, [%1], 3;" : "=r"(v) : "r"(far) : "memory");)
KERNEL(k27_red_here, 4, 4, asm volatile("red.shared.add.u32 [%0], 3;" :: "r"(here) : "memory");)
KERNEL(k28_red_far, 4, 4, asm volatile("red.shared::cluster.add.u32 [%0], 3;" :: "r"(far) : "memory");)
KERNEL(k29_red_far_same, 4, 0, asm volatile("red.shared::cluster.add.u32 [%0], %1;" :: "r"(far), "r"(lane) : "memory");)
KERNEL(k30_atom_far_generic, 4, 4, asm volatile("atom.add.u32 %0, [%1], 3;" : "=r"(v) : "l"(gfar) : "memory");)
KERNEL(k31_red_far_generic, 4, 4, asm volatile("red.add.u32 [%0], 3;" :: "l"(gfar) : "memory");)
KERNEL(k32_cas_far, 4, 4, asm volatile("atom.shared::cluster.cas.b32 %0, [%1], 3, 5;" : "=r"(v) : "r"(far) : "memory");)
KERNEL(k33_exch_far, 4, 4, asm volatile("atom.shared::cluster.exch.b32 %0, [%1], 5;" : "=r"(v) : "r"(far) : "memory");)
KERNEL(k34_fadd_far, 4, 4, asm volatile("atom.shared::cluster.add.f32 %0, [%1], 0f3f800000;" : "=f"(f) : "r"(far) : "memory");)
KERNEL(k35_atom64_far, 8, 8, asm volatile("atom.shared::cluster.add.u64 %0, [%1], 3;" : "=l"(w) : "r"(far) : "memory");)
KERNEL(k36_ld_two, 4, 4, LD((lane & 1) ? far : own))
KERNEL(k37_arrive_far, 4, 0, if (lane == 0) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(far + 8192) : "memory");)
KERNEL(k38_async_store, 4, 4, asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(far), "r"(lane), "r"(mapa(at + 8192, 1)) : "memory");)
KERNEL(k39_ld_far_twice, 4, 4, LD(far) v1 = v; LD(far + 256))
KERNEL(k40_ld_far_off, 4, 4, LD(far + 4))
extern "C" __global__ void k41_ld_three(unsigned *out) // clusters of 4: lanes of three other blocks
{
    __shared__ unsigned s[32];
    const unsigned lane = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s) + 4 * lane;
    unsigned v = 0;
    s[lane] = lane * 3;
    sync();
    if (my_rank() == 0) LD(mapa(at, 1 + lane % 3))
    sync();
    out[blockIdx.x * 32 + lane] = v;
}
#define RUN(n, c) { cudaLaunchAttribute a; a.id = cudaLaunchAttributeClusterDimension; a.val.clusterDim.x = c; a.val.clusterDim.y = a.val.clusterDim.z = 1; \
    cudaLaunchConfig_t f = {}; f.gridDim = c; f.blockDim = 32; f.dynamicSmemBytes = 16384; f.attrs = &a; f.numAttrs = 1; \
    cudaError_t e = cudaLaunchKernelEx(&f, n, out); if (!e) e = cudaDeviceSynchronize(); if (e) { printf("%s: %s\n", #n, cudaGetErrorString(e)); return 1; } }
int main()
{
    unsigned *out; cudaMalloc(&out, 4096 * 4);
    RUN(k00_nothing, 2) RUN(k01_ld_here, 2) RUN(k02_ld_own, 2) RUN(k03_ld_far, 2) RUN(k04_ld_far_generic, 2) RUN(k05_ld_far_stride2, 2)
    RUN(k06_ld_far_stride32, 2) RUN(k07_ld_far_same, 2) RUN(k08_ld_far_64, 2) RUN(k09_ld_far_128, 2) RUN(k10_ld_far_half, 2) RUN(k11_ld_far_one, 2)
    RUN(k12_ld_far_8, 2) RUN(k13_st_own, 2) RUN(k14_st_far, 2) RUN(k15_st_far_generic, 2) RUN(k16_st_far_stride2, 2) RUN(k17_st_far_stride32, 2)
    RUN(k18_st_far_same, 2) RUN(k19_st_far_64, 2) RUN(k20_st_far_128, 2) RUN(k21_st_far_half, 2) RUN(k22_atom_here, 2) RUN(k23_atom_own, 2)
    RUN(k24_atom_far, 2) RUN(k25_atom_far_same, 2) RUN(k26_atom_far_stride32, 2) RUN(k27_red_here, 2) RUN(k28_red_far, 2) RUN(k29_red_far_same, 2)
    RUN(k30_atom_far_generic, 2) RUN(k31_red_far_generic, 2) RUN(k32_cas_far, 2) RUN(k33_exch_far, 2) RUN(k34_fadd_far, 2) RUN(k35_atom64_far, 2)
    RUN(k36_ld_two, 2) RUN(k37_arrive_far, 2) RUN(k39_ld_far_twice, 2) RUN(k40_ld_far_off, 2) RUN(k41_ld_three, 4)
    puts("ok");
    return 0;
}
