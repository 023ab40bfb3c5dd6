/* profile_html.c - what was profiled as one HTML file: `lockstep report`, and `lockstep profile --html`. The file is written beside
 * its name and then put in its place, so that a page is never half written. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/profile/profile_command.h"
#include "cli/said.h"
#include "report/html/html.h"

/* Whether the name is that of something else than a file (/dev/stdout), which is written to directly. */
static bool is_special(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static bool complain(const struct profile *p)
{
    fprintf(stderr, "%s: cannot write %s: %s\n", p->self, p->html, strerror(errno));
    return false;
}

static const char *place_of(struct arena *mem, const struct profile *p)
{
    return is_special(p->html) ? p->html : arena_printf(mem, "%s.new", p->html);
}

bool profile_html_ready(struct profile *p)
{
    const char *path = place_of(&p->mem, p);
    FILE *f = fopen(path, "we");
    if (!f)
        return complain(p);
    fclose(f);
    if (path != p->html)
        unlink(path);
    return true;
}

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

static bool write_page(struct profile *p, struct arena *mem, const struct html_report *r)
{
    const char *path = place_of(mem, p);
    FILE *f = fopen(path, "we");
    if (!f)
        return complain(p);
    bool good = html_write(f, r);
    if (!good)
        fprintf(stderr, "%s: out of memory\n", p->self);
    else if (fflush(f) || ferror(f))
        good = complain(p);
    if (fclose(f) && good)
        good = complain(p);
    if (path == p->html)
        return good;
    if (good && rename(path, p->html))
        good = complain(p);
    if (!good)
        unlink(path);
    return good;
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
    }
    return write_page(p, mem, &r);
}

bool profile_html(struct profile *p, const struct session *s)
{
    struct arena mem = ARENA("page");
    struct session old = {0};
    int status;
    bool good = !p->baseline || profile_read(p, p->baseline, &old, &status);
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
