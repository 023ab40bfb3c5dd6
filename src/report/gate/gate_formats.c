/* gate_formats.c - what changed since a baseline for other programs: JUnit's XML, JSON, and SARIF 2.1.0 for code hosts. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "report/gate/gate.h"

static const struct gate_kernel *kernel_of(const struct gate_pair *p) { return p->now ? p->now : p->old; }

static bool is_failure(const struct gate_pair *p) { return p->verdict >= GATE_CHANGED; }

/* "bank conflicts: ...; shared load wavefronts 1,024 -> 32,768" */
static const char *sentence(struct arena *mem, const struct gate_pair *p)
{
    if (p->verdict == GATE_NEW)
        return "the baseline does not have this kernel";
    if (p->verdict == GATE_GONE)
        return "the baseline has this kernel, and it was not launched";
    const char *text = p->ncauses ? p->causes[0].text : "its numbers changed";
    for (u32 i = 0; i < p->nchanges; i++)
        if (p->changes[i].fails)
            text = arena_printf(mem, "%s; %s %s -> %s", text, gate_metric_info(p->changes[i].metric)->label,
                                gate_number(mem, p->changes[i].was), gate_number(mem, p->changes[i].is));
    return text;
}

/* ---- JUnit ---- */

static void put_xml(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc((u8)*text < ' ' ? '?' : *text, out);
}

static void put_case(FILE *out, struct arena *mem, const struct gate_pair *p)
{
    const struct gate_kernel *k = kernel_of(p);
    const char *where = p->ncauses ? gate_where(mem, &p->causes[0]) : NULL;
    fputs("  <testcase classname=\"lockstep gate\" name=\"", out);
    put_xml(out, arena_printf(mem, "%s%s%s%s", k->copies ? "copies " : "", k->name, k->copies ? "" : " ",
                              gate_shape(mem, k)));
    if (!is_failure(p)) {
        fputs("\"/>\n", out);
        return;
    }
    fprintf(out, "\">\n    <failure type=\"%s\" message=\"",
            p->ncauses ? p->causes[0].id : gate_verdict_name(p->verdict));
    put_xml(out, sentence(mem, p));
    fputs("\">", out);
    put_xml(out, where ? where : "");
    fputs("</failure>\n  </testcase>\n", out);
}

void gate_junit(FILE *out, struct arena *mem, const struct gate_result *r)
{
    const u32 failures = r->count[GATE_CHANGED] + r->count[GATE_NEW] + r->count[GATE_GONE];
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"lockstep gate\" tests=\"%u\" "
            "failures=\"%u\">\n",
            r->n, failures);
    for (u32 i = 0; i < r->n; i++)
        put_case(out, mem, &r->pairs[i]);
    fputs("</testsuite>\n", out);
}

/* ---- JSON ---- */

static json_t *text(const char *s)
{
    json_t *j = s ? json_string(s) : json_null();
    return j ? j : json_string("?");
}

static json_t *number(double v) { return isfinite(v) ? json_real(v) : json_null(); }

static json_t *changes_of(const struct gate_pair *p)
{
    json_t *all = json_array();
    for (u32 i = 0; i < p->nchanges; i++) {
        const struct gate_change *c = &p->changes[i];
        json_array_append_new(all, json_pack("{s:s, s:s, s:o, s:o, s:b}", "metric", gate_metric_info(c->metric)->name,
                                             "label", gate_metric_info(c->metric)->label, "baseline", number(c->was),
                                             "now", number(c->is), "fails", c->fails));
    }
    return all;
}

static json_t *place_of(const struct gate_cause *c)
{
    const struct gate_line *l = c->line.now ? c->line.now : c->line.old;
    if (c->path)
        return json_pack("{s:o, s:i, s:b}", "file", text(c->place_text), "line", (int)c->place_line, "launch", 1);
    if (!l)
        return json_null();
    return json_pack("{s:o, s:i, s:o, s:b, s:s, s:o, s:o}", "file", text(l->file), "line", (int)l->line, "text",
                     text(l->text), "of_baseline", !c->line.now, "metric", gate_metric_info(c->metric)->name,
                     "baseline", number(c->line.old ? c->line.old->v[c->metric] : 0), "now",
                     number(c->line.now ? c->line.now->v[c->metric] : 0));
}

static json_t *causes_of(const struct gate_pair *p)
{
    json_t *all = json_array();
    for (u32 i = 0; i < p->ncauses; i++)
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:s, s:o}", "id", p->causes[i].id, "text", text(p->causes[i].text),
                                        "todo", p->causes[i].todo, "at", place_of(&p->causes[i])));
    return all;
}

static json_t *limit_of(const struct gate_kernel *k) { return text(k ? k->limit : NULL); }

static json_t *pair_of(struct arena *mem, const struct gate_pair *p)
{
    const struct gate_kernel *k = kernel_of(p);
    return json_pack("{s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o}", "kernel", text(k->name), "shape",
                     text(gate_shape(mem, k)), "copies", k->copies, "verdict", gate_verdict_name(p->verdict), "changes",
                     changes_of(p), "causes", causes_of(p), "limit", limit_of(p->now), "baseline_limit",
                     limit_of(p->old));
}

bool gate_json(FILE *out, struct arena *mem, const struct gate_result *r)
{
    json_t *kernels = json_array(), *notes = json_array();
    for (u32 i = 0; i < r->n; i++)
        json_array_append_new(kernels, pair_of(mem, &r->pairs[i]));
    for (u32 i = 0; i < r->nnotes; i++)
        json_array_append_new(notes, text(r->notes[i]));
    json_t *o = json_pack("{s:i, s:o, s:b, s:o, s:o}", "version", 1, "baseline", text(r->old->file), "changed",
                          gate_changed(r), "notes", notes, "kernels", kernels);
    const bool good = o && json_dumpf(o, out, JSON_INDENT(1) | JSON_REAL_PRECISION(15)) == 0;
    json_decref(o);
    fputc('\n', out);
    return good && !ferror(out);
}

/* ---- SARIF ---- */

static json_t *message(const char *s) { return json_pack("{s:o}", "text", text(s)); }

/* NULL: no line of the sources as they are now. */
static json_t *location_of(const struct gate_pair *p, const struct check_paths *paths)
{
    char uri[4096];
    const struct gate_cause *c = p->ncauses ? &p->causes[0] : NULL;
    const struct gate_line *l = c ? c->line.now : NULL;
    const char *path = !c ? NULL : c->path ? c->path : l ? l->path : NULL;
    if (!path)
        return NULL;
    check_uri(paths, path, uri, sizeof uri);
    return json_pack("{s:{s:{s:o}, s:{s:i}}}", "physicalLocation", "artifactLocation", "uri", text(uri), "region",
                     "startLine", (int)(c->path ? c->place_line : l->line));
}

static json_t *result_of(struct arena *mem, const struct gate_pair *p, const struct check_paths *paths)
{
    const char *said = arena_printf(mem, "%s: %s", kernel_of(p)->name, sentence(mem, p));
    json_t *at = location_of(p, paths);
    json_t *o = json_pack("{s:s, s:s, s:o}", "ruleId", p->ncauses ? p->causes[0].id : gate_verdict_name(p->verdict),
                          "level", "warning", "message", message(said));
    if (at)
        json_object_set_new(o, "locations", json_pack("[o]", at));
    return o;
}

bool gate_sarif(FILE *out, struct arena *mem, const struct gate_result *r, const struct check_paths *paths)
{
    json_t *results = json_array();
    for (u32 i = 0; i < r->n; i++)
        if (is_failure(&r->pairs[i]))
            json_array_append_new(results, result_of(mem, &r->pairs[i], paths));
    json_t *o =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s}}, s:o}]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
                  "version", "2.1.0", "runs", "tool", "driver", "name", "lockstep gate", "version",
                  r->now->version ? r->now->version : "0", "results", results);
    const bool good = o && json_dumpf(o, out, JSON_INDENT(1)) == 0;
    json_decref(o);
    fputc('\n', out);
    return good && !ferror(out);
}
