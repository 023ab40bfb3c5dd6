/* intrinsics.cu - the device's intrinsics: conversions and rounding modes, bits and parts of words, warps, barriers,
 * atomics of all types and scopes, loads and stores with cache hints, addresses. Expected values follow from the CUDA C++
 * Programming Guide's definitions. */
#include "check.h"

/* A kernel's MUST: counts into a variable of the device. */
__device__ int bad_line, bad_count;
static __device__ bool expect_failed(int line)
{
    if (atomicAdd(&bad_count, 1) == 0)
        bad_line = line;
    return true;
}
#define EXPECT(condition) ((void)((condition) || expect_failed(__LINE__)))

/* ---- conversions and arithmetic in a rounding mode ---- */

__global__ void rounding(float third, double third_d, float big, int i, long long l)
{
    EXPECT(__float2int_rn(third * 7.5f) == 2 && __float2int_rz(-2.7f) == -2);
    EXPECT(__float2int_ru(third * 6.3f) == 3 && __float2int_rd(-2.1f) == -3);
    EXPECT(__float2uint_rn(big) == 4000000000u && __float2uint_rz(-1.0f) == 0);
    EXPECT(__float2ll_rn(big) == 4000000000ll && __float2ull_rz(1e19f) == (unsigned long long)1e19f);
    EXPECT(__double2int_rn(-2.5) == -2 && __double2int_ru(2.1) == 3 && __double2uint_rd(2.9) == 2);
    EXPECT(__double2ll_rz(-1e15) == -1000000000000000ll && __double2ull_rn(1.5) == 2);
    EXPECT(__int2float_rn(i) == 16777216.0f && __int2float_ru(i) == 16777218.0f && __int2float_rd(i) == 16777216.0f);
    EXPECT(__ll2float_rz(l) == 16777216.0f && __uint2float_ru((unsigned)i) == 16777218.0f);
    EXPECT(__int2double_rn(i) == 16777217.0 && __ll2double_rn(l) == 16777217.0);
    EXPECT(__double2float_rn(third_d) == third && __double2float_rd(third_d) < third_d);
    EXPECT(__double2float_ru(third_d) > third_d);
    EXPECT(__fadd_ru(1.0f, 1e-20f) > 1.0f && __fadd_rn(1.0f, 1e-20f) == 1.0f && __fsub_rd(1.0f, 1e-20f) < 1.0f);
    EXPECT(__fmul_ru(third, third) > __fmul_rd(third, third) && __fmul_rz(-third, third) >= __fmul_rd(-third, third));
    EXPECT(__fdiv_rn(1.0f, 3.0f) == third && __fdiv_ru(1.0f, 3.0f) >= third && __fdiv_rd(1, 3) < __fdiv_ru(1, 3));
    EXPECT(__frcp_rn(4.0f) == 0.25f && __fsqrt_rn(9.0f) == 3.0f && __fsqrt_ru(2.0f) > __fsqrt_rd(2.0f));
    EXPECT(__frsqrt_rn(16.0f) == 0.25f && __fmaf_rn(third, 3.0f, -1.0f) == 0x1p-25f);
    EXPECT(__dadd_ru(1.0, 1e-300) > 1.0 && __dmul_rn(3.0, 5.0) == 15.0 && __ddiv_rn(1.0, 4.0) == 0.25);
    EXPECT(__drcp_rn(8.0) == 0.125 && __dsqrt_rn(2.25) == 1.5 && __fma_rn(2.0, 3.0, 1.0) == 7.0 && __dsub_rn(3.0, 1.0) == 2.0);
    EXPECT(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f && __uint_as_float(0u) == 0.0f);
    EXPECT(__double_as_longlong(1.0) == 0x3ff0000000000000ll && __longlong_as_double(0x4000000000000000ll) == 2.0);
    EXPECT(__hiloint2double(0x40080000, 0) == 3.0 && __double2hiint(3.0) == 0x40080000 && __double2loint(3.0) == 0);
    EXPECT(__saturatef(2.0f) == 1.0f && __saturatef(-1.0f) == 0.0f && __saturatef(0.5f) == 0.5f);
    EXPECT(fabsf(__sinf(0.5f) - sinf(0.5f)) < 1e-6f && fabsf(__cosf(0.5f) - cosf(0.5f)) < 1e-6f);
    EXPECT(fabsf(__expf(0.5f) - expf(0.5f)) < 1e-6f && fabsf(__logf(3.0f) - logf(3.0f)) < 1e-6f);
    EXPECT(fabsf(__log2f(3.0f) - log2f(3.0f)) < 1e-6f && fabsf(__log10f(3.0f) - log10f(3.0f)) < 1e-6f);
    EXPECT(fabsf(__powf(2.5f, 1.5f) - powf(2.5f, 1.5f)) < 1e-5f && fabsf(__exp10f(0.5f) - exp10f(0.5f)) < 1e-5f);
    EXPECT(fabsf(__tanf(0.5f) - tanf(0.5f)) < 1e-6f && fabsf(__fdividef(1.0f, 3.0f) - third) < 1e-7f);
}

/* ---- bits, integers, parts of words ---- */

__global__ void bits(unsigned v, unsigned long long w, int minus, int one)
{
    EXPECT(__popc(v) == 16 && __popcll(w) == 32 && __clz((int)v) == 0 && __clz(one) == 31 && __clz(one - 1) == 32);
    EXPECT(__clzll((long long)(w >> 8)) == 8 && __ffs((int)(v << 4)) == __ffs((int)v) + 4 && __ffs(one - 1) == 0);
    EXPECT(__ffsll((long long)one << 40) == 41 && __brev(1u << 3) == 1u << 28 && __brevll(1ull << 3) == 1ull << 60);
    EXPECT(__byte_perm(0x33221100u, 0x77665544u, 0x7520) == 0x77552200u);
    EXPECT(__funnelshift_l(0x80000000u, 0x1u, 4) == 0x18u && __funnelshift_r(0x80000000u, 0x1u, 4) == 0x18000000u);
    EXPECT(__funnelshift_lc(v, 7u, 40) == v && __funnelshift_rc(7u, v, 40) == v);
    EXPECT(__mulhi(minus, 2) == -1 && __umulhi(v, 2u) == v >> 31 && __mul64hi(-1ll, 2ll) == -1ll);
    EXPECT(__umul64hi(w, 4ull) == w >> 62 && __mul24(-3, 5) == -15 && __umul24(3u, 5u) == 15u);
    EXPECT(__hadd(minus, 2) == 0 && __rhadd(minus, 2) == 1 && __uhadd(~0u, 1u) == 0x80000000u && __urhadd(2u, 3u) == 3u);
    EXPECT(__sad(-3, 4, 10u) == 17u && __usad(3u, 10u, 1u) == 8u && abs(minus) == 1);
    EXPECT(__vadd4(0x01ff0203u, 0x01010101u) == 0x02000304u && __vadd2(0x0001ffffu, 0x00010001u) == 0x00020000u);
    EXPECT(__vsub4(0x05000000u, 0x01010000u) == 0x04ff0000u && __vaddus4(0xff01ff01u, 0x01010101u) == 0xff02ff02u);
    EXPECT(__vaddss2(0x7fff8000u, 0x0001ffffu) == 0x7fff8000u && __vabsdiffu4(0x05030000u, 0x03050000u) == 0x02020000u);
    EXPECT(__vmaxu4(0x01ff0203u, 0x02010304u) == 0x02ff0304u && __vmins2(0xffff0001u, 0x00010002u) == 0xffff0001u);
    EXPECT(__vcmpeq4(0x01020304u, 0x01ff03ffu) == 0xff00ff00u && __vsetgtu4(0x02000000u, 0x01010000u) == 0x01000000u);
    EXPECT(__vsadu4(0x05030000u, 0x03050000u) == 4u && __vavgu4(0x02040000u, 0x04050000u) == 0x03050000u);
    EXPECT(__vabs4(0xff01fe02u) == 0x01010202u && __vneg2(0x0001ffffu) == 0xffff0001u);
    EXPECT(__dp4a(0x01020304, 0x01010101, 5) == 15 && __dp4a(0xff000000u, 0x02000000u, 1u) == 511u);
    EXPECT(__dp4a(make_char4(-1, 2, 3, 4), make_char4(1, 1, 1, 1), 0) == 8);
    EXPECT(__dp2a_lo(0x00030002, 0x00000504, 1) == 24 && __dp2a_hi(0x00030002u, 0x05040000u, 1u) == 24u);
    EXPECT(__fns(0xf0u, 0, 2) == 5u);
}

/* ---- warps ---- */

__global__ void warp(void)
{
    const unsigned all = 0xffffffffu;
    const int lane = (int)threadIdx.x;
    EXPECT(__shfl_sync(all, lane, 5) == 5 && __shfl_up_sync(all, lane, 1) == (lane ? lane - 1 : 0));
    EXPECT(__shfl_down_sync(all, lane * 1.0, 2) == (lane < 30 ? lane + 2 : lane) * 1.0);
    EXPECT(__shfl_xor_sync(all, 1ull << lane, 16, 32) == 1ull << (lane ^ 16));
    EXPECT(__shfl_sync(all, (float)lane, 9, 8) == (float)(lane / 8 * 8 + 1));
    EXPECT(__ballot_sync(all, lane % 2) == 0xaaaaaaaau && __any_sync(all, lane == 3) && !__all_sync(all, lane == 3));
    EXPECT(__match_any_sync(all, lane / 4) == 0xfu << lane / 4 * 4 && __match_any_sync(all, (double)(lane % 2)) == (lane % 2 ? 0xaaaaaaaau : 0x55555555u));
    int same = 0;
    EXPECT(__match_all_sync(all, 7ll, &same) == all && same && __match_all_sync(all, lane, &same) == 0 && !same);
    EXPECT(__activemask() == all && __uni_sync(all, 1));
#if __CUDA_ARCH__ >= 800
    EXPECT(__reduce_add_sync(all, (unsigned)lane) == 496 && __reduce_max_sync(all, lane - 40) == -9);
    EXPECT(__reduce_xor_sync(all, 1u << lane) == all && __reduce_min_sync(all, (unsigned)lane + 3) == 3);
#endif
    EXPECT(__syncthreads_count(lane < 7) == 7 && __syncthreads_and(lane < 32) && !__syncthreads_or(lane < 0));
    __syncwarp();
    if (lane < 16)
        __syncwarp(0xffff);
    __threadfence_block(), __threadfence(), __threadfence_system();
    const long long t = clock64();
    const int u = (int)clock();
    __nanosleep(20);
    EXPECT(clock64() > t && (int)clock() != u);
}

/* ---- atomics ---- */

template <class T> struct cells {
    T v[24];
};
template <class T> __device__ void arithmetic(cells<T> *c, T add)
{
    EXPECT(atomicAdd(&c->v[0], add) == 5 && atomicAdd_block(&c->v[0], add) == (T)(5 + add));
    EXPECT(atomicAdd_system(&c->v[0], add) == (T)(5 + 2 * add) && c->v[0] == (T)(5 + 3 * add));
}
template <class T> __device__ void exchange(cells<T> *c)
{
    EXPECT(atomicExch(&c->v[1], (T)7) == 5 && atomicExch_block(&c->v[1], (T)8) == 7 && atomicExch_system(&c->v[1], (T)9) == 8);
}
template <class T> __device__ void compare(cells<T> *c)
{
    EXPECT(atomicCAS(&c->v[2], (T)5, (T)6) == 5 && atomicCAS_block(&c->v[2], (T)5, (T)7) == 6 && c->v[2] == 6);
    EXPECT(atomicCAS_system(&c->v[2], (T)6, (T)1) == 6 && c->v[2] == 1);
}
template <class T> __device__ void order(cells<T> *c, T less, T more)
{
    EXPECT(atomicMin(&c->v[3], less) == 5 && c->v[3] == less && atomicMax_block(&c->v[3], more) == less && c->v[3] == more);
    EXPECT(atomicMin_system(&c->v[3], (T)5) == more && atomicMax(&c->v[3], more) == 5);
}
template <class T> __device__ void logic(cells<T> *c)
{
    EXPECT(atomicAnd(&c->v[4], (T)4) == 5 && atomicOr_block(&c->v[4], (T)3) == 4 && atomicXor_system(&c->v[4], (T)1) == 7 && c->v[4] == 6);
}
template <class T> static T *fresh(void)
{
    T *p;
    CUDA(cudaMallocManaged(&p, sizeof(*p)));
    for (unsigned i = 0; i < sizeof p->v / sizeof *p->v; i++)
        p->v[i] = 5;
    return p;
}
__global__ void atomics(cells<int> *i, cells<unsigned> *u, cells<long long> *l, cells<unsigned long long> *ul, cells<float> *f,
                        cells<double> *d, cells<unsigned short> *s)
{
    arithmetic(i, -2), arithmetic(u, 2u), arithmetic(ul, 1ull << 40), arithmetic(f, 0.5f), arithmetic(d, 0.25);
    exchange(i), exchange(u), exchange(ul), exchange(f);
    compare(i), compare(u), compare(ul), compare(s);
    order(i, -3, 9), order(u, 3u, ~0u), order(l, -3ll, 1ll << 40), order(ul, 3ull, ~0ull);
    logic(i), logic(u), logic(ul);
    EXPECT(atomicSub(&i->v[5], 7) == 5 && i->v[5] == -2 && atomicSub_block(&u->v[5], 7u) == 5 && u->v[5] == ~0u - 1);
    EXPECT(atomicInc(&u->v[6], 5u) == 5 && u->v[6] == 0 && atomicInc_system(&u->v[6], 5u) == 0 && u->v[6] == 1);
    EXPECT(atomicDec(&u->v[7], 9u) == 5 && u->v[7] == 4 && atomicDec_block(&u->v[7], 2u) == 4 && u->v[7] == 2);
    __shared__ int in_shared;
    in_shared = 3;
    EXPECT(atomicAdd(&in_shared, 4) == 3 && atomicExch(&in_shared, 1) == 7);
}

/* ---- memory ---- */

template <class T> __device__ bool equal(T a, T b)
{
    for (unsigned i = 0; i < sizeof a; i++)
        if (((char *)&a)[i] != ((char *)&b)[i])
            return false;
    return true;
}
template <class T> __device__ void hints(T *p, T v)
{
    __stwb(p, v), EXPECT(equal(__ldca(p), v));
    __stcg(p + 1, v), EXPECT(equal(__ldcg(p + 1), v));
    __stcs(p + 2, v), EXPECT(equal(__ldcs(p + 2), v));
    __stwt(p + 3, v), EXPECT(equal(__ldcv(p + 3), v) && equal(__ldlu(p + 3), v));
    EXPECT(equal(__ldg(p), v));
}
__constant__ int constant[4] = {1, 2, 3, 4};
__global__ void memory(void *p)
{
    hints((char *)p, (char)-3), hints((unsigned char *)p, (unsigned char)250), hints((short *)p, (short)-3);
    hints((int *)p, -3), hints((unsigned *)p, 3u), hints((long *)p, -3l), hints((long long *)p, -3ll), hints((unsigned long long *)p, 3ull);
    hints((float *)p, 1.5f), hints((double *)p, 2.5), hints((float2 *)p, make_float2(1, 2)), hints((float4 *)p, make_float4(1, 2, 3, 4));
    hints((double2 *)p, make_double2(1, 2)), hints((int4 *)p, make_int4(1, -2, 3, 4)), hints((uint2 *)p, make_uint2(1, 2));
    hints((char4 *)p, make_char4(1, -2, 3, 4)), hints((uchar2 *)p, make_uchar2(1, 2)), hints((short4 *)p, make_short4(1, -2, 3, 4));
    hints((ushort2 *)p, make_ushort2(1, 2)), hints((longlong2 *)p, make_longlong2(1, -2));
    __shared__ int shared[2];
    int local[2] = {(int)threadIdx.x, 1};
    EXPECT(__isGlobal(p) && !__isShared(p) && __isShared(shared) && __isLocal(local + threadIdx.x) && __isConstant(constant + threadIdx.x));
    EXPECT(__cvta_shared_to_generic(__cvta_generic_to_shared(shared)) == (void *)shared);
    int *q = (int *)malloc(40), *r = new int[3];
    EXPECT(q && r && __isGlobal(q));
    memset(q, 0x11, 40), memcpy(r, q + 2, 12);
    EXPECT(r[2] == 0x11111111);
    free(q);
    delete[] r;
    uint3 t = threadIdx;
    dim3 b = blockDim, g(gridDim);
    EXPECT(t.x == 0 && b.x == 1 && g.y == 1 && warpSize == 32 && blockIdx.z == 0);
}

static void finish(const char *what)
{
    int line, count;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpyFromSymbol(&line, bad_line, sizeof line));
    CUDA(cudaMemcpyFromSymbol(&count, bad_count, sizeof count));
    if (count) {
        printf("%s: %d failures, the first in line %d\n", what, count, line);
        failures += count;
        count = 0;
        CUDA(cudaMemcpyToSymbol(bad_count, &count, sizeof count));
    }
}

int main()
{
    rounding<<<1, 1>>>(1.0f / 3, 1.0 / 3, 4e9f, 16777217, 16777217);
    finish("rounding");
    bits<<<1, 1>>>(0xaaaaaaaau, 0xaaaaaaaaaaaaaaaaull, -1, 1);
    finish("bits");
    warp<<<1, 32>>>();
    finish("warp");
    cells<unsigned short> *s = fresh<cells<unsigned short>>();
    atomics<<<1, 1>>>(fresh<cells<int>>(), fresh<cells<unsigned>>(), fresh<cells<long long>>(), fresh<cells<unsigned long long>>(),
                      fresh<cells<float>>(), fresh<cells<double>>(), s);
    finish("atomics");
    void *p;
    CUDA(cudaMalloc(&p, 256));
    memory<<<1, 1>>>(p);
    finish("memory");
    printf("%d failures\n", failures);
    return failures != 0;
}
