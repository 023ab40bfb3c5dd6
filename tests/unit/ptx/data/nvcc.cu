#define G __global__
#define S __shared__
extern "C" {
typedef unsigned long long u64;
__constant__ float coef[5]={1,2,3,4,5};
__device__ int table[3][2]={{1,2},{3,4},{5,6}};
__device__ float *ptrs = 0;
__device__ const char msg[]="hello %d\n";
__device__ const char *pm = msg;
G void add(float*a,const float*b,int n){int i=blockIdx.x*blockDim.x+threadIdx.x;if(i<n)a[i]=a[i]*coef[i%5]+b[i];}
G void red(int*o,const int*in,int n){S int s[256];int t=threadIdx.x;s[t]=in[blockIdx.x*256+t];__syncthreads();for(int k=128;k>32;k>>=1){if(t<k)s[t]+=s[t+k];__syncthreads();}
 int v=s[t];if(t<32){v+=s[t+32];for(int k=16;k;k>>=1)v+=__shfl_down_sync(0xffffffff,v,k);if(!t)atomicAdd(o,v);}}
__noinline__ __device__ int f(int a,int b){return a*b+table[a%3][b&1];}
__noinline__ __device__ int g(int a,int b){return a/b;}
G void ind(int*o,int k){int(*p)(int,int)=k&1?f:g;o[threadIdx.x]=p(o[threadIdx.x],k);}
G void dbl(double*a,u64*b,short*c,char*d){int i=threadIdx.x;a[i]=sqrt(a[i])/3.0+1e-30;b[i]=__umul64hi(b[i],b[i+1])%7;c[i]=c[i]*3;d[i]^=d[i+1];}
G void sw(int*o,int k){switch(k){case 0:o[0]=1;break;case 1:o[1]=5;break;case 2:o[3]=7;break;case 3:o[9]=1;break;case 4:o[4]=0;break;default:o[5]=4;}}
}
#include <stdio.h>
G void pf(int*a){printf("x %d %f\n",a[0],(double)a[1]);}
struct B{virtual __device__ int v(int){return 1;} int q;};struct D:B{__device__ int v(int x)override{return x+q;}};
G void virt(int*a,B*b){*a=b->v(3);}
G void mk(D*d){new(d)D();d->q=3;}
