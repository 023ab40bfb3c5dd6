/* gen.c - random kernels, written once and compiled twice.
 *
 *     diff_gen FROM TO [--skip ID]... > body.inc
 *
 * One kernel a seed. The text is neither CUDA C nor C but both: diff_device.cuh gives its macros their meaning for
 * clang, which makes PTX of it, and diff_ref.c gives them another for the host's compiler, which makes loops over the
 * threads of a block. What a kernel may contain follows from one rule: its result must not depend on the schedule.
 *
 *     EACH ... END          any code of one thread alone: loops, switches, calls, breaks, local arrays
 *     SYNC, SHFL, VOTE ...  between the EACHs, in places that all threads of a block, of a warp, or of a constant set
 *                           of lanes reach together, so that the reference can do them a step at a time
 *
 * Shared and global cells are written by one thread between two barriers, or by one commutative atomic operation.
 * Floats are the IEEE operations alone, NaNs are stored as one pattern, shifts are masked, divisors are not zero.
 *
 * The same seed gives the same text everywhere. --skip leaves out the statement of that number (they are numbered in
 * comments) without changing any other: how run.sh shrinks a failure. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen.h"

static char text[1 << 20];
static size_t len;
static uint64_t rng_state;
static int skip[256], nskip, next_id;

/* splitmix64 (Steele, Lea, Flood 2014). */
unsigned rnd(unsigned n)
{
    uint64_t z = rng_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (unsigned)((z ^ (z >> 31)) >> 33) % n;
}

void put(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text + len, sizeof text - len, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof text - len) {
        fprintf(stderr, "diff_gen: a kernel is longer than %zu bytes\n", sizeof text);
        exit(2);
    }
    len += (size_t)n;
}

struct mark item_begin(void)
{
    struct mark m = {len, next_id++};
    put("/* %d */ ", m.id);
    return m;
}

void item_end(struct mark m)
{
    for (int i = 0; i < nskip; i++)
        if (skip[i] == m.id) {
            len = m.at;
            put("/* %d left out */\n", m.id);
        }
}

static void kernel(unsigned seed)
{
    static const unsigned sizes[] = {32, 64, 96, 128, 256, 50, 160, 1};
    rng_state = seed * 0x2545f4914f6cdd1du + 1;
    next_id = 0;
    struct shape sh = {.seed = seed, .threads = sizes[rnd(8)], .blocks = 1 + rnd(5)};
    len = 0;
    gen_kernel(&sh);
    fwrite(text, 1, len, stdout);
}

int main(int argc, char **argv)
{
    if (argc < 3 || atoi(argv[1]) > atoi(argv[2])) {
        fprintf(stderr, "usage: diff_gen FROM TO [--skip ID]...\n");
        return 2;
    }
    for (int i = 3; i + 1 < argc && nskip < 256; i += 2)
        if (!strcmp(argv[i], "--skip"))
            skip[nskip++] = atoi(argv[i + 1]);
    unsigned from = (unsigned)atoi(argv[1]), to = (unsigned)atoi(argv[2]);
    for (unsigned seed = from; seed <= to; seed++)
        kernel(seed);
    printf("TABLE_BEGIN\n");
    for (unsigned seed = from; seed <= to; seed++)
        printf("TABLE_ROW(%u)\n", seed);
    printf("TABLE_END\n");
    return 0;
}
