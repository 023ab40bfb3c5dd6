/* experiments.h - the experiments: each adds rows, and is false when one of its launches went wrong. */
#ifndef LS_CALIBRATE_EXPERIMENTS_H
#define LS_CALIBRATE_EXPERIMENTS_H

#include "calibrate/bench.h"

#define EXPERIMENT(name, about) bool measure_##name(struct bench *b);
#include "calibrate/experiments.def"

/* Cycles a step of kernel chain_<what> at memory that holds its own addresses: one thread, or the lanes of one warp `lane`
 * bytes apart. A row latency_<what><pattern>. */
bool measure_chain(struct bench *b, u64 at, const char *what, u32 threads, u64 lane, const char *pattern);

#endif
