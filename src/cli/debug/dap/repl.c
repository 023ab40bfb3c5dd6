/* repl.c - the editor's console takes words of the command line that look and do not go on: those would wait for a stop,
 * which is the loop's business. What they print goes the way of all output. */
#include <stdio.h>
#include <string.h>

#include "cli/debug/dap/dap.h"
#include "cli/debug/debug.h"

static const char *const words[] = {"info",      "print", "p",     "x",    "ptype",       "bt",
                                    "backtrace", "where", "frame", "list", "disassemble", "thread"};

bool repl_is_word(const char *line)
{
    line += strspn(line, " \t");
    const size_t n = strcspn(line, " \t/");
    for (u32 i = 0; i < LS_ARRAY_LEN(words); i++)
        if (strlen(words[i]) == n && memcmp(words[i], line, n) == 0)
            return true;
    return false;
}

bool repl_line(struct dap *d, const struct dap_focus *f, const char *line, char why[DAP_WHY])
{
    struct debug_cli cli = {.s = d->session, .told_lane = UINT32_MAX};
    if (!dap_look_at(d, f, why))
        return false;
    debug_line(&cli, line);
    fflush(stdout);
    relay_flush(d->relay);
    return true;
}
