/* torn.c - one block writes words as a whole, another one reads them: no read may be torn.
 *
 *     torn [--lib PATH] [--reads N] [--sm100]
 *
 * Every way to write that is at least as wide as a way to read is tried with it, at addresses of five patterns. All
 * bytes that are written at a time are the same, so a read whose bytes differ is torn. Of 32 bytes each 16 are one
 * access. --reads: by each pair and pattern, of all lanes together. --sm100: also the instructions of 32 bytes, which
 * need that GPU (or Lockstep). Exit status: 0, 1 when something was torn, 2 when there is no driver. */
#include <getopt.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "text.h"

enum { LANES = 32, MEMORY = 16384, PAGE = 4096, BATCH = 64 };

/* A way to write or read a lane's bytes. Its text has %a for the address of memory, %s for the lane's 32 bytes of
 * shared memory; the words are %v0 to %v7, pairs of them %w0 to %w3, the first four %q. */
struct way {
    const char *name;
    unsigned bytes;
    const char *code;
};

static const struct way writers[] = {
    {"st.b32", 4, "st.global.b32 [%a], %v0;"},
    {"st.v4.b8", 4, "st.global.v4.b8 [%a], {%hw, %hw, %hw, %hw};"},
    {"st.v2.b16", 4, "st.relaxed.gpu.global.v2.b16 [%a], {%hw, %hw};"},
    {"st.b64", 8, "st.relaxed.gpu.global.b64 [%a], %w0;"},
    {"st.v2.b32", 8, "st.relaxed.gpu.global.v2.b32 [%a], {%v0, %v1};"},
    {"st.weak.v2.b32", 8, "st.global.v2.b32 [%a], {%v0, %v1};"},
    {"st.generic.v2.b32", 8, "st.volatile.v2.b32 [%a], {%v0, %v1};"},
    {"st.v4.b16", 8, "st.relaxed.gpu.global.v4.b16 [%a], {%hw, %hw, %hw, %hw};"},
    {"atom.exch.b64", 8, "atom.relaxed.gpu.global.exch.b64 %w2, [%a], %w0;"},
    {"st.v4.b32", 16, "st.relaxed.gpu.global.v4.b32 [%a], {%v0, %v1, %v2, %v3};"},
    {"st.weak.v4.b32", 16, "st.global.v4.b32 [%a], {%v0, %v1, %v2, %v3};"},
    {"st.generic.v4.b32", 16, "st.v4.b32 [%a], {%v0, %v1, %v2, %v3};"},
    {"st.v2.b64", 16, "st.release.gpu.global.v2.b64 [%a], {%w0, %w1};"},
    {"st.weak.v2.b64", 16, "st.global.v2.b64 [%a], {%w0, %w1};"},
    {"st.b128", 16, "st.relaxed.gpu.global.b128 [%a], %q;"},
    {"atom.exch.b128", 16, "atom.relaxed.gpu.global.exch.b128 %q, [%a], %q;"},
    {"bulk copy out", 16,
     "st.shared.v4.b32 [%s], {%v0, %v1, %v2, %v3}; fence.proxy.async; "
     "cp.async.bulk.global.shared::cta.bulk_group [%a], [%s], 16; cp.async.bulk.commit_group; "
     "cp.async.bulk.wait_group 0;"},
    {"st.v8.b32", 32, "st.relaxed.gpu.global.v8.b32 [%a], {%v0, %v1, %v2, %v3, %v0, %v1, %v2, %v3};"},
    {"st.v4.b64", 32, "st.relaxed.gpu.global.v4.b64 [%a], {%w0, %w1, %w0, %w1};"},
};

static const struct way readers[] = {
    {"ld.b32", 4, "ld.relaxed.gpu.global.b32 %v0, [%a];"},
    {"ld.v4.b8", 4,
     "ld.volatile.global.v4.b8 {%h0, %h1, %h2, %h3}, [%a]; mov.b32 %v0, {%h0, %h1}; "
     "mov.b32 %v1, {%h2, %h3}; shl.b32 %v2, %v0, 8; or.b32 %v0, %v0, %v2; shl.b32 %v2, %v1, 8; "
     "or.b32 %v1, %v1, %v2; setp.ne.u32 %p, %v0, %v1; @%p mov.b32 %v0, 1;"},
    {"ld.v2.b16", 4, "ld.relaxed.gpu.global.v2.b16 {%h0, %h1}, [%a]; mov.b32 %v0, {%h0, %h1};"},
    {"cp.async 4", 4, "cp.async.ca.shared.global [%s], [%a], 4; cp.async.wait_all; ld.shared.b32 %v0, [%s];"},
    {"ld.b64", 8, "ld.relaxed.gpu.global.b64 %w0, [%a]; mov.b64 {%v0, %v1}, %w0;"},
    {"ld.v2.b32", 8, "ld.relaxed.gpu.global.v2.b32 {%v0, %v1}, [%a];"},
    {"ld.weak.v2.b32", 8, "ld.global.v2.b32 {%v0, %v1}, [%a];"},
    {"ld.generic.v2.b32", 8, "ld.volatile.v2.b32 {%v0, %v1}, [%a];"},
    {"ld.v4.b16", 8,
     "ld.acquire.gpu.global.v4.b16 {%h0, %h1, %h2, %h3}, [%a]; mov.b32 %v0, {%h0, %h1}; "
     "mov.b32 %v1, {%h2, %h3};"},
    {"cp.async 8", 8, "cp.async.ca.shared.global [%s], [%a], 8; cp.async.wait_all; ld.shared.v2.b32 {%v0, %v1}, [%s];"},
    {"ld.v4.b32", 16, "ld.relaxed.gpu.global.v4.b32 {%v0, %v1, %v2, %v3}, [%a];"},
    {"ld.weak.v4.b32", 16, "ld.global.v4.b32 {%v0, %v1, %v2, %v3}, [%a];"},
    {"ld.generic.v4.b32", 16, "ld.v4.b32 {%v0, %v1, %v2, %v3}, [%a];"},
    {"ld.v2.b64", 16,
     "ld.acquire.gpu.global.v2.b64 {%w0, %w1}, [%a]; mov.b64 {%v0, %v1}, %w0; mov.b64 {%v2, %v3}, %w1;"},
    {"ld.weak.v2.b64", 16, "ld.global.v2.b64 {%w0, %w1}, [%a]; mov.b64 {%v0, %v1}, %w0; mov.b64 {%v2, %v3}, %w1;"},
    {"ld.b128", 16,
     "ld.relaxed.gpu.global.b128 %q, [%a]; mov.b128 {%w0, %w1}, %q; mov.b64 {%v0, %v1}, %w0; "
     "mov.b64 {%v2, %v3}, %w1;"},
    {"atom.cas.b128", 16,
     "atom.relaxed.gpu.global.cas.b128 %q, [%a], %q, %q; mov.b128 {%w0, %w1}, %q; "
     "mov.b64 {%v0, %v1}, %w0; mov.b64 {%v2, %v3}, %w1;"},
    {"cp.async 16", 16,
     "cp.async.cg.shared.global [%s], [%a], 16; cp.async.wait_all; ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%s];"},
    {"bulk copy in", 16,
     "mbarrier.arrive.expect_tx.shared.b64 %w3, [%m], 16; "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%a], 16, [%m]; "
     "WAIT: mbarrier.try_wait.shared.b64 %p, [%m], %w3; @!%p bra WAIT; ld.shared.v4.b32 {%v0, %v1, %v2, %v3}, [%s];"},
    {"ld.v8.b32", 32, "ld.relaxed.gpu.global.v8.b32 {%v0, %v1, %v2, %v3, %v4, %v5, %v6, %v7}, [%a];"},
    {"ld.v4.b64", 32,
     "ld.relaxed.gpu.global.v4.b64 {%w0, %w1, %w2, %w3}, [%a]; mov.b64 {%v0, %v1}, %w0; mov.b64 {%v2, %v3}, %w1; "
     "mov.b64 {%v4, %v5}, %w2; mov.b64 {%v6, %v7}, %w3;"},
};

/* Where the lanes' words are. */
enum pattern { ROW, SCATTERED, SAME, ODD_LANES, LAST, PATTERNS };
static const char *const pattern_names[PATTERNS] = {"a row across pages", "scattered", "one place", "odd lanes",
                                                    "the end of the memory"};

static unsigned first_of(enum pattern p, unsigned bytes)
{
    return p == ROW || p == ODD_LANES ? PAGE - 8 * bytes : p == LAST ? MEMORY - LANES * bytes : PAGE - bytes;
}

static unsigned stride_of(enum pattern p, unsigned bytes) { return p == SAME ? 0 : p == SCATTERED ? 3 * bytes : bytes; }

/* ---- the kernel: block 0 writes until block 1 has read enough ---- */

static void put_head(struct text *t, bool newer)
{
    put(t, ".version 8.8\n.target sm_%s\n.address_size 64\n", newer ? "100" : "90");
    put(t, ".visible .entry torn(.param .u64 memory, .param .u64 counts, .param .u32 first, .param .u32 stride, "
           ".param .u32 lanes, .param .u32 reads)\n{\n");
    put(t, "\t.shared .align 16 .b8 own[1024];\n\t.shared .align 8 .b64 barriers[32];\n");
    put(t,
        "\t.reg .pred %%p, %%odd;\n\t.reg .b128 %%q;\n\t.reg .b64 %%w<4>, %%a, %%c, %%x;\n\t.reg .b16 %%hw, %%h<4>;\n");
    put(t, "\t.reg .b32 %%v<8>, %%s, %%m, %%n, %%i, %%k, %%bad, %%lane, %%first, %%stride, %%lanes;\n");
    put(t, "\tld.param.u64 %%a, [memory];\n\tld.param.u64 %%c, [counts];\n\tld.param.u32 %%first, [first];\n");
    put(t, "\tld.param.u32 %%stride, [stride];\n\tld.param.u32 %%lanes, [lanes];\n\tld.param.u32 %%n, [reads];\n");
    put(t, "\tmov.u32 %%lane, %%tid.x;\n\tmad.lo.u32 %%first, %%lane, %%stride, %%first;\n");
    put(t, "\tcvt.u64.u32 %%x, %%first;\n\tadd.u64 %%a, %%a, %%x;\n");
    put(t, "\tmov.u32 %%s, own;\n\tmad.lo.u32 %%s, %%lane, 32, %%s;\n");
    put(t, "\tmov.u32 %%m, barriers;\n\tmad.lo.u32 %%m, %%lane, 8, %%m;\n");
    put(t, "\tmbarrier.init.shared.b64 [%%m], 1;\n\tfence.proxy.async;\n");
    put(t, "\tshr.u32 %%k, %%lanes, %%lane;\n\tand.b32 %%k, %%k, 1;\n\tsetp.eq.u32 %%p, %%k, 0;\n\t@%%p bra DONE;\n");
    put(t, "\tmov.u32 %%i, 0;\n\tmov.u32 %%bad, 0;\n\tmov.u32 %%k, %%ctaid.x;\n");
    put(t, "\tsetp.eq.u32 %%p, %%k, 1;\n\t@%%p bra READ;\n");
}

/* counts[0]: lanes that have read enough; counts[1]: torn reads. */
static void put_writer(struct text *t, const struct way *w)
{
    put(t, "WRITE:\n\tadd.u32 %%i, %%i, 1;\n\tand.b32 %%v0, %%i, 127;\n\tmul.lo.u32 %%v0, %%v0, 0x01010101;\n");
    put(t, "\tmov.b32 {%%hw, %%h0}, %%v0;\n");
    for (unsigned k = 1; k < 4; k++)
        put(t, "\tmov.b32 %%v%u, %%v0;\n", k);
    put(t, "\tmov.b64 %%w0, {%%v0, %%v0};\n\tmov.b64 %%w1, %%w0;\n\tmov.b128 %%q, {%%w0, %%w1};\n");
    put(t, "\t%s\n", w->code);
    put(t, "\tand.b32 %%k, %%i, %u;\n\tsetp.ne.u32 %%p, %%k, 0;\n\t@%%p bra WRITE;\n", BATCH - 1);
    put(t, "\tld.relaxed.gpu.global.u32 %%k, [%%c];\n\tpopc.b32 %%v0, %%lanes;\n");
    put(t, "\tsetp.lt.u32 %%p, %%k, %%v0;\n\t@%%p bra WRITE;\n\tbra DONE;\n");
}

static void put_reader(struct text *t, const struct way *r)
{
    put(t, "READ:\n\t%s\n\tmov.u32 %%k, 0;\n", r->code);
    for (unsigned half = 0; half < r->bytes; half += 16) {
        const unsigned words = r->bytes < 16 ? r->bytes / 4 : 4, v = half / 4;
        put(t, "\tand.b32 %%lane, %%v%u, 255;\n\tmul.lo.u32 %%lane, %%lane, 0x01010101;\n", v);
        for (unsigned j = 0; j < words; j++)
            put(t, "\tsetp.ne.u32 %%p, %%lane, %%v%u;\n\t@%%p mov.u32 %%k, 1;\n", v + j);
    }
    put(t, "\tadd.u32 %%bad, %%bad, %%k;\n\tadd.u32 %%i, %%i, 1;\n\tsetp.lt.u32 %%p, %%i, %%n;\n\t@%%p bra READ;\n");
    put(t, "\tred.global.add.u32 [%%c + 4], %%bad;\n\tred.global.add.u32 [%%c], 1;\nDONE:\n\tret;\n}\n");
}

struct run {
    device_ptr memory, counts;
    unsigned long reads, done, torn;
};

static void run_pattern(struct run *r, struct kernel *k, const struct way *w, const struct way *rd, enum pattern p)
{
    uint32_t first = first_of(p, w->bytes), stride = stride_of(p, w->bytes), counts[2];
    uint32_t lanes = p == ODD_LANES ? 0xaaaaaaaau : UINT32_MAX, n = (uint32_t)(r->reads / LANES + 1);
    driver_clear(r->memory, MEMORY);
    driver_clear(r->counts, sizeof counts);
    driver_launch(k, 2, LANES, (void *[]){&r->memory, &r->counts, &first, &stride, &lanes, &n});
    driver_wait();
    driver_read(counts, r->counts, sizeof counts);
    r->done += (unsigned long)n * counts[0];
    r->torn += counts[1];
    if (counts[1])
        printf("TORN: %s, %s, %s: %u of %lu\n", w->name, rd->name, pattern_names[p], counts[1],
               (unsigned long)n * counts[0]);
}

static void run_pair(struct run *r, const struct way *w, const struct way *rd)
{
    struct text t = {0};
    put_head(&t, w->bytes == 32);
    put_writer(&t, w);
    put_reader(&t, rd);
    struct kernel *k = driver_kernel(t.at, "torn");
    for (enum pattern p = 0; p < PATTERNS; p++)
        run_pattern(r, k, w, rd, p);
    driver_forget(k);
    free(t.at);
}

/* ---- the host reads what a kernel writes ---- */

typedef uint64_t pair __attribute__((vector_size(16)));
struct watch {
    volatile pair *word;
    atomic_bool stop;
    unsigned long reads, torn;
};

/* It reads what others write: that is the point. */
__attribute__((no_sanitize("thread"))) static void *watch_words(void *arg)
{
    struct watch *w = arg;
    while (!atomic_load(&w->stop))
        for (unsigned k = 0; k < LANES; k++) {
            const pair x = w->word[k];
            w->torn += x[0] != x[1];
            w->reads++;
        }
    return NULL;
}

/* Mapped memory: all that the host reads by one access has been written by one. */
static void run_host(struct run *r, const struct way *w)
{
    struct watch watch = {0};
    struct run mapped = *r;
    struct text t = {0};
    pthread_t thread;
    watch.word = driver_mapped(MEMORY, &mapped.memory);
    watch.word += first_of(LAST, w->bytes) / sizeof *watch.word;
    put_head(&t, false);
    put_writer(&t, w);
    put_reader(&t, &readers[0]);
    struct kernel *k = driver_kernel(t.at, "torn");
    if (pthread_create(&thread, NULL, watch_words, &watch))
        abort();
    run_pattern(&mapped, k, w, &readers[0], LAST);
    atomic_store(&watch.stop, true);
    pthread_join(thread, NULL);
    if (watch.torn)
        printf("TORN: %s, read by the host: %lu of %lu\n", w->name, watch.torn, watch.reads);
    r->done += watch.reads;
    r->torn += watch.torn;
    driver_forget(k);
    free(t.at);
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"lib", 1, 0, 'l'}, {"reads", 1, 0, 'r'}, {"sm100", 0, 0, 's'}, {NULL, 0, NULL, 0}};
    const char *lib = "libcuda.so.1";
    struct run r = {.reads = 4096};
    bool sm100 = false;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (c) {
        case 'l':
            lib = optarg;
            break;
        case 'r':
            r.reads = strtoul(optarg, NULL, 10);
            break;
        case 's':
            sm100 = true;
            break;
        default:
            return 1;
        }
    driver_open(lib);
    r.memory = driver_alloc(MEMORY);
    r.counts = driver_alloc(2 * sizeof(uint32_t));
    for (unsigned w = 0; w < sizeof writers / sizeof *writers; w++) {
        for (unsigned k = 0; k < sizeof readers / sizeof *readers; k++)
            if (readers[k].bytes <= writers[w].bytes && (sm100 || writers[w].bytes < 32))
                run_pair(&r, &writers[w], &readers[k]);
        if (writers[w].bytes == 16)
            run_host(&r, &writers[w]);
    }
    printf("%lu reads, %lu torn\n", r.done, r.torn);
    return r.torn != 0;
}
