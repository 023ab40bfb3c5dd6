/* timeline_folder.c - the timelines of all processes of a session's folder. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/timeline/timeline.h"

static u32 process_of(const struct session *s, u64 pid)
{
    for (u32 i = 0; i < s->nprocesses; i++)
        if (s->processes[i].pid == pid)
            return i;
    return UINT32_MAX; /* it launched nothing */
}

static enum ls_status read_lines(struct timelines *t, const char *folder, const char *name, const struct session *s,
                                 const struct gpu *gpu, struct diag_list *diags)
{
    char path[4096];
    struct timeline *more = ls_realloc(t->all, (t->n + 1) * sizeof *more);
    if (!more)
        return LS_ERR_NOMEM;
    t->all = more;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return timeline_read(path, s, process_of(s, strtoull(name, NULL, 10)), gpu, &t->all[t->n++], diags);
}

static int by_number(const struct dirent **a, const struct dirent **b)
{
    const u64 x = strtoull((*a)->d_name, NULL, 10), y = strtoull((*b)->d_name, NULL, 10);
    return (x > y) - (x < y);
}

static int is_lines(const struct dirent *e)
{
    const char *dot = strrchr(e->d_name, '.');
    return dot && strcmp(dot, ".line") == 0;
}

enum ls_status timeline_read_folder(const char *folder, const struct session *s, const struct gpu *gpu,
                                    struct timelines *out, struct diag_list *diags)
{
    struct dirent **names;
    const int n = scandir(folder, &names, is_lines, by_number);
    enum ls_status status = LS_OK;
    for (int i = 0; i < n; i++) {
        if (status == LS_OK)
            status = read_lines(out, folder, names[i]->d_name, s, gpu, diags);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return status;
}

void timelines_free(struct timelines *t)
{
    for (u32 i = 0; i < t->n; i++)
        timeline_free(&t->all[i]);
    ls_free(t->all);
    *t = (struct timelines){0};
}
