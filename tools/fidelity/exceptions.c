/* exceptions.c - the list of counted values that differ from the hardware's for a known reason. */
#include <stdio.h>
#include <string.h>

#include "fidelity.h"

enum { MOST = 64 };

static struct {
    char subject[60], metric[80], reason[300];
} list[MOST];
static u32 count;

static bool read_lines(FILE *f)
{
    char line[600];
    for (count = 0; fgets(line, sizeof line, f);) {
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (count == MOST ||
            sscanf(line, "%59s %79s %299[^\n]", list[count].subject, list[count].metric, list[count].reason) != 3)
            return false;
        count++;
    }
    return true;
}

bool exceptions_load(const char *path)
{
    FILE *f = fopen(path, "r");
    const bool good = f && read_lines(f);
    if (!good)
        fprintf(stderr, "%s: %s\n", path,
                f ? "a line is not 'family/rung metric reason', or there are too many" : "it cannot be read");
    if (f)
        fclose(f);
    return good;
}

/* The subject may be a family alone ("coop/"); the metric is a part of its name. */
const char *exception_of(const char *subject, const char *metric)
{
    for (u32 i = 0; i < count; i++) {
        const size_t n = strlen(list[i].subject);
        const bool family = n && list[i].subject[n - 1] == '/';
        const bool same = family ? strncmp(subject, list[i].subject, n) == 0 : strcmp(subject, list[i].subject) == 0;
        if (same && strstr(metric, list[i].metric))
            return list[i].reason;
    }
    return NULL;
}
