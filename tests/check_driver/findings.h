/* findings.h - runs a program under LOCKSTEP_CHECK and reads what it left. */
#ifndef CHECK_DRIVER_FINDINGS_H
#define CHECK_DRIVER_FINDINGS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

struct findings {
    json_t *lines; /* of all record files, in order of the processes' ids */
    unsigned files;
    int status;     /* the exit status; -1: a signal */
    char log[8192]; /* what went to stderr */
};

/* words and settings ("LOCKSTEP_X=y") end with NULL. LOCKSTEP_CHECK is `tools`. */
void findings_run(struct findings *f, const char *subject, const char *tools, const char *const *settings,
                  const char *const *words);
void findings_free(struct findings *f);

unsigned findings_count(const struct findings *f, const char *type, const char *kind); /* kind NULL: any */
/* The only finding of that kind; fails the test when there is none or are several. */
const json_t *findings_only(const struct findings *f, const char *kind);
const char *text_of(const json_t *o, const char *path); /* "call.api"; "" when it is not there */
const char *detail_of(const json_t *finding);           /* its first line */

#endif
