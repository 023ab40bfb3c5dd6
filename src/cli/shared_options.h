/* shared_options.h - options that several commands have: one row each, so that they are spelled, read and explained the same
 * way everywhere. `to` is the row's .at = OPTION_AT(...); what else differs is an argument. */
#ifndef LS_CLI_SHARED_OPTIONS_H
#define LS_CLI_SHARED_OPTIONS_H

#include "cli/options.h"

/* ---- the GPU to be, and how its kernels run ---- */

/* NULL: as the environment says. */
struct engine_options {
    const char *gpu, *workers, *seed, *memory, *timeout;
};

/* Puts what was given among what is said; false: a value is none. */
bool engine_options_set(const struct engine_options *e);

#define ROW_GPU(to, letter_)                                                                                           \
    OPTION(TEXT, "gpu", "NAME", "The GPU to be (`lockstep gpus` lists them), as LOCKSTEP_GPU", to, .letter = letter_,  \
           .runs = true)
#define ROW_WORKERS(to, letter_, more)                                                                                 \
    OPTION(NUMBER, "workers", "N", "Threads of a launch, as LOCKSTEP_WORKERS" more, to, .as_text = true,               \
           .letter = letter_, .runs = true)
#define ROW_SEED(to, letter_)                                                                                          \
    OPTION(NUMBER, "seed", "N", "Shuffle the order of blocks and warps, as LOCKSTEP_SEED", to, .as_text = true,        \
           .letter = letter_, .runs = true)
#define ROW_MEMORY(to)                                                                                                 \
    OPTION(CHOICE, "memory", "weak|strong", "The order in which others see stores, as LOCKSTEP_MEMORY", to,            \
           .as_text = true, .runs = true)
#define ROW_TIMEOUT(to, letter_, more)                                                                                 \
    OPTION(SECONDS, "timeout", "SECONDS", "End a kernel that runs longer, as LOCKSTEP_TIMEOUT" more, to,               \
           .as_text = true, .letter = letter_, .runs = true)
#define ROW_PTXAS(to)                                                                                                  \
    OPTION(TEXT, "ptxas", "PROGRAM", "The ptxas that is asked for registers, as LOCKSTEP_PTXAS; 0: none", to)

/* ---- programs ---- */

#define ROW_VERSION OPTION(VERSION, "version", NULL, "The version", .letter = 'v')
#define ROW_NO_CHECK(to)                                                                                               \
    OPTION(FLAG, "no-check", NULL, "Start the program without looking at its file first", to, .runs = true)
#define ROW_CHECK_EXIT_CODE(to)                                                                                        \
    OPTION(YES_NO, "check-exit-code", "yes|no", "no: do not say that the program failed", to)

/* ---- which launches ---- */

#define ROW_LAUNCH_SKIP(...)                                                                                           \
    OPTION(NUMBER, "launch-skip", "N", "Leave out the first N launches that match", .letter = 's', __VA_ARGS__)
#define ROW_LAUNCH_COUNT(help_, ...) OPTION(NUMBER, "launch-count", "N", help_, .letter = 'c', __VA_ARGS__)

/* ---- where rungs and kernels run ---- */

#define ROW_ON(to)                                                                                                     \
    OPTION(CHOICE, "on", "cpu|gpu", "Where to run: Lockstep's device (cpu, the default) or NVIDIA's driver", to)

#endif
