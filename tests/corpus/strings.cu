/* strings.cu - work on text: case, search, edit distance, hashes, words, suffixes. Most kernels load bytes, and strings are of
 * unequal length, so that the lanes of a warp end at different times.
 */
#include "corpus.h"

/* ---- case: ASCII letters to capitals, in a copy ---- */

/* A thread a byte: bound by the number of instructions and requests, 32 bytes a request. */
__global__ void case_bytes(const unsigned char *in, unsigned char *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n)
        out[k] = in[k] >= 'a' && in[k] <= 'z' ? (unsigned char)(in[k] - 32) : in[k];
}

/* Four bytes of a word at once: bit 5 goes where a byte is from a to z. No byte is above 127. */
static __device__ uint32_t capitals(uint32_t w)
{
    const uint32_t from_a = w + 0x1f1f1f1fu, past_z = w + 0x05050505u; /* bit 7: at least 'a', above 'z' */
    return w ^ ((from_a & ~past_z & 0x80808080u) >> 2);
}

/* A thread 16 bytes: bound by DRAM. */
__global__ void case_vectors(const uint4 *in, uint4 *out, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k < n) {
        const uint4 v = in[k];
        out[k] = make_uint4(capitals(v.x), capitals(v.y), capitals(v.z), capitals(v.w));
    }
}

static void case_case(int size, bool vectors)
{
    const int n = size == 0 ? 1 << 20 : size == 1 ? 1 << 26 : 3 << 26;
    unsigned char *in = host_array<unsigned char>((size_t)n);
    for (int k = 0; k < n; k += 8) {
        const uint64_t w = random_u64() & 0x7f7f7f7f7f7f7f7full;
        memcpy(in + k, &w, 8);
    }
    unsigned char *di = to_device(in, (size_t)n), *out = device_zeros<unsigned char>((size_t)n);
    if (vectors)
        LAUNCH(case_vectors<<<blocks_for(n / 16, 256), 256>>>((const uint4 *)di, (uint4 *)out, n / 16));
    else
        LAUNCH(case_bytes<<<blocks_for(n, 512), 512>>>(di, out, n));
    const unsigned char *got = to_host(out, (size_t)n);
    for (int k = 0; k < n; k += 1 + n / 1000000)
        EXPECT(got[k] == (in[k] >= 'a' && in[k] <= 'z' ? in[k] - 32 : in[k]), "byte %d: %d of %d", k, got[k], in[k]);
}

static void run_case_bytes(int size) { case_case(size, false); }
static void run_case_vectors(int size) { case_case(size, true); }

/* ---- search: a byte 1 where the pattern begins ---- */

enum { PATTERN = 12, CHUNK = 128 };

/* A thread a position, compares until a letter differs: bound by divergence and by the bytes' requests in L1. */
__global__ void search_naive(const char *text, const char *pattern, char *found, int n)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k > n - PATTERN)
        return;
    int m = 0;
    while (m < PATTERN && text[k + m] == pattern[m])
        m++;
    if (m == PATTERN)
        found[k] = 1;
}

/* A block's text in shared memory first, 1024 threads: bound by shared-memory requests, with one barrier. */
__global__ void search_shared(const char *text, const char *pattern, char *found, int n)
{
    __shared__ char tile[1024 + PATTERN], wanted[PATTERN];
    const int t = (int)threadIdx.x, k = (int)blockIdx.x * 1024 + t;
    tile[t] = k < n ? text[k] : 0;
    if (t < PATTERN) {
        tile[1024 + t] = k + 1024 < n ? text[k + 1024] : 0;
        wanted[t] = pattern[t];
    }
    __syncthreads();
    int m = 0;
    while (m < PATTERN && tile[t + m] == wanted[m])
        m++;
    if (m == PATTERN)
        found[k] = 1;
}

/* Horspool, a thread a stretch of 128 positions, skips from a table: bound by uncoalesced bytes and unequal jumps. */
__global__ void search_horspool(const char *text, const char *pattern, char *found, int n)
{
    __shared__ unsigned char skip[256];
    for (int k = (int)threadIdx.x; k < 256; k += (int)blockDim.x)
        skip[k] = PATTERN;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int m = 0; m < PATTERN - 1; m++)
            skip[(unsigned char)pattern[m]] = (unsigned char)(PATTERN - 1 - m);
    __syncthreads();
    int k = (int)(blockIdx.x * blockDim.x + threadIdx.x) * CHUNK;
    const int end = k + CHUNK < n - PATTERN + 1 ? k + CHUNK : n - PATTERN + 1;
    while (k < end) {
        int m = PATTERN - 1;
        while (m >= 0 && text[k + m] == pattern[m])
            m--;
        if (m < 0)
            found[k] = 1;
        k += skip[(unsigned char)text[k + PATTERN - 1]];
    }
}

static void search_case(int size, void (*kernel)(const char *, const char *, char *, int), int block, int per_thread)
{
    const int n = size == 0 ? 1 << 20 : size == 1 ? 1 << 24 : 1 << 27;
    char *text = host_array<char>((size_t)n), pattern[PATTERN + 1] = "abcdefghijkl";
    for (int k = 0; k < n; k++)
        text[k] = (char)('a' + random_below(16));
    for (int k = 0; k + PATTERN < n; k += 500 + (int)random_below(5000))
        memcpy(text + k, pattern, PATTERN);
    char *dt = to_device(text, (size_t)n), *dp = to_device(pattern, PATTERN), *found = device_zeros<char>((size_t)n);
    LAUNCH(kernel<<<blocks_for(n, block * per_thread), block>>>(dt, dp, found, n));
    const char *got = to_host(found, (size_t)n);
    for (int k = 0; k <= n - PATTERN; k++)
        EXPECT(got[k] == (text[k] == pattern[0] && !memcmp(text + k, pattern, PATTERN)), "position %d", k);
}

static void run_search_naive(int size) { search_case(size, search_naive, 256, 1); }
static void run_search_shared(int size) { search_case(size, search_shared, 1024, 1); }
static void run_search_horspool(int size) { search_case(size, search_horspool, 64, CHUNK); }

/* ---- edit distance of pairs of words of 32 letters ---- */

enum { WORD = 32 };

/* A thread a pair, a row of the table in local memory: bound by local memory's latency, a chain a thread. */
__global__ void edit_thread(const char *a, const char *b, int *distance, int pairs)
{
    const int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (p >= pairs)
        return;
    int row[WORD + 1];
    for (int j = 0; j <= WORD; j++)
        row[j] = j;
#pragma unroll 1
    for (int i = 0; i < WORD; i++) {
        int diagonal = row[0];
        const char letter = a[(size_t)p * WORD + i];
        row[0] = i + 1;
#pragma unroll 1
        for (int j = 0; j < WORD; j++) {
            const int above = row[j + 1], cost = diagonal + (letter != b[(size_t)p * WORD + j]);
            row[j + 1] = min(cost, min(above, row[j]) + 1);
            diagonal = above;
        }
    }
    distance[p] = row[WORD];
}

/* A warp a pair, a lane a column, along the antidiagonals by shuffles: bound by the shuffles' latency. */
__global__ void edit_warp(const char *a, const char *b, int *distance, int pairs)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), p = t / 32, lane = t % 32;
    if (p >= pairs)
        return;
    const int mine = b[(size_t)p * WORD + lane], letters = a[(size_t)p * WORD + lane];
    int value = lane + 1, left_before = lane; /* row 0: this column, and the column to the left */
    for (int step = 0; step < 2 * WORD - 1; step++) {
        const int i = step - lane; /* this lane's row */
        const int letter = __shfl_sync(~0u, letters, i & 31);
        int left = __shfl_up_sync(~0u, value, 1);
        if (lane == 0)
            left = i + 1;
        if (i >= 0 && i < WORD) {
            value = min(left_before + (letter != mine), min(value, left) + 1);
            left_before = left;
        }
    }
    if (lane == 31)
        distance[p] = value;
}

static int edit_on_host(const char *a, const char *b)
{
    int row[WORD + 1];
    for (int j = 0; j <= WORD; j++)
        row[j] = j;
    for (int i = 0; i < WORD; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < WORD; j++) {
            const int above = row[j + 1], cost = diagonal + (a[i] != b[j]),
                      side = (above < row[j] ? above : row[j]) + 1;
            row[j + 1] = cost < side ? cost : side;
            diagonal = above;
        }
    }
    return row[WORD];
}

static void edit_case(int size, bool warp)
{
    const int pairs = size == 0 ? 4096 : size == 1 ? 65536 : 163840;
    const size_t n = (size_t)pairs * WORD;
    char *a = host_array<char>(n), *b = host_array<char>(n);
    for (size_t k = 0; k < n; k++) {
        a[k] = (char)('a' + random_below(6));
        b[k] = random_below(3) ? a[k] : (char)('a' + random_below(6));
    }
    char *da = to_device(a, n), *db = to_device(b, n);
    int *dd = device_zeros<int>((size_t)pairs);
    if (warp)
        LAUNCH(edit_warp<<<blocks_for((size_t)pairs * 32, 256), 256>>>(da, db, dd, pairs));
    else
        LAUNCH(edit_thread<<<blocks_for(pairs, 128), 128>>>(da, db, dd, pairs));
    const int *got = to_host(dd, (size_t)pairs);
    for (int p = 0; p < pairs; p += 1 + pairs / 5000) {
        const int want = edit_on_host(a + (size_t)p * WORD, b + (size_t)p * WORD);
        EXPECT(got[p] == want, "pair %d: %d, not %d", p, got[p], want);
    }
}

static void run_edit_thread(int size) { edit_case(size, false); }
static void run_edit_warp(int size) { edit_case(size, true); }

/* ---- hashes of strings of unequal length: the sum of letter * 31^k ---- */

/* A thread a string: bound by uncoalesced bytes, and by the longest string of each warp. */
__global__ void hash_thread(const unsigned char *text, const int *start, uint32_t *hash, int strings)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= strings)
        return;
    uint32_t h = 0, power = 1;
    for (int k = start[s]; k < start[s + 1]; k++, power *= 31)
        h += text[k] * power;
    hash[s] = h;
}

/* A warp a string, a sum by shuffles at the end: bound by the latency of short loops. */
__global__ void hash_warp(const unsigned char *text, const int *start, uint32_t *hash, int strings)
{
    const int t = (int)(blockIdx.x * blockDim.x + threadIdx.x), s = t / 32, lane = t % 32;
    if (s >= strings)
        return;
    uint32_t h = 0, power = 1, power32 = 1;
    for (int k = 0; k < 32; k++) {
        power = k == lane ? power32 : power;
        power32 *= 31;
    }
    const int end = start[s + 1];
    for (int k = start[s] + lane; k < end; k += 32, power *= power32)
        h += text[k] * power;
    for (int d = 16; d; d /= 2)
        h += __shfl_xor_sync(~0u, h, d);
    if (lane == 0)
        hash[s] = h;
}

/* Starts of n strings of 1 to longest letters, most of them short; start[n] is the length of all. */
static int *unequal(int n, int longest)
{
    int *start = host_array<int>((size_t)n + 1);
    for (int s = 0; s < n; s++) {
        const float r = random_float();
        start[s + 1] = start[s] + 1 + (int)(r * r * r * (float)(longest - 1));
    }
    return start;
}

static void hash_case(int size, bool warp)
{
    const int strings = size == 0 ? 4096 : size == 1 ? 100000 : 800000;
    int *start = unequal(strings, 300);
    unsigned char *text = host_array<unsigned char>((size_t)start[strings]);
    for (int k = 0; k < start[strings]; k++)
        text[k] = (unsigned char)random_below(256);
    unsigned char *dt = to_device(text, (size_t)start[strings]);
    int *ds = to_device(start, (size_t)strings + 1);
    uint32_t *dh = device_zeros<uint32_t>((size_t)strings);
    if (warp)
        LAUNCH(hash_warp<<<blocks_for((size_t)strings * 32, 128), 128>>>(dt, ds, dh, strings));
    else
        LAUNCH(hash_thread<<<blocks_for(strings, 128), 128>>>(dt, ds, dh, strings));
    const uint32_t *got = to_host(dh, (size_t)strings);
    for (int s = 0; s < strings; s += 1 + strings / 20000) {
        uint32_t h = 0, power = 1;
        for (int k = start[s]; k < start[s + 1]; k++, power *= 31)
            h += text[k] * power;
        EXPECT(got[s] == h, "string %d: %x, not %x", s, got[s], h);
    }
}

static void run_hash_thread(int size) { hash_case(size, false); }
static void run_hash_warp(int size) { hash_case(size, true); }

/* ---- words of lines, and common prefixes ---- */

/* A thread a line, counts words and the longest word: a machine of two states, bound by divergence and byte loads. */
__global__ void words_of_lines(const char *text, const int *start, int2 *words, int lines)
{
    const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (s >= lines)
        return;
    int count = 0, longest = 0, length = 0;
    for (int k = start[s]; k < start[s + 1]; k++) {
        const char c = text[k];
        if (c == ' ' || c == ',' || c == '.') {
            longest = max(longest, length);
            length = 0;
        } else if (length++ == 0)
            count++;
    }
    words[s] = make_int2(count, max(longest, length));
}

static void run_words_of_lines(int size)
{
    const int lines = size == 0 ? 2048 : size == 1 ? 65536 : 500000;
    static const char letters[] = "abcdefghijklmnopqrstuvw  ,. etao";
    int *start = unequal(lines, 400);
    char *text = host_array<char>((size_t)start[lines]);
    for (int k = 0; k < start[lines]; k++)
        text[k] = letters[random_below(32)];
    char *dt = to_device(text, (size_t)start[lines]);
    int *ds = to_device(start, (size_t)lines + 1);
    int2 *dw = device_zeros<int2>((size_t)lines);
    LAUNCH(words_of_lines<<<blocks_for(lines, 64), 64>>>(dt, ds, dw, lines));
    const int2 *got = to_host(dw, (size_t)lines);
    for (int s = 0; s < lines; s += 1 + lines / 20000) {
        int count = 0, longest = 0, length = 0;
        for (int k = start[s]; k < start[s + 1]; k++) {
            length = strchr(" ,.", text[k]) ? 0 : length + 1;
            count += length == 1;
            longest = length > longest ? length : longest;
        }
        EXPECT(got[s].x == count && got[s].y == longest, "line %d: %d %d", s, got[s].x, got[s].y);
    }
}

/* A thread two random suffixes, their common prefix letter by letter: bound by the latency of scattered loads. */
__global__ void suffix_compare(const char *text, const int *suffix, int *common, int n, int pairs)
{
    const int p = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (p >= pairs)
        return;
    const int a = suffix[2 * p], b = suffix[2 * p + 1], most = n - max(a, b);
    int m = 0;
    while (m < most && text[a + m] == text[b + m])
        m++;
    common[p] = m;
}

static void run_suffix_compare(int size)
{
    const int n = size == 0 ? 1 << 18 : size == 1 ? 1 << 22 : 1 << 27;
    const int pairs = size == 0 ? 8192 : size == 1 ? 1 << 18 : 5 << 19, period = 1 << 12;
    char *text = host_array<char>((size_t)n); /* a period with rare faults, so that prefixes are long and unequal */
    int *suffix = host_array<int>((size_t)pairs * 2);
    for (int k = 0; k < period; k++)
        text[k] = (char)random_below(4);
    for (int k = period; k < n; k++)
        text[k] = text[k - period];
    for (int k = 0; k < n; k += 1 + (int)random_below(64))
        text[k] = (char)random_below(4);
    for (int p = 0; p < pairs; p++) {
        suffix[2 * p] = (int)random_below((uint32_t)n);
        const uint32_t periods = 1 + random_below((uint32_t)(n / period - 1)); /* never the same suffix */
        suffix[2 * p + 1] = (int)(((uint32_t)suffix[2 * p] + period * periods) % (uint32_t)n);
    }
    char *dt = to_device(text, (size_t)n);
    int *ds = to_device(suffix, (size_t)pairs * 2), *dc = device_zeros<int>((size_t)pairs);
    LAUNCH(suffix_compare<<<blocks_for(pairs, 256), 256>>>(dt, ds, dc, n, pairs));
    const int *got = to_host(dc, (size_t)pairs);
    for (int p = 0; p < pairs; p += 1 + pairs / 20000) {
        const int a = suffix[2 * p], b = suffix[2 * p + 1];
        int m = 0;
        while (m < n - a && m < n - b && text[a + m] == text[b + m])
            m++;
        EXPECT(got[p] == m, "pair %d: %d, not %d", p, got[p], m);
    }
}

CORPUS({"case_bytes", "case", run_case_bytes}, {"case_vectors", "case", run_case_vectors},
       {"search_naive", "search", run_search_naive}, {"search_shared", "search", run_search_shared},
       {"search_horspool", "search", run_search_horspool}, {"edit_thread", "edit", run_edit_thread},
       {"edit_warp", "edit", run_edit_warp}, {"hash_thread", "hash", run_hash_thread},
       {"hash_warp", "hash", run_hash_warp}, {"words_of_lines", NULL, run_words_of_lines},
       {"suffix_compare", NULL, run_suffix_compare})
