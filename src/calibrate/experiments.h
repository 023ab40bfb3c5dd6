/* experiments.h - the experiments: each adds rows, and is false when one of its launches went wrong. */
#ifndef LS_CALIBRATE_EXPERIMENTS_H
#define LS_CALIBRATE_EXPERIMENTS_H

#include "calibrate/bench.h"

#define EXPERIMENT(name, about) bool measure_##name(struct bench *b);
#include "calibrate/experiments.def"

#endif
