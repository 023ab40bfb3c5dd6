/* check_sarif.c - findings as SARIF 2.1.0 (OASIS, 2020), the form in which code hosts take the results of analysers:
 * rules from findings.def; each result at its source line, with the other party, the launch and the allocation as
 * related locations. Where code has no source line, the host's call stands for it; where nothing has one, there is no
 * location. */
#include <inttypes.h>
#include <string.h>

#include "report/check/check_report.h"

#ifndef LS_VERSION
#define LS_VERSION "0"
#endif

enum { TEXT_MAX = 4096 };

static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_string("?");
}

static json_t *message(const char *s) { return json_pack("{s:o}", "text", text(s)); }

static const char *level(bool error) { return error ? "error" : "warning"; }

/* ---- rules ---- */

/* "out-of-bounds" as "OutOfBounds", which is what SARIF asks of a rule's name. */
static const char *pascal(const char *name, char *out, size_t size)
{
    size_t n = 0;
    bool first = true;
    for (; *name && n + 1 < size; name++) {
        if (*name != '-')
            out[n++] = first && *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
        first = *name == '-';
    }
    out[n] = 0;
    return out;
}

static json_t *rule_of(const struct finding_info *i)
{
    char name[80];
    return json_pack("{s:s, s:s, s:o, s:o, s:{s:s}, s:{s:[s]}}", "id", i->name, "name",
                     pascal(i->name, name, sizeof name), "shortDescription", message(i->title), "help",
                     message(i->remedy), "defaultConfiguration", "level", level(i->severity == SEVERITY_ERROR),
                     "properties", "tags", check_tool_name(i->tool));
}

static json_t *rules_of(void)
{
    json_t *a = json_array();
    for (u32 k = 0; k < FINDING_KINDS; k++)
        json_array_append_new(a, rule_of(finding_info((enum finding_kind)k)));
    return a;
}

/* ---- locations ---- */

static json_t *physical(const struct check_paths *paths, const char *file, u32 line, u32 column)
{
    char uri[TEXT_MAX];
    check_uri(paths, file, uri, sizeof uri);
    json_t *region = json_pack("{s:I}", "startLine", (json_int_t)line);
    if (column)
        json_object_set_new(region, "startColumn", json_integer(column));
    json_t *artifact = json_pack("{s:o}", "uri", text(uri));
    if (check_uri_relative(uri))
        json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
    return json_pack("{s:o, s:o}", "artifactLocation", artifact, "region", region);
}

static json_t *logical(const char *function)
{
    char bare[TEXT_MAX], whole[TEXT_MAX];
    return json_pack("[{s:o, s:o, s:s}]", "name", text(check_name(function, KERNEL_FUNCTION, bare, sizeof bare)),
                     "fullyQualifiedName", text(check_name(function, KERNEL_DEMANGLED, whole, sizeof whole)), "kind",
                     "function");
}

/* NULL: there is no source line. */
static json_t *location(const struct check_paths *paths, const char *function, const char *file, u32 line, u32 column)
{
    if (!file || !line)
        return NULL;
    json_t *o = json_pack("{s:o}", "physicalLocation", physical(paths, file, line, column));
    if (function)
        json_object_set_new(o, "logicalLocations", logical(function));
    return o;
}

static json_t *party_location(const struct check_paths *paths, const struct check_party *p)
{
    return location(paths, p->function ? p->function : p->kernel, p->file, p->line, p->column);
}

static json_t *call_location(const struct check_paths *paths, const struct check_call *c)
{
    const struct check_frame *f = check_site(c);
    return f ? location(paths, f->function, f->file, f->line, 0) : NULL;
}

/* Takes the location; NULL is left out. */
static void relate(json_t *all, json_t *where, const char *what)
{
    if (!where)
        return;
    json_object_set_new(where, "id", json_integer((json_int_t)json_array_size(all) + 1));
    json_object_set_new(where, "message", message(what));
    json_array_append_new(all, where);
}

static void LS_PRINTF(3, 4) add(char *out, size_t size, const char *fmt, ...)
{
    const size_t n = strlen(out);
    va_list args;
    va_start(args, fmt);
    vsnprintf(out + n, size - n, fmt, args);
    va_end(args);
}

static const char *party_text(const struct check_party *p, char *out, size_t size)
{
    *out = 0;
    add(out, size, "%s", p->does ? p->does : "access");
    if (p->value)
        add(out, size, " of %s", p->value);
    if (p->has_thread)
        add(out, size, " by thread (%u,%u,%u) in block (%u,%u,%u)", p->thread[0], p->thread[1], p->thread[2],
            p->block[0], p->block[1], p->block[2]);
    if (p->launched)
        add(out, size, " %s %s", p->has_thread ? "of" : "by", p->launched);
    return out;
}

static json_t *related(const struct check_paths *paths, const struct check_record *f)
{
    char other[TEXT_MAX];
    json_t *all = json_array();
    if (f->has_other)
        relate(all, party_location(paths, &f->other), party_text(&f->other, other, sizeof other));
    relate(all, call_location(paths, &f->made), "The memory was allocated here");
    relate(all, call_location(paths, &f->freed), "The memory was freed here");
    if (f->has_at && f->at.kernel)
        relate(all, call_location(paths, &f->call), "The kernel was launched here");
    return all;
}

/* ---- results ---- */

/* One more sentence of a message. */
static void add_sentence(char *out, size_t size, const char *sentence)
{
    const size_t n = strlen(out), length = strlen(sentence);
    const bool stop = length && sentence[length - 1] == '.';
    add(out, size, "%s%s%s", n ? " " : "", sentence, stop ? "" : ".");
}

static void result_text(const struct check_record *f, char *out, size_t size)
{
    char party[TEXT_MAX], first[TEXT_MAX], times[60];
    *out = 0;
    check_headline(f, first, sizeof first);
    if (f->has_at && (f->at.has_thread || f->at.launched))
        add(first, sizeof first, ": %s", party_text(&f->at, party, sizeof party));
    if (f->has_other)
        add(first, sizeof first, ", and %s", party_text(&f->other, party, sizeof party));
    add_sentence(out, size, first);
    for (u32 k = 0; k < f->ndetail; k++)
        add_sentence(out, size, f->detail[k]);
    snprintf(times, sizeof times, "Found %" PRIu64 " times", f->count);
    if (f->count > 1)
        add_sentence(out, size, times);
    if (f->remedy)
        add_sentence(out, size, f->remedy);
}

static json_t *result_of(const struct check_paths *paths, const struct check_record *f)
{
    char said[TEXT_MAX];
    enum finding_kind kind;
    result_text(f, said, sizeof said);
    json_t *o = json_pack("{s:s, s:s, s:o, s:I}", "ruleId", f->kind, "level", level(f->error), "message", message(said),
                          "occurrenceCount", (json_int_t)f->count);
    if (finding_by_name(f->kind, &kind))
        json_object_set_new(o, "ruleIndex", json_integer((json_int_t)kind));
    json_t *where = f->has_at ? party_location(paths, &f->at) : NULL;
    where = where ? where : call_location(paths, &f->call);
    where = where ? where : call_location(paths, &f->made);
    if (where)
        json_object_set_new(o, "locations", json_pack("[o]", where));
    json_t *others = related(paths, f);
    if (json_array_size(others))
        json_object_set(o, "relatedLocations", others);
    json_decref(others);
    return o;
}

static json_t *results_of(const struct check_report *r, const struct check_paths *paths)
{
    json_t *a = json_array();
    for (u32 k = 0; k < r->findings.len; k++)
        json_array_append_new(a, result_of(paths, r->findings.at[k]));
    return a;
}

static json_t *invocation_of(const struct check_report *r, int status)
{
    char line[TEXT_MAX] = "";
    for (u32 k = 0; k < r->command.len; k++)
        add(line, sizeof line, "%s%s", k ? " " : "", r->command.at[k]);
    json_t *o = json_pack("{s:b}", "executionSuccessful", status <= 0);
    if (status >= 0)
        json_object_set_new(o, "exitCode", json_integer(status));
    if (*line)
        json_object_set_new(o, "commandLine", text(line));
    return o;
}

bool check_sarif(FILE *out, const struct check_report *r, const struct check_paths *paths, int status)
{
    json_t *run = json_pack("{s:{s:{s:s, s:s, s:o}}, s:[o], s:o, s:s}", "tool", "driver", "name", "lockstep check",
                            "version", LS_VERSION, "rules", rules_of(), "invocations", invocation_of(r, status),
                            "results", results_of(r, paths), "columnKind", "unicodeCodePoints");
    json_t *o = run ? json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
                                "version", "2.1.0", "runs", run)
                    : NULL;
    const bool good = o && json_dumpf(o, out, JSON_INDENT(1)) == 0;
    json_decref(o);
    fputc('\n', out);
    return good && !ferror(out);
}
