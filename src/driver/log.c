/* log.c - the driver's messages on stderr: faults, refused launches, what is not supported, and what observers report.
 * Each message is one write, so that those of several threads and processes do not mix. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "driver/driver.h"

static void put(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(STDERR_FILENO, text, len);
        if (n <= 0)
            return;
        text += n;
        len -= (size_t)n;
    }
}

void drv_log(const char *fmt, ...)
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
    put(line, len);
}

void drv_log_text(const char *text)
{
    if (text)
        put(text, strlen(text));
}
