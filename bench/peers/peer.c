/* peer.c - runs a kernel by one of the peers and measures it, as bench/peers/compare.py asks.
 *
 *     PROGRAM --list              the kernels' names
 *     PROGRAM --about             what runs them; nothing, and 1, if that is not installed
 *     PROGRAM --verify [FOLDER]   each kernel once, the result compared with plain C's; 1 if one is wrong
 *     PROGRAM KERNEL [FOLDER]     a dialogue, below
 *
 * FOLDER has the kernels: of PTX, or of OpenCL C. The dialogue: the program builds and launches the kernel and says
 * `first MS`, the time from the source in memory to the end of the first launch. Then a line of stdin is a wish, and a
 * line of stdout its answer:
 *
 *     warm S   launches for S seconds                           warm
 *     run S    about as many launches as take S seconds         run LAUNCHES WALL CPU: seconds, of all threads the last
 *     check    a launch with fresh data, compared               right, or `wrong`, and why on stderr
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

char *peer_text(const char *folder, const char *name, const char *suffix)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *f = fopen(path, "r");
    if (!f)
        return NULL;
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', f) < 0) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* A launch with fresh data, and its result compared. */
static const char *check(const struct problem *p, bool *right)
{
    void *data[PEER_ARGS];
    problem_data(p, data);
    const char *bad = peer_write(data);
    bad = bad ? bad : peer_launch(1);
    bad = bad ? bad : peer_read(data);
    *right = !bad && problem_right(p, data);
    problem_free(data);
    return bad;
}

/* Data in place; then the clock runs from the source to the end of the first launch. */
static const char *first(const struct problem *p, double *ms)
{
    void *data[PEER_ARGS];
    problem_data(p, data);
    const char *bad = peer_write(data);
    problem_free(data);
    const double start = seconds(CLOCK_MONOTONIC);
    bad = bad ? bad : peer_build();
    bad = bad ? bad : peer_launch(1);
    *ms = (seconds(CLOCK_MONOTONIC) - start) * 1e3;
    return bad;
}

struct batch {
    unsigned launches;
    double wall, cpu;
};

static const char *batch(struct batch *b)
{
    const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    const char *bad = peer_launch(b->launches);
    b->cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    b->wall = seconds(CLOCK_MONOTONIC) - wall;
    return bad;
}

static unsigned fitting(const struct batch *b, double want)
{
    const double n = b->wall > 0 ? want / b->wall * b->launches : 1;
    return n < 1 ? 1 : n > 1e6 ? 1000000 : (unsigned)n;
}

static const char *warm(struct batch *b, double want)
{
    const char *bad = NULL;
    for (const double start = seconds(CLOCK_MONOTONIC); !bad && seconds(CLOCK_MONOTONIC) - start < want;) {
        bad = batch(b);
        b->launches = fitting(b, want / 10);
    }
    return bad;
}

static const char *answer(const struct problem *p, struct batch *b, const char *line)
{
    double want = 0;
    bool right = false;
    const char *bad = NULL;
    if (sscanf(line, "warm %lf", &want) == 1) {
        bad = warm(b, want);
        puts("warm");
    } else if (sscanf(line, "run %lf", &want) == 1) {
        b->launches = fitting(b, want);
        bad = batch(b);
        printf("run %u %.9f %.9f\n", b->launches, b->wall, b->cpu);
    } else if (!strcmp(line, "check\n")) {
        bad = check(p, &right);
        puts(right ? "right" : "wrong");
    } else {
        bad = "what stdin wishes is not known";
    }
    return bad;
}

static const char *dialogue(const struct problem *p, const char *folder)
{
    struct batch b = {.launches = 1};
    double ms;
    char line[64];
    const char *bad = peer_open(p, folder);
    bad = bad ? bad : first(p, &ms);
    if (!bad)
        printf("first %.6f\n", ms);
    while (!bad && !fflush(stdout) && fgets(line, sizeof line, stdin))
        bad = answer(p, &b, line);
    peer_close();
    return bad;
}

static int verify(const char *folder)
{
    int wrong = 0;
    for (unsigned k = 0; k < problem_count; k++) {
        bool right = false;
        double ms;
        const char *bad = peer_open(&problems[k], folder);
        bad = bad ? bad : first(&problems[k], &ms);
        bad = bad ? bad : check(&problems[k], &right);
        printf("%s: %s\n", problems[k].name, bad ? bad : right ? "right" : "wrong");
        wrong |= !right;
        peer_close();
    }
    return wrong;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 ? argv[2] : NULL;
    const struct problem *p = argc > 1 ? problem_named(argv[1]) : NULL;
    if (argc < 2 || argc > 3 || (!p && argv[1][0] != '-'))
        return fprintf(stderr, "usage: %s --list | --about | --verify [FOLDER] | KERNEL [FOLDER]\n", argv[0]), 2;
    if (!strcmp(argv[1], "--list")) {
        for (unsigned k = 0; k < problem_count; k++)
            puts(problems[k].name);
    } else if (!strcmp(argv[1], "--about")) {
        const char *about = peer_about();
        return about ? puts(about) < 0 : 1;
    } else if (!strcmp(argv[1], "--verify")) {
        return verify(folder);
    } else {
        const char *bad = dialogue(p, folder);
        if (bad)
            return fprintf(stderr, "%s: %s: %s\n", argv[0], argv[1], bad), 1;
    }
    return 0;
}
