#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#include <__clang_cuda_builtin_vars.h>
typedef unsigned long long u64;
extern "C" __device__ float __nv_sinf(float); extern "C" __device__ int vprintf(const char*,const char*);
struct P{int a;char b;double c;float q[3];};
__constant__ P cp={1,2,3.0,{1,2,3}};
__device__ const char*strs[]={"abc","defg"};
__device__ __attribute__((noinline)) P mkp(P a,int b){a.a+=b;a.q[b&1]=b;return a;}
extern __shared__ float dyn[];
__global__ void __launch_bounds__(128,2) k(float*a,P p,int n){__shared__ float t[32][33];int i=threadIdx.x+blockIdx.x*blockDim.x;t[threadIdx.y][threadIdx.x]=a[i]+dyn[i];__syncthreads();float s=0;for(int j=0;j<n;j++)s+=t[j][threadIdx.x]*__nv_sinf(a[j]);P z=mkp(p,n);a[i]=s+z.q[2]+cp.q[1];if(n>100)vprintf(strs[n&1],0);}
__device__ int fa(int x){return x+1;} __device__ int fb(int x){return x*2;}
typedef int(*fp)(int);
__device__ fp tab[2]={fa,fb};
__global__ void ind(int*a,int n){a[0]=tab[n&1](a[1]);int loc[16];for(int i=0;i<16;i++)loc[i]=a[i];a[3]=loc[a[4]&15];u64 q=a[5];a[6]=__builtin_popcountll(q)+__builtin_clz(a[7]);__builtin_trap();}
__global__ void sw(int*a,int n){switch(n){case 0:a[0]=3;break;case 1:a[1]=3;break;case 2:a[2]=a[9];break;case 3:a[0]=a[3]*7;break;case 4:a[5]=3;break;case 5:a[4]=5;break;default:a[3]=1;}a[7]=__nvvm_atom_add_gen_i(a,3);_Float16 h=a[4];a[5]=h*(_Float16)a[6];__bf16 b=a[4];a[8]=(float)b;}
