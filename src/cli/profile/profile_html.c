/* profile_html.c - what was profiled as one HTML file: `lockstep report`, and `lockstep profile --html`. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/new_file.h"
#include "cli/profile/profile_command.h"
#include "cli/said.h"
#include "report/html/html.h"

bool profile_html_ready(struct profile *p) { return new_file_ready(p->self, p->html); }

/* ---- the comparison ---- */

static const char *compare(struct profile *p, struct arena *mem, const struct session *old, const struct session *newer,
                           struct baseline *b)
{
    const struct baseline_profile sides[BASELINE_SIDES] = {profile_side(mem, old, p->baseline),
                                                           profile_side(mem, newer, p->import ? p->import : p->html)};
    if (!baseline_make(mem, sides, b))
        return arena_printf(mem, "%s has no kernel in common with this run.", p->baseline);
    if (old->n && newer->n && strcmp(old->reports[0]->device, newer->reports[0]->device) != 0)
        return arena_printf(mem, "The older report is of another GPU: %s, not %s.", old->reports[0]->device,
                            newer->reports[0]->device);
    return NULL;
}

/* ---- the page ---- */

static const char *why_no_timeline(const struct profile *p)
{
    if (p->timelines.n)
        return NULL;
    if (p->no_timeline)
        return p->no_timeline;
    return p->import ? "A report file has no timeline: `lockstep report PROGRAM` records one."
                     : "No call was recorded.";
}

static const char *why_no_pictures(const struct profile *p, const struct session *s)
{
    for (u32 i = 0; i < s->n; i++)
        if (s->reports[i]->npictures)
            return NULL;
    return p->import ? "This report file has no addresses: `lockstep report PROGRAM` records them." : NULL;
}

/* Said where a kernel has none. */
static const char *why_no_machine(const struct profile *p)
{
    if (p->import)
        return "There is no SASS: the report file has none, because no ptxas was asked or the launch was not modelled.";
    if (said.ptxas && (!*said.ptxas || !strcmp(said.ptxas, "0")))
        return "There is no SASS: no ptxas was to be asked.";
    return "There is no SASS: no ptxas was found that takes the PTX (--ptxas names one), or the launch was not "
           "modelled.";
}

static bool write_page(struct profile *p, const struct html_report *r)
{
    struct new_file n;
    if (!new_file_open(&n, p->self, p->html))
        return false;
    const bool good = html_write(n.f, r);
    if (!good)
        fprintf(stderr, "%s: out of memory\n", p->self);
    return new_file_close(&n, good);
}

static bool write_all(struct profile *p, struct arena *mem, const struct session *s, const struct session *old)
{
    struct baseline b;
    struct html_report r = {.launches = profile_launches(mem, s),
                            .n = s->n,
                            .command = profile_command_text(p),
                            .version = LS_VERSION,
                            .folders = p->folders,
                            .timelines = p->timelines.all,
                            .ntimelines = p->timelines.n,
                            .no_timeline = why_no_timeline(p),
                            .no_pictures = why_no_pictures(p, s),
                            .no_machine = why_no_machine(p)};
    if (p->baseline) {
        r.baseline_note = compare(p, mem, old, s, &b);
        r.baseline = b.n ? &b : NULL;
        if (r.baseline_note)
            fprintf(stderr, "%s: %s\n", p->self, r.baseline_note);
    }
    return write_page(p, &r);
}

bool profile_html(struct profile *p, const struct session *s)
{
    struct arena mem = ARENA("page");
    struct session old = {0};
    int status;
    bool good = !p->baseline || profile_read(p, p->baseline, &old, &status);
    if (good && p->baseline && !old.n) {
        fprintf(stderr, "%s: %s holds no launch to compare with\n", p->self, p->baseline);
        good = false;
    }
    if (setjmp(mem.oom)) {
        fprintf(stderr, "%s: out of memory\n", p->self);
        good = false;
    } else if (good) {
        good = write_all(p, &mem, s, &old);
    }
    arena_free(&mem);
    session_free(&old);
    return good;
}
