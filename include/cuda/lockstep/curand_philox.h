/* curand_philox.h - Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011): ten rounds of a
 * keyed bijection of a counter give four numbers. The key is the seed; the upper half of the counter is the sequence.
 */
#ifndef LOCKSTEP_CURAND_PHILOX_H
#define LOCKSTEP_CURAND_PHILOX_H

#define LS_D static __device__ __forceinline__

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE; /* how many numbers of output are spent */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

LS_D uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
#pragma unroll
    for (int round = 0; round < 10; round++) {
        const unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}

namespace ls_curand {
/* To the counter's lower or upper half, with the carry. */
LS_D void philox_advance(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    const unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, sum = low + n;
    s->ctr.x = (unsigned)sum;
    s->ctr.y = (unsigned)(sum >> 32);
    if (sum < low && ++s->ctr.z == 0)
        s->ctr.w++;
}
} // namespace ls_curand

LS_D void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    state->STATE += (unsigned)(n & 3);
    n /= 4;
    if (state->STATE > 3) {
        n++;
        state->STATE -= 4;
    }
    ls_curand::philox_advance(state, n);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
LS_D void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    const unsigned long long sum = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned)sum;
    state->ctr.w = (unsigned)(sum >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

LS_D void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                      curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

LS_D unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    const unsigned at = state->STATE++;
    const unsigned value = at == 0   ? state->output.x
                           : at == 1 ? state->output.y
                           : at == 2 ? state->output.z
                                     : state->output.w;
    if (state->STATE == 4) {
        ls_curand::philox_advance(state, 1);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return value;
}

/* The next four: of two counters, when some of the first have been spent. */
LS_D uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 r;
    r.x = curand(state);
    r.y = curand(state);
    r.z = curand(state);
    r.w = curand(state);
    return r;
}

#undef LS_D
#endif
