/* program.h - a litmus test: a few threads, each a few accesses of two or three locations, and which outcomes the PTX
 * memory model allows. An outcome is what the loads read and what the locations hold in the end.
 *
 * A test is written as its threads with '|' between, each a row of operations:
 *
 *     W x     a store to x                   R x     a load of x
 *     X x     an atomic exchange             F sc, F ar    fence.sc, fence.acq_rel
 *
 * with an ending: .rel, .acq (an exchange: .rel, .acq), .weak (a plain ld or st); else relaxed. All locations hold 0 in
 * the beginning; the n-th write to a location in the order of the text writes n. */
#ifndef LITMUS_PROGRAM_H
#define LITMUS_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum { MAX_THREADS = 4, MAX_EVENTS = 16, MAX_LOCATIONS = 3, MAX_OUTCOMES = 4096 };

enum kind { WRITE = 1, READ = 2, EXCHANGE = WRITE | READ, FENCE = 4 };

struct event {
    uint8_t kind, thread, location;
    uint8_t value; /* what it writes */
    bool release, acquire, weak, sc;
};

struct program {
    char text[128];
    struct event event[MAX_EVENTS]; /* thread by thread, in program order */
    unsigned events, threads, locations;
};

/* An outcome: four bits a read, in the order of the text, then four bits a location. */
typedef uint64_t outcome;

struct outcomes {
    outcome is[MAX_OUTCOMES];
    unsigned count;
};

/* Reads the text; false: `error` says what is wrong with it. */
bool program_parse(struct program *p, const char *text, const char **error);
/* All outcomes that some execution has which the axioms of the PTX memory model allow. */
void program_allowed(const struct program *p, struct outcomes *allowed);
bool outcomes_have(const struct outcomes *o, outcome x);
/* "1 0, x=1 y=2"; the text of an outcome. */
const char *outcome_text(const struct program *p, outcome x, char *to, unsigned size);

/* ---- as a kernel ---- */

/* What a load or store moves: all of its 32-bit words have the value. An exchange is one of as many bytes. */
enum width { W_B32, W_B64, W_V2_B32, W_V4_B32, W_V2_B64, W_B128, WIDTHS };
extern const char *const width_names[WIDTHS];

/* Where the program's threads are. */
enum place { IN_BLOCKS, IN_WARPS, PLACES }; /* each in a block of its own; in warps of one block (and scope .cta) */

/* The kernel `litmus` in PTX, to be freed. Its arguments: the locations (u64 address; instance i of location k is at
 * (k * instances + i) * bytes), the results (u64 address; u32 at read * instances + i, UINT32_MAX for a torn one), a
 * counter (u32, 0 at first) for each group and round (u64 address), instances (u32). Each lane is an instance of its
 * own. Threads of a group meet in front of every ROUND instances a lane. Group g runs instances [g, g + 1) * instances
 * / groups. */
enum { ROUND = 16, LANES = 32 };
unsigned width_bytes(enum width w);
char *program_kernel(const struct program *p, enum width w, enum place place);

#endif
