/* child.h - programs of the CUDA toolkit that are asked about machine code. */
#ifndef LS_METER_SASS_CHILD_H
#define LS_METER_SASS_CHILD_H

#include "base/base.h"

/* A temporary file with that text; its descriptor, or -1. The name is unlinked by the caller. */
int child_file(const char *folder, char *name, size_t room, const char *what, const char *text, size_t len);
/* Runs a program (found on PATH if it has no slash) without input and with its output going to these descriptors; true when it
 * ended with status 0. One that takes longer than five minutes is ended. */
bool child_run(const char *const *argv, int out, int err);

#endif
