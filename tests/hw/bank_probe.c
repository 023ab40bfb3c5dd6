/* bank_probe.c - a reader for one CSV file, with quoted fields. */
#include "bank_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 12 + 32 };

/* Cuts a line into fields in place; how many there are. */
static int split(char *line, char *field[], int max)
{
    int n = 0;
    for (char *p = line; n < max;) {
        const bool quoted = *p == '"';
        field[n++] = p += quoted;
        char *end = p + strcspn(p, quoted ? "\"" : ",\r\n");
        char *next = quoted && *end ? end + 1 : end;
        const bool more = *next == ',';
        *end = 0;
        if (!more)
            break;
        p = next + 1;
    }
    return n;
}

static bool parse(char *line, struct bank_probe *p)
{
    char *f[COLUMNS + 1];
    if (split(line, f, COLUMNS + 1) != COLUMNS)
        return false;
    snprintf(p->op, sizeof p->op, "%s", f[0]);
    snprintf(p->pattern, sizeof p->pattern, "%s", f[1]);
    p->mask = (u32)strtoul(f[2], NULL, 16);
    for (int k = 0; k < 3; k++) {
        p->wavefronts[k] = (u32)strtoul(f[3 + k], NULL, 10);
        p->conflicts[k] = (u32)strtoul(f[6 + k], NULL, 10);
        p->inst[k] = (u32)strtoul(f[9 + k], NULL, 10);
    }
    for (int i = 0; i < 32; i++)
        p->at[i] = strtoull(f[12 + i], NULL, 10);
    return p->mask != 0;
}

int bank_probe_read(const char *path, struct bank_probe *rows, size_t max)
{
    char line[4096];
    FILE *f = fopen(path, "r");
    if (!f)
        return -1;
    size_t n = 0;
    u32 at = 1;
    bool ok = fgets(line, sizeof line, f) != NULL; /* the header */
    while (ok && n < max && fgets(line, sizeof line, f)) {
        rows[n].line = ++at;
        ok = parse(line, &rows[n++]);
    }
    fclose(f);
    return ok ? (int)n : -1;
}

u32 bank_probe_bytes(const struct bank_probe *p)
{
    const size_t n = strlen(p->op);
    size_t digits = n;
    while (digits && p->op[digits - 1] >= '0' && p->op[digits - 1] <= '9')
        digits--;
    return (u32)strtoul(p->op + digits, NULL, 10) / 8;
}

int bank_probe_kind(const struct bank_probe *p)
{
    return !strncmp(p->op, "ld", 2) ? PROBE_LD : !strncmp(p->op, "st", 2) ? PROBE_ST : PROBE_ATOM;
}

bool bank_probe_excepted(const struct bank_probe *p)
{
    return !strcmp(p->op, "atom_add_f32") || !strcmp(p->op, "atom_add_u64");
}
