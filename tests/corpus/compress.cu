/* compress.cu - inner loops of compressors: runs, deltas, bit packing, Huffman, matches, base64. */
#include "corpus.h"

/* ---- run lengths: each stretch of 1024 bytes becomes its runs, (length - 1, value), and their number ---- */

enum { STRETCH = 1024 };

/* A thread a stretch, byte after byte: bound by uncoalesced bytes, and by the latency of each. */
__global__ void rle_thread(const unsigned char *in, uint16_t *runs, int *count, int stretches)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= stretches)
        return;
    const unsigned char *p = in + (size_t)s * STRETCH;
    int n = 0, length = 1;
    unsigned char value = p[0];
    for (int k = 1; k < STRETCH; k++) {
        if (p[k] != value || length == 256) {
            runs[(size_t)s * STRETCH + n++] = (uint16_t)((length - 1) << 8 | value);
            value = p[k];
            length = 0;
        }
        length++;
    }
    runs[(size_t)s * STRETCH + n++] = (uint16_t)((length - 1) << 8 | value);
    count[s] = n;
}

/* A block of 1024 a stretch: heads by comparison, places by ballots and a scan: bound by barriers. Runs are under 256. */
__global__ void rle_block(const unsigned char *in, uint16_t *runs, int *count, int)
{
    __shared__ unsigned char value[STRETCH];
    __shared__ int place[STRETCH + 1], sums[32], total;
    const int t = (int)threadIdx.x, lane = t % 32, w = t / 32;
    const size_t base = (size_t)blockIdx.x * STRETCH;
    value[t] = in[base + t];
    __syncthreads();
    const bool head = t == 0 || value[t] != value[t - 1];
    const unsigned heads = __ballot_sync(~0u, head);
    if (lane == 0)
        sums[w] = __popc(heads);
    __syncthreads();
    int before = __popc(heads & ((1u << lane) - 1));
    for (int k = 0; k < w; k++)
        before += sums[k];
    if (head)
        place[before] = t;
    if (t == STRETCH - 1) {
        count[blockIdx.x] = before + head;
        place[before + head] = STRETCH;
        total = before + head;
    }
    __syncthreads();
    if (t < total)
        runs[base + t] = (uint16_t)((place[t + 1] - place[t] - 1) << 8 | value[place[t]]);
}

static void rle_case(int size, bool block)
{
    const int stretches = size == 0 ? 512 : size == 1 ? 16384 : 120000;
    const size_t n = (size_t)stretches * STRETCH;
    unsigned char *in = host_array<unsigned char>(n);
    for (size_t k = 0; k < n;) {
        const unsigned char value = (unsigned char)((k ? in[k - 1] : 0) + 1 + random_below(200));
        for (uint32_t left = 1 + random_below(random_below(4) ? 6 : 100); left && k < n; left--)
            in[k++] = value;
    }
    unsigned char *di = to_device(in, n);
    uint16_t *dr = device_zeros<uint16_t>(n);
    int *dc = device_zeros<int>((size_t)stretches);
    if (block)
        LAUNCH(rle_block<<<stretches, STRETCH>>>(di, dr, dc, stretches));
    else
        LAUNCH(rle_thread<<<blocks_for(stretches, 128), 128>>>(di, dr, dc, stretches));
    const uint16_t *runs = to_host(dr, n);
    const int *count = to_host(dc, (size_t)stretches);
    for (int s = 0; s < stretches; s += 1 + stretches / 2000) {
        size_t at = (size_t)s * STRETCH, end = at + STRETCH;
        for (int r = 0; r < count[s]; r++)
            for (int k = 0; k <= runs[(size_t)s * STRETCH + r] >> 8; k++, at++)
                EXPECT(at < end && in[at] == (runs[(size_t)s * STRETCH + r] & 255), "stretch %d, run %d", s, r);
        EXPECT(at == end, "stretch %d ends early", s);
    }
}

static void run_rle_thread(int size) { rle_case(size, false); }
static void run_rle_block(int size) { rle_case(size, true); }

/* ---- deltas: each stretch of 1024 values is its first value and differences ---- */

/* A block of 256 a stretch, four values a thread, sums by shuffles: bound by DRAM, then by the chain of shuffles. */
__global__ void delta_decode(const int4 *delta, int4 *out)
{
    __shared__ int sums[8];
    const int t = (int)threadIdx.x, lane = t % 32, w = t / 32;
    int4 v = delta[(size_t)blockIdx.x * 256 + t];
    v.y += v.x, v.z += v.y, v.w += v.z;
    int sum = v.w;
    for (int d = 1; d < 32; d *= 2) {
        const int other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31)
        sums[w] = sum;
    __syncthreads();
    int before = sum - v.w;
    for (int k = 0; k < w; k++)
        before += sums[k];
    out[(size_t)blockIdx.x * 256 + t] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}

static void run_delta_decode(int size)
{
    const int stretches = size == 0 ? 512 : size == 1 ? 32768 : 200000;
    const size_t n = (size_t)stretches * STRETCH;
    int *delta = host_array<int>(n);
    for (size_t k = 0; k < n; k++)
        delta[k] = (int)random_below(1000) - 500;
    int *dd = to_device(delta, n), *out = device_zeros<int>(n);
    LAUNCH(delta_decode<<<stretches, 256>>>((const int4 *)dd, (int4 *)out));
    const int *got = to_host(out, n);
    for (int s = 0; s < stretches; s += 1 + stretches / 5000)
        for (int k = 0, sum = 0; k < STRETCH; k++) {
            sum += delta[(size_t)s * STRETCH + k];
            EXPECT(got[(size_t)s * STRETCH + k] == sum, "stretch %d, value %d", s, k);
        }
}

/* ---- bit packing: values of 11 bits, 32 of them in 11 words ---- */

enum { WIDTH = 11 };

/* A thread packs 32 values into 11 words: bound by uncoalesced loads, a register's shifts between. */
__global__ void bitpack_thread(const uint32_t *in, uint32_t *out, int groups)
{
    const int g = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (g >= groups)
        return;
    uint64_t bits = 0;
    int held = 0, word = 0;
    for (int k = 0; k < 32; k++) {
        bits |= (uint64_t)in[(size_t)g * 32 + k] << held;
        held += WIDTH;
        if (held >= 32) {
            out[(size_t)g * WIDTH + word++] = (uint32_t)bits;
            bits >>= 32;
            held -= 32;
        }
    }
}

/* A warp packs 32 values, a lane an output word from the lanes it covers: bound by DRAM, few instructions. */
__global__ void bitpack_warp(const uint32_t *in, uint32_t *out, int groups)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), g = t / 32, lane = t % 32;
    if (g >= groups)
        return;
    const uint32_t mine = in[(size_t)g * 32 + lane];
    const int first = lane * 32 / WIDTH, shift = lane * 32 - first * WIDTH;
    uint32_t word = __shfl_sync(~0u, mine, first & 31) >> shift;
    for (int k = 1; k <= 3; k++) {
        const uint32_t next = __shfl_sync(~0u, mine, (first + k) & 31);
        if (k * WIDTH - shift < 32)
            word |= next << (k * WIDTH - shift);
    }
    if (lane < WIDTH)
        out[(size_t)g * WIDTH + lane] = word;
}

static void bitpack_case(int size, bool warp)
{
    const int groups = size == 0 ? 8192 : size == 1 ? 1 << 20 : 1 << 22;
    const size_t n = (size_t)groups * 32;
    uint32_t *in = host_array<uint32_t>(n);
    for (size_t k = 0; k < n; k++)
        in[k] = random_below(1 << WIDTH);
    uint32_t *di = to_device(in, n), *out = device_zeros<uint32_t>((size_t)groups * WIDTH);
    if (warp)
        LAUNCH(bitpack_warp<<<blocks_for(n, 512), 512>>>(di, out, groups));
    else
        LAUNCH(bitpack_thread<<<blocks_for(groups, 128), 128>>>(di, out, groups));
    const uint32_t *got = to_host(out, (size_t)groups * WIDTH);
    for (size_t k = 0; k < n; k += 1 + n / 1000000) {
        const size_t bit = k * WIDTH;
        const uint64_t low = got[bit / 32], high = bit % 32 + WIDTH > 32 ? got[bit / 32 + 1] : 0;
        EXPECT(((low | high << 32) >> bit % 32 & ((1 << WIDTH) - 1)) == in[k], "value %zu", k);
    }
}

static void run_bitpack_thread(int size) { bitpack_case(size, false); }
static void run_bitpack_warp(int size) { bitpack_case(size, true); }

/* ---- Huffman: pieces of 256 symbols, codes of 1 to 8 bits, lowest bit first ---- */

enum { PIECE = 256, SYMBOLS = 16 };

/* Lengths with a Kraft sum of 1. */
static const int code_length[SYMBOLS] = {1, 3, 3, 4, 5, 5, 6, 6, 7, 7, 7, 7, 8, 8, 8, 8};

struct reader {
    const uint32_t *words;
    uint64_t bits;
    int held;
};

static __device__ void refill(struct reader *r)
{
    if (r->held < 32) {
        r->bits |= (uint64_t)*r->words++ << r->held;
        r->held += 32;
    }
}

/* A thread a piece, bit after bit down the tree in shared memory: bound by the chain's latency and by divergence. */
__global__ void huffman_bits(const uint32_t *stream, const int *start, const short *tree, const short *,
                             unsigned char *out, int pieces)
{
    __shared__ short node[2 * SYMBOLS][2];
    if (threadIdx.x < 4 * SYMBOLS)
        (&node[0][0])[threadIdx.x] = tree[threadIdx.x];
    __syncthreads();
    const int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (p >= pieces)
        return;
    struct reader r = {stream + start[p], 0, 0};
    for (int k = 0; k < PIECE; k++) {
        refill(&r);
        int at = 0;
        do {
            at = node[at][r.bits & 1];
            r.bits >>= 1;
            r.held--;
        } while (at > 0);
        out[(size_t)p * PIECE + k] = (unsigned char)~at;
    }
}

/* A thread a piece, a symbol a step from a table of 256 entries: bound by its lookups' bank conflicts and latency. */
__global__ void huffman_table(const uint32_t *stream, const int *start, const short *, const short *table,
                              unsigned char *out, int pieces)
{
    __shared__ short entry[256]; /* length << 8 | symbol */
    for (int k = (int)threadIdx.x; k < 256; k += (int)blockDim.x)
        entry[k] = table[k];
    __syncthreads();
    const int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (p >= pieces)
        return;
    struct reader r = {stream + start[p], 0, 0};
    for (int k = 0; k < PIECE; k++) {
        refill(&r);
        const int e = entry[r.bits & 255];
        r.bits >>= e >> 8;
        r.held -= e >> 8;
        out[(size_t)p * PIECE + k] = (unsigned char)e;
    }
}

/* Canonical codes, turned so that the first bit is the lowest. */
static void huffman_codes(unsigned *code)
{
    unsigned next = 0;
    for (int s = 0; s < SYMBOLS; s++) {
        if (s)
            next = (next + 1) << (code_length[s] - code_length[s - 1]);
        code[s] = 0;
        for (int b = 0; b < code_length[s]; b++)
            code[s] |= (next >> (code_length[s] - 1 - b) & 1) << b;
    }
}

static void huffman_case(int size, bool by_table)
{
    const int pieces = size == 0 ? 256 : size == 1 ? 16384 : 131072;
    unsigned code[SYMBOLS];
    short tree[4 * SYMBOLS] = {0}, table[256] = {0};
    int nodes = 1;
    huffman_codes(code);
    for (int s = 0; s < SYMBOLS; s++) {
        int at = 0;
        for (int b = 0; b < code_length[s]; b++) {
            short *to = tree + 2 * at + (code[s] >> b & 1);
            if (b == code_length[s] - 1)
                *to = (short)~s;
            else if (!*to)
                *to = (short)nodes++;
            at = *to;
        }
        for (unsigned k = code[s]; k < 256; k += 1u << code_length[s])
            table[k] = (short)(code_length[s] << 8 | s);
    }
    unsigned char *symbols = host_array<unsigned char>((size_t)pieces * PIECE);
    uint32_t *stream = host_array<uint32_t>((size_t)pieces * PIECE / 4 + 4);
    int *start = host_array<int>((size_t)pieces + 1);
    for (int p = 0; p < pieces; p++) {
        size_t bit = (size_t)start[p] * 32;
        for (int k = 0; k < PIECE; k++) {
            const uint32_t draw = random_below(256); /* each code as often as it is short */
            const int s = (unsigned char)table[draw] & 15;
            symbols[(size_t)p * PIECE + k] = (unsigned char)s;
            const uint64_t w = (uint64_t)code[s] << bit % 32;
            stream[bit / 32] |= (uint32_t)w;
            stream[bit / 32 + 1] |= (uint32_t)(w >> 32);
            bit += (size_t)code_length[s];
        }
        start[p + 1] = (int)((bit + 31) / 32);
    }
    uint32_t *ds = to_device(stream, (size_t)start[pieces] + 4);
    int *dstart = to_device(start, (size_t)pieces);
    short *dtree = to_device(tree, 4 * SYMBOLS), *dtable = to_device(table, 256);
    unsigned char *out = device_zeros<unsigned char>((size_t)pieces * PIECE);
    if (by_table)
        LAUNCH(huffman_table<<<blocks_for(pieces, 64), 64>>>(ds, dstart, dtree, dtable, out, pieces));
    else
        LAUNCH(huffman_bits<<<blocks_for(pieces, 64), 64>>>(ds, dstart, dtree, dtable, out, pieces));
    EXPECT(!memcmp(to_host(out, (size_t)pieces * PIECE), symbols, (size_t)pieces * PIECE), "the symbols differ");
}

static void run_huffman_bits(int size) { huffman_case(size, false); }
static void run_huffman_table(int size) { huffman_case(size, true); }

/* ---- matches: for each position the longest match of up to 16 bytes that begins in the 64 bytes before ---- */

enum { WINDOW = 64, MATCH = 16 };

static __host__ __device__ int longest_match(const unsigned char *p, int window)
{
    int best = 0, distance = 0;
    for (int d = 1; d <= window; d++) {
        int m = 0;
        while (m < MATCH && p[m] == p[m - d])
            m++;
        if (m > best) {
            best = m;
            distance = d;
        }
    }
    return best << 8 | distance;
}

/* A thread a position, bytes from global memory: bound by requests to L1 and by divergence. */
__global__ void match_global(const unsigned char *in, int *match, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        match[k] = longest_match(in + WINDOW + k, WINDOW);
}

/* A thread a position, the block's bytes in shared memory: bound by shared-memory requests and by divergence. */
__global__ void match_shared(const unsigned char *in, int *match, int n)
{
    __shared__ unsigned char tile[WINDOW + 256 + MATCH];
    const int t = (int)threadIdx.x, k = (int)(blockIdx.x * 256) + t;
    for (int b = t; b < WINDOW + 256 + MATCH; b += 256)
        tile[b] = in[blockIdx.x * 256 + b];
    __syncthreads();
    if (k < n)
        match[k] = longest_match(tile + WINDOW + t, WINDOW);
}

static void match_case(int size, bool shared)
{
    const int n = size == 0 ? 16384 : size == 1 ? 1 << 19 : 1 << 22;
    const size_t bytes = (size_t)n + WINDOW + MATCH;
    unsigned char *in = host_array<unsigned char>(bytes);
    for (size_t k = 0; k < bytes;) {
        const size_t back = 1 + random_below(100);
        for (uint32_t left = 1 + random_below(12); left && k < bytes; left--, k++)
            in[k] = k >= back && back < WINDOW ? in[k - back] : (unsigned char)random_below(64);
    }
    unsigned char *di = to_device(in, bytes);
    int *dm = device_zeros<int>((size_t)n);
    if (shared)
        LAUNCH(match_shared<<<blocks_for(n, 256), 256>>>(di, dm, n));
    else
        LAUNCH(match_global<<<blocks_for(n, 256), 256>>>(di, dm, n));
    const int *got = to_host(dm, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 20000)
        EXPECT(got[k] == longest_match(in + WINDOW + k, WINDOW), "position %d: %x", k, got[k]);
}

static void run_match_global(int size) { match_case(size, false); }
static void run_match_shared(int size) { match_case(size, true); }

/* ---- base64 ---- */

static const char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A thread three bytes, letters from a table in global memory: bound by byte requests in L1. */
__global__ void base64_table(const unsigned char *in, char *out, const char *letters, int triples)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= triples)
        return;
    const unsigned a = in[3 * k], b = in[3 * k + 1], c = in[3 * k + 2];
    out[4 * k] = letters[a >> 2];
    out[4 * k + 1] = letters[(a << 4 | b >> 4) & 63];
    out[4 * k + 2] = letters[(b << 2 | c >> 6) & 63];
    out[4 * k + 3] = letters[c & 63];
}

static __device__ uint32_t letter_of(uint32_t v)
{
    return v < 26 ? v + 'A' : v < 52 ? v - 26 + 'a' : v < 62 ? v - 52 + '0' : v == 62 ? '+' : '/';
}

static __device__ uint32_t four_letters(uint32_t triple) /* first byte highest */
{
    return letter_of(triple >> 18 & 63) | letter_of(triple >> 12 & 63) << 8 | letter_of(triple >> 6 & 63) << 16 |
           letter_of(triple & 63) << 24;
}

/* A thread three words, letters by comparison: bound by instructions, then DRAM. */
__global__ void base64_words(const uint32_t *in, uint4 *out, const char *, int triples)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= triples / 4)
        return;
    const uint32_t a = __byte_perm(in[3 * k], 0, 0x0123), b = __byte_perm(in[3 * k + 1], 0, 0x0123),
                   c = __byte_perm(in[3 * k + 2], 0, 0x0123);
    out[k] = make_uint4(four_letters(a >> 8), four_letters(a << 16 | b >> 16), four_letters(b << 8 | c >> 24),
                        four_letters(c));
}

static void base64_case(int size, bool words)
{
    const int triples = size == 0 ? 1 << 16 : size == 1 ? 1 << 22 : 1 << 25;
    unsigned char *in = host_array<unsigned char>((size_t)triples * 3);
    for (int k = 0; k < triples * 3; k++)
        in[k] = (unsigned char)random_u32();
    unsigned char *di = to_device(in, (size_t)triples * 3);
    char *out = device_zeros<char>((size_t)triples * 4), *letters = to_device(base64_letters, 64);
    if (words)
        LAUNCH(
            base64_words<<<blocks_for(triples / 4, 256), 256>>>((const uint32_t *)di, (uint4 *)out, letters, triples));
    else
        LAUNCH(base64_table<<<blocks_for(triples, 256), 256>>>(di, out, letters, triples));
    const char *got = to_host(out, (size_t)triples * 4);
    for (int k = 0; k < triples; k += 1 + triples / 500000) {
        const unsigned v = (unsigned)in[3 * k] << 16 | (unsigned)in[3 * k + 1] << 8 | in[3 * k + 2];
        for (int c = 0; c < 4; c++)
            EXPECT(got[4 * k + c] == base64_letters[v >> (18 - 6 * c) & 63], "letter %d of triple %d", c, k);
    }
}

static void run_base64_table(int size) { base64_case(size, false); }
static void run_base64_words(int size) { base64_case(size, true); }

CORPUS({"rle_thread", "rle", run_rle_thread}, {"rle_block", "rle", run_rle_block},
       {"delta_decode", NULL, run_delta_decode}, {"bitpack_thread", "bitpack", run_bitpack_thread},
       {"bitpack_warp", "bitpack", run_bitpack_warp}, {"huffman_bits", "huffman", run_huffman_bits},
       {"huffman_table", "huffman", run_huffman_table}, {"match_global", "match", run_match_global},
       {"match_shared", "match", run_match_shared}, {"base64_table", "base64", run_base64_table},
       {"base64_words", "base64", run_base64_words})
