/* source_file.c - source files found and read (source_file.h). */
#include "report/source_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *try_open(struct arena *mem, const char *folder, const char *name)
{
    return fopen(folder ? arena_printf(mem, "%s/%s", folder, name) : name, "r");
}

static FILE *open_source(struct arena *mem, const struct source_folders *where, const char *name)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    FILE *f = try_open(mem, NULL, name);
    for (u32 i = 0; !f && where->folders && where->folders[i]; i++) {
        f = try_open(mem, where->folders[i], name);
        f = f ? f : try_open(mem, where->folders[i], last);
    }
    const char *end = strrchr(where->program, '/');
    if (f || !end)
        return f;
    const char *folder = arena_strndup(mem, where->program, (size_t)(end - where->program));
    f = try_open(mem, folder, name);
    return f ? f : try_open(mem, folder, last);
}

static void read_source(struct arena *mem, struct source_file *s, FILE *f)
{
    char *line = NULL;
    size_t room = 0;
    u32 cap = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) >= 0;) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            n--;
        if (s->n == cap) {
            cap = cap ? cap * 2 : 256;
            char **to = arena_array(mem, char *, cap);
            if (s->n)
                memcpy(to, s->lines, sizeof *to * s->n);
            s->lines = to;
        }
        s->lines[s->n++] = arena_strndup(mem, line, (size_t)n);
    }
    free(line);
}

const struct source_file *source_file(struct arena *mem, struct source_file **all, const struct source_folders *where,
                                      const char *file)
{
    for (struct source_file *s = *all; s; s = s->next)
        if (!strcmp(s->file, file))
            return s;
    struct source_file *s = arena_new(mem, struct source_file);
    *s = (struct source_file){.file = arena_strndup(mem, file, strlen(file)), .next = *all};
    FILE *f = open_source(mem, where, file);
    if (f) {
        read_source(mem, s, f);
        fclose(f);
    }
    return *all = s;
}
