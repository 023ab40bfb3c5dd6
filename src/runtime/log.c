/* log.c - the library's messages on stderr, in the driver's style. Each message is one write, so that those of several
 * threads and processes do not mix. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runtime/runtime.h"

void rt_log(const char *fmt, ...)
{
    char line[2048] = "lockstep: ";
    size_t head = strlen(line);
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(line + head, sizeof line - head - 1, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    size_t len = strlen(line);
    line[len++] = '\n';
    for (size_t at = 0; at < len;) {
        ssize_t done = write(STDERR_FILENO, line + at, len - at);
        if (done <= 0)
            return;
        at += (size_t)done;
    }
}
