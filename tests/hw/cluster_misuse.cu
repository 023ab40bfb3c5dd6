// What the hardware does with misuse of clusters: one case a process. argv[1]: the case.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__device__ __forceinline__ unsigned mapa(unsigned at, unsigned rank)
{ unsigned r; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(rank)); return r; }
__device__ __forceinline__ unsigned my_rank() { unsigned r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
#define ARRIVE asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
#define WAIT asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
__device__ void later(long long n) { long long t = clock64(); while (clock64() - t < n); }
__global__ void misuse(unsigned *out, int what)
{
    extern __shared__ unsigned s[];
    const unsigned at = (unsigned)__cvta_generic_to_shared(s), lane = threadIdx.x;
    unsigned v = 0, other = my_rank() ^ 1;
    s[lane] = lane + 5;
    ARRIVE WAIT
    if (what == 1 && my_rank() == 1) return; // the block is gone
    if (what >= 1 && what <= 1) later(2000000);
    if (what == 0 || what == 1) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at, other) + 4 * lane) : "memory");
    if (what == 2 && my_rank() == 1) return;
    if (what == 2) { later(2000000); asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapa(at, other) + 4 * lane), "r"(lane) : "memory"); }
    if (what == 3) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at, other) + 4096 + 4 * lane) : "memory");
    if (what == 4) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at, 5) + 4 * lane) : "memory");
    if (what == 5) { ARRIVE ARRIVE WAIT }
    if (what == 6) { WAIT }
    if (what == 7) { ARRIVE return; }
    if (what == 8) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapa(at, other) + 4096 + 4 * lane), "r"(lane) : "memory");
    if (what == 9) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at, other) + 2) : "memory");
    if (what == 10) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(mapa(at, other) + (225 << 10) + 4 * lane) : "memory");
    if (what == 11) { if (lane < 16) ARRIVE WAIT }
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
    if (what == 12) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (what == 13) asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
#endif
    if (what == 14) asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(mapa(at, other) + 4096 + 4 * lane) : "memory");
    if (what < 5 || what > 7) { ARRIVE WAIT }
    out[blockIdx.x * blockDim.x + lane] = v;
}
int main(int argc, char **argv)
{
    unsigned *out, host[4] = {0}; cudaMalloc(&out, 4096);
    const int what = argc > 1 ? atoi(argv[1]) : 0;
    cudaLaunchAttribute a; a.id = cudaLaunchAttributeClusterDimension; a.val.clusterDim.x = 2; a.val.clusterDim.y = a.val.clusterDim.z = 1;
    cudaLaunchConfig_t f = {}; f.gridDim = 2; f.blockDim = 32; f.dynamicSmemBytes = 1024; f.attrs = &a; f.numAttrs = 1;
    cudaError_t e = cudaLaunchKernelEx(&f, misuse, out, what);
    printf("case %d: launch %s", what, cudaGetErrorName(e));
    if (!e) e = cudaDeviceSynchronize();
    if (!e) cudaMemcpy(host, out, 16, cudaMemcpyDefault);
    printf(", then %s, %u %u\n", cudaGetErrorName(e), host[0], host[1]);
    return 0;
}
