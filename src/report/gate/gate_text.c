/* gate_text.c - what changed since a baseline, as text for people, and as a table in Markdown for a pull request. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/gate/gate.h"
#include "report/limit.h"

/* ---- words that all printers share ---- */

const char *gate_verdict_name(enum gate_verdict v)
{
    static const char *const names[GATE_VERDICTS] = {"same", "same", "changed", "new", "gone"};
    return names[v];
}

const char *gate_shape(struct arena *mem, const struct gate_kernel *k)
{
    if (k->copies)
        return "";
    return arena_printf(mem, "grid %ux%ux%u block %ux%ux%u", k->grid[0], k->grid[1], k->grid[2], k->block[0],
                        k->block[1], k->block[2]);
}

const char *gate_where(struct arena *mem, const struct gate_cause *c)
{
    const struct gate_line *l = c->line.now ? c->line.now : c->line.old;
    if (c->path)
        return arena_printf(mem, "%s:%u", c->place_text, c->place_line);
    if (!l)
        return NULL;
    if (!l->file)
        return arena_printf(mem, "PTX line %u (compile with -lineinfo for source lines)", l->line);
    return arena_printf(mem, "%s:%u%s", l->file, l->line, c->line.now ? "" : " of the baseline");
}

const char *gate_number(struct arena *mem, double v)
{
    char text[48];
    limit_number(v, text);
    return arena_printf(mem, "%s", text);
}

const char *gate_percent(struct arena *mem, const struct gate_change *c)
{
    if (c->was == 0)
        return "from none";
    const double pct = 100 * (c->is / c->was - 1);
    return fabs(pct) < 0.05 ? arena_printf(mem, "%+.3g %%", pct) : arena_printf(mem, "%+.1f %%", pct);
}

static const struct gate_kernel *kernel_of(const struct gate_pair *p) { return p->now ? p->now : p->old; }

static const char *label(const struct gate_change *c) { return gate_metric_info(c->metric)->label; }

/* "DRAM Bandwidth before, Shared Memory now"; NULL: it is as it was, or not known. */
static const char *limit_moved(struct arena *mem, const struct gate_pair *p)
{
    if (!p->old || !p->now || !p->old->limit || !p->now->limit || !strcmp(p->old->limit, p->now->limit))
        return NULL;
    return arena_printf(mem, "%s, was %s", p->now->limit, p->old->limit);
}

/* ---- text ---- */

static void put_causes(FILE *out, struct arena *mem, const struct gate_pair *p)
{
    for (u32 i = 0; i < p->ncauses; i++) {
        const struct gate_cause *c = &p->causes[i];
        const char *where = gate_where(mem, c);
        const struct gate_line *l = c->path ? NULL : c->line.now ? c->line.now : c->line.old;
        fprintf(out, "  %-10s [%s] %s. %s\n", i ? "and" : "because", c->id, c->text, c->todo);
        if (where)
            fprintf(out, "  %-10s %s%s%s\n", "at", where, l && l->text ? "  | " : "", l && l->text ? l->text : "");
        if (l && gate_metric_info(c->metric)->by_line)
            fprintf(out, "  %-10s %s of that line: %s, were %s\n", "", gate_metric_info(c->metric)->label,
                    gate_number(mem, c->line.now ? c->line.now->v[c->metric] : 0),
                    gate_number(mem, c->line.old ? c->line.old->v[c->metric] : 0));
    }
}

static void put_changes(FILE *out, struct arena *mem, const struct gate_pair *p, bool failing)
{
    for (u32 i = 0; i < p->nchanges; i++) {
        const struct gate_change *c = &p->changes[i];
        if (c->fails == failing)
            fprintf(out, "  %-10s %-32s %15s -> %-15s %s\n", failing ? "changed" : "told", label(c),
                    gate_number(mem, c->was), gate_number(mem, c->is), gate_percent(mem, c));
    }
}

static void put_pair(FILE *out, struct arena *mem, const struct gate_pair *p)
{
    static const char *const heads[GATE_VERDICTS] = {"", "same", "CHANGED", "NEW", "GONE"};
    const struct gate_kernel *k = kernel_of(p);
    const char *limit = limit_moved(mem, p);
    fprintf(out, "%-8s%s%s  %s\n", heads[p->verdict], k->copies ? "copies " : "", k->name, gate_shape(mem, k));
    if (p->verdict == GATE_NEW || p->verdict == GATE_GONE)
        return;
    if (p->verdict == GATE_CHANGED)
        put_causes(out, mem, p);
    put_changes(out, mem, p, true);
    put_changes(out, mem, p, false);
    if (limit)
        fprintf(out, "  %-10s nearest limit: %s\n", "told", limit);
}

/* "3 kernels: 2 as in the baseline, 1 changed" */
static const char *summary(struct arena *mem, const struct gate_result *r)
{
    const char *text = arena_printf(mem, "%u as in the baseline", r->count[GATE_SAME] + r->count[GATE_MOVED]);
    for (u32 v = GATE_CHANGED; v < GATE_VERDICTS; v++)
        if (r->count[v])
            text = arena_printf(mem, "%s, %u %s", text, r->count[v], gate_verdict_name((enum gate_verdict)v));
    return text;
}

void gate_text(FILE *out, struct arena *mem, const struct gate_result *r, bool told)
{
    for (u32 i = 0; i < r->nnotes; i++)
        fprintf(out, "note: %s\n", r->notes[i]);
    for (u32 v = GATE_VERDICTS; v-- > (told ? GATE_MOVED : GATE_CHANGED);)
        for (u32 i = 0; i < r->n; i++)
            if (r->pairs[i].verdict == (enum gate_verdict)v)
                put_pair(out, mem, &r->pairs[i]);
    if (r->count[GATE_MOVED] && !told)
        fprintf(out, "note: of %u that count as the same, machine code or what a model says differs (--told)\n",
                r->count[GATE_MOVED]);
    fprintf(out, "%s: %s\n", r->old->file, summary(mem, r));
}

/* ---- Markdown ---- */

/* A cell of a table: | ends one, and < begins a tag. */
static const char *cell(struct arena *mem, const char *text)
{
    char *out = arena_alloc(mem, 5 * strlen(text) + 1), *to = out;
    for (; *text; text++) {
        if (*text == '<')
            to = stpcpy(to, "&lt;");
        else if (*text == '|')
            to = stpcpy(to, "\\|");
        else
            *to++ = *text;
    }
    return out;
}

enum { TOLD_MOST = 4 };

static const char *changes_cell(struct arena *mem, const struct gate_pair *p)
{
    const char *text = "";
    u32 n = 0, more = 0;
    for (u32 i = 0; i < p->nchanges; i++) {
        const struct gate_change *c = &p->changes[i];
        if (!c->fails)
            continue;
        if (n++ >= TOLD_MOST) {
            more++;
            continue;
        }
        text = arena_printf(mem, "%s%s%s %s → %s (%s)", text, n > 1 ? "<br>" : "", label(c), gate_number(mem, c->was),
                            gate_number(mem, c->is), gate_percent(mem, c));
    }
    return more ? arena_printf(mem, "%s<br>and %u more", text, more) : text;
}

static const char *cause_cell(struct arena *mem, const struct gate_pair *p)
{
    const char *text = "";
    for (u32 i = 0; i < p->ncauses; i++)
        text = arena_printf(mem, "%s%s**%s**: %s. %s", text, i ? "<br>" : "", p->causes[i].id,
                            cell(mem, p->causes[i].text), p->causes[i].todo);
    return text;
}

static const char *place_cell(struct arena *mem, const struct gate_pair *p)
{
    const struct gate_cause *c = p->ncauses ? &p->causes[0] : NULL;
    const char *where = c ? gate_where(mem, c) : NULL;
    const struct gate_line *l = !c || c->path ? NULL : c->line.now ? c->line.now : c->line.old;
    if (!where)
        return "";
    return arena_printf(mem, "%s%s%s%s", where, l && l->text ? "<br><code>" : "",
                        l && l->text ? cell(mem, l->text) : "", l && l->text ? "</code>" : "");
}

static void put_row(FILE *out, struct arena *mem, const struct gate_pair *p)
{
    const struct gate_kernel *k = kernel_of(p);
    const char *limit = limit_moved(mem, p);
    fprintf(out, "| %s<br>%s | %s | %s | %s | %s | %s |\n", cell(mem, k->name), gate_shape(mem, k),
            gate_verdict_name(p->verdict), changes_cell(mem, p), place_cell(mem, p), limit ? limit : "",
            cause_cell(mem, p));
}

void gate_markdown(FILE *out, struct arena *mem, const struct gate_result *r)
{
    fprintf(out, "### lockstep gate: %s\n\n", summary(mem, r));
    for (u32 i = 0; i < r->nnotes; i++)
        fprintf(out, "Note: %s.\n\n", r->notes[i]);
    if (!gate_changed(r))
        return;
    fputs("| kernel | | what changed | where | nearest limit (modelled) | probable cause |\n"
          "| --- | --- | --- | --- | --- | --- |\n",
          out);
    for (u32 v = GATE_CHANGED; v < GATE_VERDICTS; v++)
        for (u32 i = 0; i < r->n; i++)
            if (r->pairs[i].verdict == (enum gate_verdict)v)
                put_row(out, mem, &r->pairs[i]);
    fputs("\nAccept with `lockstep gate update`.\n", out);
}
