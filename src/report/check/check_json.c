/* check_json.c - findings as one JSON object, and as the file that `lockstep check --read` reads.
 *
 *     {"version": 1, "command": ["./a"], "tools": ["memcheck"], "processes": [...],
 *      "findings": [the records, with function, file and line in each frame of the host],
 *      "summary": {"errors": 1, "warnings": 0, "by_kind": {"out-of-bounds": 1}}} */
#include <string.h>

#include "report/check/check_report.h"

/* Texts of a command line may be in any encoding. */
static json_t *text(const char *s)
{
    json_t *j = json_string(s);
    return j ? j : json_string("?");
}

static json_t *command_of(const struct check_report *r)
{
    json_t *a = json_array();
    for (u32 k = 0; k < r->command.len; k++)
        json_array_append_new(a, text(r->command.at[k]));
    return a;
}

static json_t *tools_of(unsigned tools)
{
    json_t *a = json_array();
    for (unsigned t = 1; t <= CHECK_SCHEDULES; t <<= 1)
        if (tools & t)
            json_array_append_new(a, json_string(check_tool_name((enum check_tool)t)));
    return a;
}

static json_t *process_of(const struct check_process *p)
{
    json_t *o = json_pack("{s:I, s:b}", "pid", (json_int_t)p->pid, "ended", p->ended);
    if (p->program)
        json_object_set_new(o, "program", text(p->program));
    if (p->gpu)
        json_object_set_new(o, "gpu", text(p->gpu));
    return o;
}

static json_t *processes_of(const struct check_report *r)
{
    json_t *a = json_array();
    for (u32 k = 0; k < r->processes.len; k++)
        json_array_append_new(a, process_of(&r->processes.at[k]));
    return a;
}

/* The record without what only its file needs: its type and its number there. */
static json_t *finding_of(const struct check_report *r, const struct check_record *f)
{
    json_t *o = json_copy(f->json);
    json_object_del(o, "type");
    json_object_del(o, "id");
    if (f->process < r->processes.len)
        json_object_set_new(o, "pid", json_integer((json_int_t)r->processes.at[f->process].pid));
    return o;
}

static json_t *findings_of(const struct check_report *r)
{
    json_t *a = json_array();
    for (u32 k = 0; k < r->findings.len; k++)
        json_array_append_new(a, finding_of(r, r->findings.at[k]));
    return a;
}

static json_t *summary_of(const struct check_report *r)
{
    json_t *kinds = json_object();
    const u32 errors = check_report_errors(r);
    for (u32 k = 0; k < r->findings.len; k++) {
        const char *kind = r->findings.at[k]->kind;
        const json_int_t n = json_integer_value(json_object_get(kinds, kind));
        json_object_set_new(kinds, kind, json_integer(n + 1));
    }
    return json_pack("{s:I, s:I, s:o}", "errors", (json_int_t)errors, "warnings",
                     (json_int_t)(r->findings.len - errors), "by_kind", kinds);
}

bool check_json(FILE *out, const struct check_report *r, unsigned tools)
{
    json_t *o =
        json_pack("{s:i, s:o, s:o, s:o, s:o, s:o}", "version", 1, "command", command_of(r), "tools", tools_of(tools),
                  "processes", processes_of(r), "findings", findings_of(r), "summary", summary_of(r));
    const bool good = o && json_dumpf(o, out, JSON_INDENT(1)) == 0;
    json_decref(o);
    fputc('\n', out);
    return good && !ferror(out);
}

/* ---- the file for --read ---- */

static bool put_line(FILE *out, json_t *o)
{
    const bool good = o && json_dumpf(o, out, JSON_COMPACT) == 0;
    json_decref(o);
    fputc('\n', out);
    return good;
}

static json_t *with_type(json_t *o, const char *type)
{
    if (o)
        json_object_set_new(o, "type", json_string(type));
    return o;
}

static json_t *end_of(const struct check_process *p)
{
    json_t *o = json_pack("{s:s, s:I}", "type", "end", "pid", (json_int_t)p->pid);
    if (p->counted) {
        json_object_set_new(o, "launches", json_integer((json_int_t)p->launches));
        json_object_set_new(o, "passed_over", json_integer((json_int_t)p->passed_over));
    }
    return o;
}

static bool save_process(FILE *out, const struct check_report *r, u32 process)
{
    const struct check_process *p = &r->processes.at[process];
    json_t *o = with_type(process_of(p), "process");
    json_object_set_new(o, "tools", tools_of(r->tools));
    bool good = put_line(out, o);
    for (u32 k = 0; k < r->findings.len; k++)
        if (r->findings.at[k]->process == process) {
            o = with_type(json_copy(r->findings.at[k]->json), "finding");
            json_object_set_new(o, "id", json_integer((json_int_t)k + 1));
            good &= put_line(out, o);
        }
    return p->ended ? good & put_line(out, end_of(p)) : good;
}

bool check_save(FILE *out, const struct check_report *r)
{
    bool good =
        put_line(out, json_pack("{s:s, s:i, s:o}", "type", "check-report", "version", 1, "command", command_of(r)));
    for (u32 k = 0; k < r->processes.len; k++)
        good &= save_process(out, r, k);
    return good && !ferror(out);
}
