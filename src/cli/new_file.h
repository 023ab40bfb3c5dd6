/* new_file.h - a file that is written beside its name and then put in its place, so that it is never half written. What is no file
 * but something else of that name (/dev/stdout, a pipe) is written to directly. */
#ifndef LS_CLI_NEW_FILE_H
#define LS_CLI_NEW_FILE_H

#include <limits.h>
#include <stdio.h>

#include "base/base.h"

struct new_file {
    const char *self, *path; /* "lockstep gate" for messages; the file */
    char beside[PATH_MAX];   /* what is written */
    FILE *f;
};

/* False: it cannot be written, which has been said. */
bool new_file_open(struct new_file *n, const char *self, const char *path);
/* Puts it in its place, if `good` and all could be written; else removes it. False: said, if it was `good`. */
bool new_file_close(struct new_file *n, bool good);
/* Whether it could be opened, for those who ask before long work; nothing is left behind. */
bool new_file_ready(const char *self, const char *path);

#endif
