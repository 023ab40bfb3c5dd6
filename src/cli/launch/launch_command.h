/* launch_command.h - what the files of `lockstep launch` share: the arguments as they are written, and the result to print. */
#ifndef LS_CLI_LAUNCH_COMMAND_H
#define LS_CLI_LAUNCH_COMMAND_H

#include <stdio.h>

#include "base/base.h"
#include "lab/cuda.h"
#include "meter/meter.h"
#include "ptx/ptx.h"

/* ---- arguments (launch_args.c) ---- */

enum { LAUNCH_ARGS_MAX = 64, LAUNCH_VALUE_BYTES = 256, LAUNCH_SHOWN = 8 };

struct launch_type {
    const char *name; /* "f32" */
    u8 size;
    char cls; /* 'i' signed, 'u' unsigned, 'f' float */
};

enum launch_fill { FILL_ZERO, FILL_RANDOM, FILL_IOTA };

struct launch_arg {
    const char *spec; /* as written */
    u8 value[LAUNCH_VALUE_BYTES];
    u32 size;  /* bytes of the parameter */
    u64 bytes; /* of the buffer; 0: a plain value */
    enum launch_fill fill;
    const struct launch_type *type; /* of the buffer's elements, for filling and showing */
    u64 shown;                      /* elements to print after the launch */
    u64 device;                     /* the buffer's address */
};

/* Reads a SPEC; false: why says what is wrong. */
bool launch_arg_read(const char *spec, struct launch_arg *out, char why[256]);
/* Allocates and fills the buffer of an argument and makes its address the value. `seed` tells random ones apart. */
CUresult launch_arg_upload(struct launch_arg *a, const struct lab_cuda *c, u64 seed);
/* Element i of type t at p as text. */
void launch_element(const struct launch_type *t, const void *p, char out[40]);
/* The same as a number. */
double launch_element_value(const struct launch_type *t, const void *p);

/* ---- the result (launch_print.c) ---- */

enum launch_form { LAUNCH_TEXT, LAUNCH_CSV, LAUNCH_JSON };

/* The elements of one buffer after the launch. */
struct launch_shown {
    u32 argument; /* from 1 */
    const char *parameter;
    const struct launch_type *type;
    const u8 *data;
    u64 n;
};

struct launch_result {
    const char *kernel, *device;
    u32 grid[3], block[3];
    const struct meter_report *report; /* NULL on a GPU */
    double milliseconds;               /* on a GPU */
    const enum metric_id *metrics;     /* asked for */
    u32 nmetrics;                      /* 0: every one that is not 0 */
    bool all_metrics;
    const struct launch_shown *shown;
    u32 nshown;
};

/* False: no memory. */
bool launch_print(FILE *out, const struct launch_result *r, enum launch_form form);

#endif
