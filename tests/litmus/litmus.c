/* litmus.c - runs litmus tests through a CUDA driver, ours or NVIDIA's, and compares what happened with what the PTX
 * memory model allows.
 *
 *     litmus [--lib PATH] [--runs N] [--every N] [--only REGEX] [--width NAME] [--model]
 *
 * The tests of shapes.def, each with its threads in blocks and in warps of a block and with every width of access, or
 * the one of --width. --every N: besides, every N-th of all programs of two threads with two accesses each. --runs: how
 * often each runs (2048). --model: only compares the model's verdicts with those of shapes.def.
 * Exit status: 0, 1 when an outcome is forbidden, torn or judged wrongly, 2 when there is no driver. */
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "program.h"

enum { MAX_INSTANCES = 1 << 17, READS = 8, GROUPS = 4, TORN = 15 };

enum verdict { FORBIDDEN, ALLOWED };

static const struct shape {
    const char *name, *program, *outcome;
    enum verdict verdict;
} shapes[] = {
#define SHAPE(name, program, outcome, verdict) {#name, program, outcome, verdict},
#include "shapes.def"
#undef SHAPE
};

struct options {
    const char *lib, *only, *width;
    unsigned long runs, every;
    bool model;
};

struct memory {
    device_ptr locations, results, counters;
    uint8_t *seen; /* of the locations, then of the results */
    size_t rounds; /* counters */
};

struct total {
    unsigned long tests, runs, seen, allowed, wrong;
};

static struct program parsed(const char *text)
{
    struct program p;
    const char *error;
    if (!program_parse(&p, text, &error)) {
        fprintf(stderr, "'%s': %s\n", text, error);
        exit(1);
    }
    return p;
}

/* ---- running ---- */

static unsigned reads_of(const struct program *p)
{
    unsigned n = 0;
    for (unsigned k = 0; k < p->events; k++)
        n += (p->event[k].kind & READ) != 0;
    return n;
}

static struct memory memory_new(void)
{
    const size_t locations = (size_t)MAX_LOCATIONS * MAX_INSTANCES * 16, results = (size_t)READS * MAX_INSTANCES * 4;
    struct memory m = {.rounds = MAX_INSTANCES / LANES / ROUND + GROUPS};
    m.locations = driver_alloc(locations);
    m.results = driver_alloc(results);
    m.counters = driver_alloc(4 * m.rounds);
    if (!(m.seen = malloc(locations + results)))
        abort();
    return m;
}

/* A value that was read or left; its words must agree. */
static outcome value_of(const uint8_t *bytes, unsigned n)
{
    uint32_t word[4];
    memcpy(word, bytes, n);
    for (unsigned k = 1; k < n / 4; k++)
        if (word[k] != word[0])
            return TORN;
    return word[0] < TORN ? word[0] : TORN;
}

static outcome outcome_of(const struct program *p, const struct memory *m, enum width w, unsigned instances, unsigned i)
{
    const unsigned bytes = width_bytes(w), reads = reads_of(p);
    const uint8_t *results = m->seen + (size_t)MAX_LOCATIONS * MAX_INSTANCES * 16;
    outcome o = 0;
    for (unsigned k = 0; k < reads; k++)
        o |= value_of(results + 4 * ((size_t)k * instances + i), 4) << 4 * k;
    for (unsigned k = 0; k < p->locations; k++)
        o |= value_of(m->seen + bytes * ((size_t)k * instances + i), bytes) << 4 * (reads + k);
    return o;
}

static void run_batch(const struct program *p, struct kernel *kernel, const struct memory *m, enum width w,
                      enum place place, unsigned instances)
{
    const size_t locations = (size_t)p->locations * instances * width_bytes(w);
    const size_t results = (size_t)reads_of(p) * instances * 4;
    const unsigned blocks = place == IN_BLOCKS ? GROUPS * p->threads : GROUPS;
    device_ptr at[] = {m->locations, m->results, m->counters};
    uint32_t n = instances;
    driver_clear(m->locations, locations);
    driver_clear(m->counters, 4 * m->rounds);
    driver_launch(kernel, blocks, place == IN_BLOCKS ? LANES : LANES * p->threads,
                  (void *[]){&at[0], &at[1], &at[2], &n});
    driver_wait();
    driver_read(m->seen, m->locations, locations);
    if (results)
        driver_read(m->seen + (size_t)MAX_LOCATIONS * MAX_INSTANCES * 16, m->results, results);
}

/* ---- one test ---- */

static void complain(const struct program *p, enum width w, enum place place, outcome o, unsigned long times)
{
    char text[128];
    printf("FORBIDDEN: %s (%s, %s): %s, %lu times\n", p->text, width_names[w], place == IN_WARPS ? "warps" : "blocks",
           outcome_text(p, o, text, sizeof text), times);
}

static void run_test(const struct program *p, const struct outcomes *allowed, const struct memory *m, enum width w,
                     enum place place, unsigned long runs, struct total *total)
{
    static unsigned long times[MAX_OUTCOMES];
    struct outcomes seen = {0};
    const unsigned step = GROUPS * LANES * ROUND;
    const unsigned long wanted = (runs + step - 1) / step * step;
    char *ptx = program_kernel(p, w, place);
    struct kernel *kernel = driver_kernel(ptx, "litmus");
    for (unsigned long done = 0; done < wanted;) {
        const unsigned n = wanted - done < MAX_INSTANCES ? (unsigned)(wanted - done) : MAX_INSTANCES;
        run_batch(p, kernel, m, w, place, n);
        for (unsigned i = 0; i < n; i++) {
            const outcome o = outcome_of(p, m, w, n, i);
            unsigned k = 0;
            while (k < seen.count && seen.is[k] != o)
                k++;
            if (k == seen.count && seen.count < MAX_OUTCOMES)
                times[k] = 0, seen.is[seen.count++] = o;
            times[k]++;
        }
        done += n;
    }
    for (unsigned k = 0; k < seen.count; k++)
        if (!outcomes_have(allowed, seen.is[k])) {
            complain(p, w, place, seen.is[k], times[k]);
            total->wrong++;
        }
    total->tests++;
    total->runs += wanted;
    total->seen += seen.count;
    total->allowed += allowed->count;
    driver_forget(kernel);
    free(ptx);
}

/* With the one width, or with all (WIDTHS). */
static void run_program(const struct program *p, const struct memory *m, const struct options *o, enum width only,
                        struct total *total)
{
    struct outcomes allowed;
    program_allowed(p, &allowed);
    for (enum place place = 0; place < PLACES; place++)
        for (enum width w = 0; w < WIDTHS; w++)
            if (o->width ? !strcmp(o->width, width_names[w]) : only == WIDTHS || only == w)
                run_test(p, &allowed, m, w, place, o->runs, total);
}

/* ---- which tests ---- */

/* The model must say of the shape's outcome what the table says. */
static void judge_model(const struct shape *s, struct total *total)
{
    const struct program p = parsed(s->program);
    struct outcomes allowed;
    char text[128];
    bool found = false;
    program_allowed(&p, &allowed);
    for (unsigned k = 0; k < allowed.count && !found; k++)
        found = !strcmp(outcome_text(&p, allowed.is[k], text, sizeof text), s->outcome);
    if (found != (s->verdict == ALLOWED)) {
        printf("the model %s '%s' of %s: %s\n", found ? "allows" : "forbids", s->outcome, s->name, s->program);
        total->wrong++;
    }
}

/* One thread of two accesses, of 144: each access a store, a load or an exchange of x or y; between them nothing, a
 * fence, or a release or acquire. */
static void thread_text(unsigned k, char *to, size_t size)
{
    static const char kinds[] = "WRX";
    const char first = kinds[k % 3], second = kinds[k / 3 % 3], x = "xy"[k / 9 % 2], y = "xy"[k / 18 % 2];
    const unsigned between = k / 36;
    const char *fence = between == 1 ? "F ar " : between == 2 ? "F sc " : "";
    snprintf(to, size, "%c %c%s %s%c %c%s", first, x, between == 3 && first != 'W' ? ".acq" : "", fence, second, y,
             between == 3 && second != 'R' ? ".rel" : "");
}

static void run_generated(const struct memory *m, const struct options *o, struct total *total)
{
    enum { THREADS = 144 };
    for (unsigned a = 0, n = 0; a < THREADS; a++)
        for (unsigned b = a; b < THREADS; b++) {
            char one[32], two[32], text[64];
            if (n++ % o->every)
                continue;
            thread_text(a, one, sizeof one);
            thread_text(b, two, sizeof two);
            snprintf(text, sizeof text, "%s|%s", one, two);
            const struct program p = parsed(text);
            run_program(&p, m, o, (enum width)(n % WIDTHS), total);
        }
}

static void run_shapes(const struct memory *m, const struct options *o, struct total *total)
{
    regex_t only;
    if (o->only && regcomp(&only, o->only, REG_EXTENDED | REG_NOSUB)) {
        fprintf(stderr, "--only %s: not a regular expression\n", o->only);
        exit(1);
    }
    for (unsigned k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        if (o->only && regexec(&only, shapes[k].name, 0, NULL, 0))
            continue;
        judge_model(&shapes[k], total);
        if (o->model)
            continue;
        const struct program p = parsed(shapes[k].program);
        run_program(&p, m, o, WIDTHS, total);
    }
    if (o->only)
        regfree(&only);
}

static struct options options_of(int argc, char **argv)
{
    static const struct option known[] = {{"lib", 1, 0, 'l'},  {"runs", 1, 0, 'r'},  {"every", 1, 0, 'e'},
                                          {"only", 1, 0, 'o'}, {"width", 1, 0, 'w'}, {"model", 0, 0, 'm'},
                                          {NULL, 0, NULL, 0}};
    struct options o = {.lib = "libcuda.so.1", .runs = 2048};
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;)
        switch (c) {
        case 'l':
            o.lib = optarg;
            break;
        case 'r':
            o.runs = strtoul(optarg, NULL, 10);
            break;
        case 'e':
            o.every = strtoul(optarg, NULL, 10);
            break;
        case 'o':
            o.only = optarg;
            break;
        case 'w':
            o.width = optarg;
            break;
        case 'm':
            o.model = true;
            break;
        default:
            exit(1);
        }
    return o;
}

int main(int argc, char **argv)
{
    const struct options o = options_of(argc, argv);
    struct memory m = {0};
    struct total total = {0};
    if (!o.model) {
        driver_open(o.lib);
        m = memory_new();
    }
    run_shapes(&m, &o, &total);
    if (o.every && !o.model)
        run_generated(&m, &o, &total);
    printf("%lu tests, %lu runs, %lu of %lu allowed outcomes seen, %lu wrong\n", total.tests, total.runs, total.seen,
           total.allowed, total.wrong);
    free(m.seen);
    return total.wrong != 0;
}
