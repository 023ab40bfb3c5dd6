/* check_suppress.c - see check_suppress.h. The elements and the names of the kinds are those of compute-sanitizer 2025.2 (CUDA 12.9);
 * how it compares was not to be had, so the rules are ours: names of functions are the same or match as extended regular
 * expressions, files are compared without their folders, and frames of the host must come in their order, those of
 * libraries left out. Addresses, threads, blocks and texts are not compared. */
#include "report/check/check_suppress.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

/* ---- kinds ---- */

/* What it calls ours, the first that fits. A tool stands for all its kinds. */
static const struct {
    const char *name;
    unsigned tool;    /* enum check_tool; 0: */
    const char *kind; /* this kind alone */
} kinds[] = {
    {"Api", 0, "api-error"},
    {"StackOverflow", 0, "stack-overflow"},
    {"InitcheckApiError", 0, "uninitialized-copy"},
    {"Imprecise", 0, "device-fault"},
    {"Precise", CHECK_MEMCHECK, NULL},
    {"Initcheck", CHECK_INITCHECK, NULL},
    {"Analysis", CHECK_RACECHECK, NULL},
    {"Hazard", CHECK_RACECHECK, NULL},
    {"Synccheck", CHECK_SYNCCHECK, NULL},
    {"Leak", CHECK_LEAKCHECK, NULL},
    {"Stream-ordered race", CHECK_POOLCHECK, NULL},
};

static bool is_of(u32 k, const struct check_record *f)
{
    unsigned tool;
    if (kinds[k].kind)
        return !strcmp(f->kind, kinds[k].kind);
    return check_tool_by_name(f->tool, &tool) && tool == kinds[k].tool;
}

/* Kinds that only Lockstep has keep their names. */
static const char *kind_of(const struct check_record *f)
{
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++)
        if (is_of(k, f))
            return kinds[k].name;
    return f->kind;
}

static bool kind_known(const char *name)
{
    enum finding_kind kind;
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++)
        if (!strcmp(kinds[k].name, name))
            return true;
    return finding_by_name(name, &kind);
}

/* "Hazard" and "Analysis" are both a race. */
static bool kind_fits(const char *name, const struct check_record *f)
{
    if (!strcmp(name, f->kind) || !strcmp(name, kind_of(f)))
        return true;
    return !strcmp(name, "Hazard") && !strcmp(kind_of(f), "Analysis");
}

/* ---- one record and one finding ---- */

static bool matches(const char *pattern, const char *text)
{
    regex_t r;
    char whole[4200];
    if (!strcmp(pattern, text))
        return true;
    snprintf(whole, sizeof whole, "^(%s)$", pattern);
    if (strlen(pattern) > 4096 || regcomp(&r, whole, REG_EXTENDED | REG_NOSUB))
        return false;
    const bool good = !regexec(&r, text, 0, NULL, 0);
    regfree(&r);
    return good;
}

/* A function by any form of its name. NULL: the record says nothing. */
static bool function_fits(const char *wanted, const char *mangled)
{
    char name[4096], spelled[4096];
    if (!wanted)
        return true;
    if (!mangled)
        return false;
    kernel_name_spell(wanted, spelled, sizeof spelled);
    if (!strcmp(spelled, kernel_name(mangled, KERNEL_DEMANGLED, name, sizeof name)))
        return true;
    for (u32 form = KERNEL_FUNCTION; form <= KERNEL_MANGLED; form++)
        if (matches(wanted, kernel_name(mangled, (enum kernel_base)form, name, sizeof name)))
            return true;
    return false;
}

static bool file_fits(const char *wanted, const char *file)
{
    return !wanted || (file && matches(check_base_name(wanted), check_base_name(file)));
}

static bool line_fits(const char *wanted, u32 line) { return !wanted || strtoul(wanted, NULL, 10) == line; }

static bool where_fits(const struct xml_node *where, const struct check_record *f)
{
    if (!where)
        return true;
    const char *file = xml_text(where, "path");
    return f->has_at && function_fits(xml_text(where, "func"), f->at.function ? f->at.function : f->at.kernel) &&
           file_fits(file ? file : xml_text(where, "file"), f->at.file) &&
           line_fits(xml_text(where, "line"), f->at.line);
}

static bool what_fits(const struct xml_node *what, const struct check_record *f)
{
    const char *api = xml_text(what, "api"), *size = xml_text(what, "size");
    size = size ? size : xml_text(what, "accessSize");
    if (api && (!f->call.api || !matches(api, f->call.api)))
        return false;
    return !size || !f->size || strtoull(size, NULL, 10) == f->size;
}

static bool is_library(const struct xml_node *frame)
{
    static const char *const names[] = {"libcuda", "libc.so", "libc-", "ld-linux", "libpthread"};
    const char *module = xml_text(frame, "module");
    for (u32 i = 0; module && i < LS_ARRAY_LEN(names); i++)
        if (!strncmp(check_base_name(module), names[i], strlen(names[i])))
            return true;
    return false;
}

static bool frame_fits(const struct xml_node *frame, const struct check_frame *f)
{
    const char *file = xml_text(frame, "path"), *module = xml_text(frame, "module");
    return function_fits(xml_text(frame, "func"), f->function) && file_fits(module, f->module) &&
           file_fits(file ? file : xml_text(frame, "file"), f->file) && line_fits(xml_text(frame, "line"), f->line);
}

/* Every frame of the record is one of the call's, in the same order. */
static bool stack_fits(const struct xml_node *stack, const struct check_call *call)
{
    u32 at = 0;
    for (const struct xml_node *frame = xml_child(stack, "frame"); frame; frame = xml_next(frame, "frame")) {
        if (is_library(frame))
            continue;
        while (at < call->n && !frame_fits(frame, &call->frames[at]))
            at++;
        if (at++ >= call->n)
            return false;
    }
    return true;
}

static bool device_fits(const struct xml_node *stack, const struct check_record *f)
{
    const struct xml_node *frame = xml_child(stack, "frame");
    return !frame || where_fits(frame, f);
}

static bool fits(const struct xml_node *record, const struct check_record *f)
{
    const char *kind = xml_text(record, "kind");
    const struct check_call *call = f->call.n ? &f->call : &f->made;
    return kind && kind_fits(kind, f) && what_fits(xml_child(record, "what"), f) &&
           where_fits(xml_child(record, "where"), f) && device_fits(xml_child(record, "deviceStack"), f) &&
           stack_fits(xml_child(record, "hostStack"), call);
}

/* ---- the file ---- */

enum ls_status check_suppressions_read(struct arena *mem, const char *path, struct check_suppressions *out,
                                       struct diag_list *diags)
{
    struct xml_node *root;
    const enum ls_status status = xml_read_file(mem, path, &root, diags);
    if (status != LS_OK)
        return status;
    if (strcmp(root->name, "ComputeSanitizerOutput") != 0) {
        diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path, .line = root->line},
                 "this is <%.60s>, not <ComputeSanitizerOutput>", root->name);
        return LS_ERR_SYNTAX;
    }
    for (const struct xml_node *r = xml_child(root, "record"); r; r = xml_next(r, "record")) {
        const char *kind = xml_text(r, "kind");
        if (kind && kind_known(kind))
            continue;
        diag_add(diags, DIAG_WARNING, (struct diag_place){.file = path, .line = r->line},
                 kind ? "a record of kind '%.60s' fits nothing here" : "a record without <kind>%.0s fits nothing",
                 kind ? kind : "");
    }
    out->root = root;
    return LS_OK;
}

struct applying {
    const struct check_suppressions *s;
    u32 n;
};

static bool is_wanted(void *ctx, const struct check_record *f)
{
    struct applying *a = ctx;
    for (const struct xml_node *r = xml_child(a->s->root, "record"); r; r = xml_next(r, "record"))
        if (fits(r, f)) {
            a->n++;
            return false;
        }
    return true;
}

u32 check_suppressions_apply(const struct check_suppressions *s, struct check_report *r)
{
    struct applying a = {s, 0};
    check_report_filter(r, is_wanted, &a);
    return a.n;
}

/* ---- writing ---- */

static void put(FILE *out, u32 depth, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%*s<%s>", (int)(2 * depth), "", name);
    xml_put(out, text);
    fprintf(out, "</%s>\n", name);
}

static void put_number(FILE *out, u32 depth, const char *name, u64 n)
{
    if (n)
        fprintf(out, "%*s<%s>%llu</%s>\n", (int)(2 * depth), "", name, (unsigned long long)n, name);
}

static void put_function(FILE *out, u32 depth, const char *mangled)
{
    char name[4096];
    if (mangled)
        put(out, depth, "func", kernel_name(mangled, KERNEL_DEMANGLED, name, sizeof name));
}

static void put_index(FILE *out, const char *name, const u32 v[3])
{
    fprintf(out, "      <%s><x>%u</x><y>%u</y><z>%u</z></%s>\n", name, v[0], v[1], v[2], name);
}

static void put_stack(FILE *out, const char *saved, const struct check_call *call)
{
    if (!call->n)
        return;
    fputs("    <hostStack>\n", out);
    put(out, 3, "saveLocation", saved);
    for (u32 i = 0; i < call->n; i++) {
        const struct check_frame *f = &call->frames[i];
        if (check_frame_hidden(call, i))
            continue;
        fputs("      <frame>\n", out);
        put_function(out, 4, f->function);
        put(out, 4, "path", f->file);
        put_number(out, 4, "line", f->line);
        put(out, 4, "module", f->module);
        fputs("      </frame>\n", out);
    }
    fputs("    </hostStack>\n", out);
}

static void put_record(FILE *out, const struct check_record *f)
{
    char said[4096];
    fputs("  <record>\n", out);
    put(out, 2, "kind", kind_of(f));
    put(out, 2, "level", f->error ? "Error" : "Warning");
    if (f->has_at && f->at.has_thread) {
        fputs("    <who>\n", out);
        put_index(out, "threadIdx", f->at.thread);
        put_index(out, "blockIdx", f->at.block);
        fputs("    </who>\n", out);
    }
    fputs("    <what>\n", out);
    put(out, 3, "text", check_headline(f, said, sizeof said));
    put(out, 3, "api", f->has_at ? NULL : f->call.api);
    put_number(out, 3, "size", f->size);
    put(out, 3, "space", f->space);
    put(out, 3, "address", f->address);
    fputs("    </what>\n", out);
    if (f->has_at && f->at.kernel) {
        fputs("    <where>\n", out);
        put_function(out, 3, f->at.function ? f->at.function : f->at.kernel);
        put(out, 3, "path", f->at.file);
        put_number(out, 3, "line", f->at.line);
        fputs("    </where>\n", out);
    }
    put_stack(out, f->has_at && f->at.kernel ? "kernel launch time" : "error", f->call.n ? &f->call : &f->made);
    fputs("  </record>\n", out);
}

void check_xml(FILE *out, const struct check_report *r)
{
    fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n", out);
    for (u32 i = 0; i < r->findings.len; i++)
        put_record(out, r->findings.at[i]);
    fputs("</ComputeSanitizerOutput>\n", out);
}
