/* breakpoints.c - the editor's breakpoints. It tells all of a group each time (of a file, of functions, ...): those that were
 * there are deleted, and made anew.
 *
 * What a data breakpoint is on, is told as text: SPACE:ADDRESS:SIZE:BLOCK:WARP:LANE. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/debug/dap/dap.h"

enum { GROUP_MOST = 4096 };

/* ---- the list ---- */

struct dap_breakpoint *breakpoint_by_number(const struct dap *d, u32 number)
{
    struct dap_breakpoint *b = d->breakpoints;
    while (b && b->number != number)
        b = b->next;
    return b;
}

static char *copy(const char *text)
{
    char *out = text ? ls_realloc(NULL, strlen(text) + 1) : NULL;
    if (out)
        memcpy(out, text, strlen(text) + 1);
    return out;
}

static bool keep(struct dap *d, enum breakpoint_group group, u32 number, const char *source, const char *log)
{
    struct dap_breakpoint *b = ls_calloc(1, sizeof *b + strlen(source) + 1);
    if (!b)
        return false;
    *b = (struct dap_breakpoint){.next = d->breakpoints, .group = group, .number = number, .log = copy(log)};
    memcpy(b->source, source, strlen(source) + 1);
    d->breakpoints = b;
    return true;
}

static void remove_group(struct dap *d, enum breakpoint_group group, const char *source)
{
    for (struct dap_breakpoint **at = &d->breakpoints, *b; (b = *at);) {
        if (b->group != group || strcmp(b->source, source) != 0) {
            at = &b->next;
            continue;
        }
        session_delete(d->session, b->number);
        *at = b->next;
        ls_free(b->log);
        ls_free(b);
    }
}

void breakpoints_free(struct dap *d)
{
    for (struct dap_breakpoint *b = d->breakpoints, *next; b; b = next) {
        next = b->next;
        ls_free(b->log);
        ls_free(b);
    }
    d->breakpoints = NULL;
}

/* ---- what the editor is told ---- */

static json_t *tell(const struct dap *d, u32 number)
{
    const struct session_breakpoint *b = session_breakpoint(d->session, number);
    json_t *out = json_pack("{s:I, s:b}", "id", (json_int_t)number, "verified", b && !b->pending);
    if (b && b->pending)
        json_object_set_new(out, "message", json_string("no kernel that is loaded has code there yet"));
    if (!b || !b->nplaces || b->spec.kind == SESSION_AT_WATCH)
        return out;
    if (b->places[0].line.line)
        json_object_set_new(out, "line", json_integer(dap_line(d, b->places[0].line.line)));
    if (b->places[0].at.func)
        json_object_set_new(out, "instructionReference", instruction_reference(d, b->places[0].at));
    return out;
}

static json_t *tell_failed(const char *why) { return json_pack("{s:b, s:o}", "verified", 0, "message", text_of(why)); }

void breakpoint_changed(struct dap *d, u32 number)
{
    const struct dap_breakpoint *b = breakpoint_by_number(d, number);
    if (b && b->group != GROUP_EXCEPTION)
        dap_event(d, "breakpoint", json_pack("{s:s, s:o}", "reason", "changed", "breakpoint", tell(d, number)));
}

/* ---- making one ---- */

/* "3" and ">= 3": from the third hit on; "> 3": from the fourth. */
static bool read_hits(const char *text, u32 *ignore)
{
    u64 n;
    text += strspn(text, " ");
    const bool above = text[0] == '>' && text[1] != '=';
    text += above ? 1 : strncmp(text, ">=", 2) == 0 ? 2 : 0;
    if (!read_number(text + strspn(text, " "), &n) || n > UINT32_MAX || (!above && !n))
        return false;
    *ignore = (u32)(above ? n : n - 1);
    return true;
}

/* The members that all kinds have; then the breakpoint. */
static json_t *make(struct dap *d, enum breakpoint_group group, const json_t *one, const char *source,
                    struct session_breakpoint_spec *spec)
{
    const char *condition, *hits, *log;
    char why[DAP_WHY] = "";
    u32 number;
    if (!argument_text(one, "condition", "", &condition, why) || !argument_text(one, "hitCondition", "", &hits, why) ||
        !argument_text(one, "logMessage", "", &log, why))
        return tell_failed(why);
    spec->condition = condition[0] ? condition : NULL;
    if (hits[0] && !read_hits(hits, &spec->ignore))
        return tell_failed("the hit count is a number, \">= N\" or \"> N\"");
    if (!session_break(d->session, spec, &number))
        return tell_failed(session_error(d->session));
    if (!keep(d, group, number, source, log[0] ? log : NULL)) {
        session_delete(d->session, number);
        return tell_failed("out of memory");
    }
    return tell(d, number);
}

typedef json_t *make_one(struct dap *d, const json_t *one, const char *source);

static json_t *set_group(struct dap *d, const json_t *arguments, const char *source, enum breakpoint_group group,
                         make_one *f, char why[DAP_WHY])
{
    const json_t *list;
    size_t i;
    json_t *one, *out;
    if (!argument_list(arguments, "breakpoints", &list, why))
        return NULL;
    if (json_array_size(list) > GROUP_MOST)
        return dap_fail(why, "that is more than %d breakpoints", GROUP_MOST);
    remove_group(d, group, source);
    out = json_array();
    json_array_foreach((json_t *)list, i, one)
        json_array_append_new(out, d->no_debug ? tell_failed("it runs without debugging") : f(d, one, source));
    return json_pack("{s:o}", "breakpoints", out);
}

/* ---- lines, functions, instructions ---- */

static json_t *make_line(struct dap *d, const json_t *one, const char *source)
{
    char why[DAP_WHY] = "", place[4200];
    struct session_breakpoint_spec spec = {.kind = SESSION_AT_PLACE, .place = place};
    u64 line;
    if (!argument_number(one, "line", 0, INT32_MAX, &line, why))
        return tell_failed(why);
    if (!(line += d->lines_from_0))
        return tell_failed("there is no line 0");
    snprintf(place, sizeof place, "%s:%" PRIu64, source, line);
    return make(d, GROUP_SOURCE, one, source, &spec);
}

/* A line of PTX; source: its text's number. */
static json_t *make_text_line(struct dap *d, const json_t *one, const char *source)
{
    char why[DAP_WHY] = "", place[1200];
    struct session_breakpoint_spec spec = {.kind = SESSION_AT_PLACE, .place = place};
    struct debug_place at;
    u64 line, text;
    if (!argument_number(one, "line", 0, INT32_MAX, &line, why))
        return tell_failed(why);
    if (!read_number(source, &text) || !text_line_place(d, text, (u32)line + d->lines_from_0, &at))
        return tell_failed("there is no instruction from this line on");
    snprintf(place, sizeof place, "*%s+%u", at.func->name, at.inst);
    return make(d, GROUP_TEXT, one, source, &spec);
}

json_t *request_set_breakpoints(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    const json_t *source = json_object_get(arguments, "source");
    const char *path;
    char text[32];
    u64 reference;
    if (!json_is_object(source))
        return dap_fail(why, "source: an object is wanted");
    if (!argument_number(source, "sourceReference", 0, UINT32_MAX, &reference, why))
        return NULL;
    if (reference) {
        snprintf(text, sizeof text, "%" PRIu64, reference);
        return set_group(d, arguments, text, GROUP_TEXT, make_text_line, why);
    }
    if (!argument_text(source, "path", NULL, &path, why))
        return NULL;
    if (strlen(path) > 4096)
        return dap_fail(why, "the path is too long");
    return set_group(d, arguments, path, GROUP_SOURCE, make_line, why);
}

static json_t *make_function(struct dap *d, const json_t *one, const char *source)
{
    char why[DAP_WHY] = "";
    struct session_breakpoint_spec spec = {.kind = SESSION_AT_PLACE};
    return argument_text(one, "name", NULL, &spec.place, why) ? make(d, GROUP_FUNCTION, one, source, &spec)
                                                              : tell_failed(why);
}

json_t *request_set_function_breakpoints(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return set_group(d, arguments, "", GROUP_FUNCTION, make_function, why);
}

static json_t *make_instruction(struct dap *d, const json_t *one, const char *source)
{
    char why[DAP_WHY] = "", place[1200];
    struct session_breakpoint_spec spec = {.kind = SESSION_AT_PLACE, .place = place};
    const json_t *offset = json_object_get(one, "offset");
    const char *reference;
    struct debug_place at;
    if (!argument_text(one, "instructionReference", NULL, &reference, why))
        return tell_failed(why);
    if (!instruction_place(d, reference, json_integer_value(offset), &at))
        return tell_failed("there is no such instruction");
    snprintf(place, sizeof place, "*%s+%u", at.func->name, at.inst);
    return make(d, GROUP_INSTRUCTION, one, source, &spec);
}

json_t *request_set_instruction_breakpoints(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return set_group(d, arguments, "", GROUP_INSTRUCTION, make_instruction, why);
}

/* ---- exceptions ---- */

#define FILTERS "the filters are fault, divergence, banks, memcheck, racecheck, initcheck and synccheck"

static const struct {
    const char *name;
    u32 bit;
} filter_names[] = {{"fault", EXCEPTION_FAULT},         {"divergence", EXCEPTION_DIVERGENCE},
                    {"banks", EXCEPTION_BANKS},         {"memcheck", EXCEPTION_MEMCHECK},
                    {"racecheck", EXCEPTION_RACECHECK}, {"initcheck", EXCEPTION_INITCHECK},
                    {"synccheck", EXCEPTION_SYNCCHECK}};

static bool filter_bit(const char *name, u32 *bits)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(filter_names); i++)
        if (name && strcmp(filter_names[i].name, name) == 0) {
            *bits |= filter_names[i].bit;
            return true;
        }
    return false;
}

/* The tools listen from where CUDA starts: what is switched on later waits for the next start. */
static bool make_findings(struct dap *d)
{
    char tools[80] = "";
    for (u32 i = 0; i < LS_ARRAY_LEN(filter_names); i++)
        if (d->exceptions & EXCEPTION_FINDING & filter_names[i].bit)
            snprintf(tools + strlen(tools), sizeof tools - strlen(tools), "%s%s", tools[0] ? "," : "",
                     filter_names[i].name);
    const struct session_breakpoint_spec spec = {.kind = SESSION_AT_FINDING, .place = tools};
    u32 number;
    if (!tools[0])
        return true;
    if (!session_break(d->session, &spec, &number))
        return false;
    if (session_state(d->session) != SESSION_NONE && session_breakpoint(d->session, number)->pending && d->begun)
        dap_say(d, "The tools of lockstep check listen from where CUDA starts: start the program again.");
    return keep(d, GROUP_EXCEPTION, number, "", NULL);
}

static bool make_exception(struct dap *d, enum session_breakpoint_kind kind, u64 more)
{
    const struct session_breakpoint_spec spec = {.kind = kind, .more = (u32)more};
    u32 number;
    return session_break(d->session, &spec, &number) && keep(d, GROUP_EXCEPTION, number, "", NULL);
}

static bool read_filters(const json_t *arguments, u32 *bits, u64 *more, char why[DAP_WHY])
{
    const json_t *filters = json_object_get(arguments, "filters"), *options;
    size_t i;
    json_t *one;
    *bits = 0;
    *more = 1;
    if (!argument_list(arguments, "filterOptions", &options, why))
        return false;
    json_array_foreach((json_t *)filters, i, one)
        if (!filter_bit(json_string_value(one), bits))
            return dap_fail(why, FILTERS);
    json_array_foreach((json_t *)options, i, one) {
        const char *id = json_string_value(json_object_get(one, "filterId"));
        const char *passes = json_string_value(json_object_get(one, "condition"));
        if (!filter_bit(id, bits))
            return dap_fail(why, FILTERS);
        if (passes && passes[0] && (strcmp(id, "banks") != 0 || !read_number(passes, more) || *more > 32))
            return dap_fail(why, "a condition is a number of passes, and for bank conflicts alone");
    }
    return true;
}

json_t *request_set_exception_breakpoints(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    u32 bits;
    u64 more;
    if (!read_filters(arguments, &bits, &more, why))
        return NULL;
    remove_group(d, GROUP_EXCEPTION, "");
    d->exceptions = d->no_debug ? 0 : bits;
    if (d->exceptions & EXCEPTION_DIVERGENCE && !make_exception(d, SESSION_AT_DIVERGENCE, 0))
        return dap_failed(d, why);
    if (d->exceptions & EXCEPTION_BANKS && !make_exception(d, SESSION_AT_BANKS, more))
        return dap_failed(d, why);
    if (d->exceptions & EXCEPTION_MEMCHECK)
        d->exceptions |= EXCEPTION_FAULT; /* what memcheck finds first ends the kernel */
    return make_findings(d) ? json_object() : dap_failed(d, why);
}

/* ---- data ---- */

static const struct {
    enum ptx_space space;
    const char *name;
} spaces[] = {{SPACE_GLOBAL, "global"}, {SPACE_NONE, "generic"}, {SPACE_SHARED, "shared"}, {SPACE_LOCAL, "local"}};

static const char *space_name(enum ptx_space space)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(spaces); i++)
        if (spaces[i].space == space)
            return spaces[i].name;
    return NULL;
}

/* The value of an expression as a name of its memory; NULL: why. */
static json_t *data_name(struct dap *d, const struct dap_focus *f, const char *expression, char why[DAP_WHY])
{
    enum ptx_space space;
    u64 address, size;
    if (!dap_look_at(d, f, why))
        return NULL;
    if (!session_address(d->session, expression, &space, &address, &size))
        return dap_failed(d, why);
    if (!space_name(space) || !size || size > 64)
        return dap_fail(why, size > 64 ? "a write to more than 64 bytes cannot be waited for"
                                       : "this memory does not change");
    return text_format("%s:0x%" PRIx64 ":%" PRIu64 ":%" PRIu64 ":%u:%u", space_name(space), address, size, f->block,
                       f->warp, f->lane);
}

json_t *request_data_breakpoint_info(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    struct dap_focus f = d->here;
    const char *name, *expression;
    u64 holder, frame;
    if (!argument_text(arguments, "name", NULL, &name, why) ||
        !argument_number(arguments, "variablesReference", 0, UINT32_MAX, &holder, why) ||
        !argument_number(arguments, "frameId", 0, UINT32_MAX, &frame, why))
        return NULL;
    expression = name;
    bool good = d->stopped || dap_fail(why, "the program runs");
    if (good && holder)
        good = variable_of(d, holder, name, &f, &expression, why);
    else if (good && frame)
        good = frame_focus(d, frame, &f, why);
    json_t *id = good ? data_name(d, &f, expression, why) : NULL;
    if (!id)
        return json_pack("{s:n, s:o}", "dataId", "description", text_of(why));
    return json_pack("{s:o, s:o, s:[s], s:b}", "dataId", id, "description",
                     text_format("%s (%s)", expression, json_string_value(id)), "accessTypes", "write", "canPersist",
                     0);
}

static bool read_data(const char *id, struct dap_focus *f, char expression[160])
{
    char space[16], rest;
    u64 address, size;
    if (sscanf(id, "%15[a-z]:%" SCNx64 ":%" SCNu64 ":%" SCNu64 ":%u:%u%c", space, &address, &size, &f->block, &f->warp,
               &f->lane, &rest) != 6 ||
        !size || size > 64)
        return false;
    const char *type = size == 8   ? "unsigned long"
                       : size == 4 ? "unsigned int"
                       : size == 2 ? "unsigned short"
                                   : "unsigned char";
    const bool whole = size == 1 || size == 2 || size == 4 || size == 8;
    for (u32 i = 0; i < LS_ARRAY_LEN(spaces); i++) {
        if (strcmp(spaces[i].name, space) != 0)
            continue;
        const int n = snprintf(expression, 160, "*(@%s %s *)0x%" PRIx64, space, type, address);
        if (!whole)
            snprintf(expression + n, 160 - (size_t)n, "@%" PRIu64, size);
        return true;
    }
    return false;
}

static json_t *make_data(struct dap *d, const json_t *one, const char *source)
{
    char why[DAP_WHY] = "", expression[160];
    struct session_breakpoint_spec spec = {.kind = SESSION_AT_WATCH, .place = expression};
    struct dap_focus f = {0};
    const char *id, *access;
    if (!argument_text(one, "dataId", NULL, &id, why) || !argument_text(one, "accessType", "write", &access, why))
        return tell_failed(why);
    if (strcmp(access, "write") != 0)
        return tell_failed("only writes are waited for");
    if (!read_data(id, &f, expression))
        return tell_failed("the dataId is none that was given out");
    if (!d->stopped || !dap_look_at(d, &f, why))
        return tell_failed(why[0] ? why : "the program runs");
    return make(d, GROUP_DATA, one, source, &spec);
}

json_t *request_set_data_breakpoints(struct dap *d, const json_t *arguments, char why[DAP_WHY])
{
    return set_group(d, arguments, "", GROUP_DATA, make_data, why);
}

/* ---- log points ---- */

/* The text, with {expressions} as they are now, and a newline. */
json_t *breakpoint_log(struct dap *d, const struct dap_breakpoint *b)
{
    char out[4096], expression[400];
    size_t n = 0;
    for (const char *at = b->log; *at && n + 2 < sizeof out;) {
        const char *stop = *at == '{' ? strchr(at, '}') : NULL;
        if (!stop || (size_t)(stop - at) > sizeof expression) {
            out[n++] = *at++;
            continue;
        }
        const struct debug_format format = {0};
        const char *text;
        snprintf(expression, sizeof expression, "%.*s", (int)(stop - at - 1), at + 1);
        if (!session_print_value(d->session, expression, &format, &text))
            text = session_error(d->session);
        const size_t room = sizeof out - n - 2, len = strlen(text);
        memcpy(out + n, text, len < room ? len : room);
        n += len < room ? len : room;
        at = stop + 1;
    }
    out[n++] = '\n';
    return text_json(out, n);
}
