/* curand_xorwow.h - XORWOW (Marsaglia, "Xorshift RNGs", 2003): 160 bits that a linear step moves, and a counter.
 *
 * Jumps: n steps of the linear part are its state multiplied by x^n modulo the step's characteristic polynomial, which
 * has degree 160. Polynomials are five words, the lowest first. Both polynomials and table were computed from the step
 * by the Berlekamp-Massey algorithm. A sequence is 2^67 numbers. */
#ifndef LOCKSTEP_CURAND_XORWOW_H
#define LOCKSTEP_CURAND_XORWOW_H

#define LS_D static __device__ __forceinline__

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace ls_curand {

/* The characteristic polynomial, but for x^160. */
static __constant__ const unsigned xorwow_polynomial[5] = {0x00060001u, 0x08610030u, 0x00062121u, 0x0f3c0035u,
                                                           0x00000f0eu};

/* x^(2^(67 + k)) modulo it. */
static __constant__ const unsigned xorwow_sequences[32][5] = {
    {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u},
    {0x5f39c379u, 0x95e20ba6u, 0x20e9ff72u, 0x1244ce5eu, 0xe8fd228fu},
    {0xa7474d19u, 0x37c549e0u, 0x140877d2u, 0x24c43924u, 0xcd52ebecu},
    {0xe0360ec5u, 0xb1c96c24u, 0xdbb91766u, 0x666ff5dcu, 0xf19a7e52u},
    {0xfcc8f692u, 0x35aa698au, 0x04ebbf85u, 0x448304b0u, 0x082f3fd5u},
    {0x48c289bdu, 0xe851cf98u, 0x845ad581u, 0xfd70752au, 0x2c3e63f6u},
    {0xe502f5b3u, 0x77859d31u, 0x97e1cbb3u, 0xea09047au, 0x61d5f37eu},
    {0xb89326d0u, 0x5a8655a9u, 0xfb6e98f5u, 0x02102162u, 0x7e6fcf6fu},
    {0xb3a15db4u, 0xc6df3330u, 0x1a8be751u, 0xf1e4b221u, 0x6bb61c05u},
    {0x133de1d0u, 0x361e4422u, 0xc6131fcfu, 0xd9719f45u, 0x9658a164u},
    {0x19e2bee8u, 0xf8974218u, 0x4e65536au, 0xa2570336u, 0xe9b88082u},
    {0x7863644bu, 0x2a21ce84u, 0x112e86f1u, 0xed01ce0eu, 0xba143e84u},
    {0x0e2cae2eu, 0xd1011279u, 0x58923768u, 0x2bf650bau, 0xc985bcdau},
    {0x213a286au, 0x6596b510u, 0x6fc10eaeu, 0x38a13547u, 0x11c7749eu},
    {0x146281e7u, 0xa45b4452u, 0xafa8c695u, 0x74a0ac94u, 0x4b250e0au},
    {0x2306bc52u, 0x790f3b4cu, 0x2fe473b9u, 0xbc81d7c0u, 0x093efe98u},
    {0x89658c8bu, 0xf3914315u, 0xa73fe84bu, 0x3c5fadb6u, 0xadba8dd6u},
    {0x09e49814u, 0x09caf5edu, 0x6b2460d9u, 0x1b9981c1u, 0x2d1fefc3u},
    {0x82161afcu, 0x9bb13c55u, 0xfd20d7fbu, 0x306d90b9u, 0x92bf386fu},
    {0x96d32350u, 0x0e081864u, 0x69faa798u, 0xe7faecf5u, 0xf1f951beu},
    {0x3e9058c1u, 0x71da9705u, 0xe2cb1f2bu, 0x73456536u, 0xbd6501b6u},
    {0x990ffc6eu, 0xbfdd1b5du, 0xc83e520bu, 0xe972936au, 0xac79abb9u},
    {0xb1321eb5u, 0xb06d01a2u, 0x51532012u, 0x8fb59962u, 0x141d3b0bu},
    {0x3257dfe1u, 0xd8a3d601u, 0x3a58c735u, 0x845f36e4u, 0x0112c611u},
    {0xa0ffe9a4u, 0xf57be00eu, 0xe706880cu, 0x191211efu, 0xee5664fbu},
    {0x9a3385b8u, 0xc540c30au, 0xb241d1e0u, 0x00626569u, 0x6b355fe9u},
    {0xe129d45du, 0xac3e698bu, 0xd61f79fdu, 0x7a72a28bu, 0x7f4942beu},
    {0x612501bbu, 0xae7b767du, 0xaa66c165u, 0x09bfaf8eu, 0x3e55c16du},
    {0x874e26a7u, 0x33bc5a47u, 0xad95cba5u, 0x67651c39u, 0xf1f07dcau},
    {0xb5ed0732u, 0x30e7a573u, 0x5c056714u, 0x2304f8fau, 0xebc584e1u},
    {0x4b324c2eu, 0x2bdcc5a0u, 0x53eb4240u, 0xcac4fbc1u, 0x13e529e7u},
    {0xe1683e38u, 0xa2339994u, 0x7308a647u, 0xc7c3f0b1u, 0x4a3dcd33u},
};

LS_D void xorwow_step(unsigned (&v)[5])
{
    const unsigned t = v[0] ^ (v[0] >> 2);
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

/* v times a polynomial: the sum of the steps that it has. */
static __device__ __attribute__((noinline)) void xorwow_jump(unsigned (&v)[5], const unsigned (&polynomial)[5])
{
    unsigned sum[5] = {};
    for (int i = 0; i < 160; i++) {
        const unsigned all = 0u - (polynomial[i / 32] >> i % 32 & 1);
        for (int k = 0; k < 5; k++)
            sum[k] ^= v[k] & all;
        xorwow_step(v);
    }
    for (int k = 0; k < 5; k++)
        v[k] = sum[k];
}

/* a = a b modulo the characteristic polynomial. */
static __device__ __attribute__((noinline)) void xorwow_multiply(unsigned (&a)[5], const unsigned (&b)[5])
{
    unsigned product[5] = {};
    for (int i = 159; i >= 0; i--) {
        const unsigned over = 0u - (product[4] >> 31), all = 0u - (b[i / 32] >> i % 32 & 1);
        for (int k = 4; k > 0; k--)
            product[k] = product[k] << 1 | product[k - 1] >> 31;
        product[0] <<= 1;
        for (int k = 0; k < 5; k++)
            product[k] ^= (xorwow_polynomial[k] & over) ^ (a[k] & all);
    }
    for (int k = 0; k < 5; k++)
        a[k] = product[k];
}

LS_D void xorwow_skip(curandStateXORWOW_t *state, unsigned long long n)
{
    unsigned power[5] = {1}, square[5] = {2};
    state->d += 362437u * (unsigned)n;
    if (n < 256) {
        for (; n; n--)
            xorwow_step(state->v);
        return;
    }
    for (; n; n >>= 1) {
        if (n & 1)
            xorwow_multiply(power, square);
        const unsigned same[5] = {square[0], square[1], square[2], square[3], square[4]};
        xorwow_multiply(square, same);
    }
    xorwow_jump(state->v, power);
}

/* 2^67 n numbers, of which the counter sees nothing. */
LS_D void xorwow_skip_sequences(curandStateXORWOW_t *state, unsigned long long n)
{
    unsigned power[5] = {1}, square[5];
    if (n == 0)
        return;
    for (int k = 0; k < 64 && n >> k; k++) {
        for (int i = 0; i < 5 && k < 32; i++)
            square[i] = xorwow_sequences[k][i];
        if (k >= 32) {
            const unsigned same[5] = {square[0], square[1], square[2], square[3], square[4]};
            xorwow_multiply(square, same);
        }
        if (n >> k & 1)
            xorwow_multiply(power, square);
    }
    xorwow_jump(state->v, power);
}

} // namespace ls_curand

LS_D void skipahead(unsigned long long n, curandStateXORWOW_t *state) { ls_curand::xorwow_skip(state, n); }
LS_D void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    ls_curand::xorwow_skip_sequences(state, n);
}

LS_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                      curandStateXORWOW_t *state)
{
    const unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
    const unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

LS_D unsigned int curand(curandStateXORWOW_t *state)
{
    ls_curand::xorwow_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

#undef LS_D
#endif
