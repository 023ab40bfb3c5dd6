/* bug.c - the end of the process when an invariant of ours does not hold. */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

_Noreturn void ls_bug(const char *file, int line, const char *what)
{
    fprintf(stderr, "lockstep: internal error at %s:%d: %s\n", file, line, what);
    abort();
}
