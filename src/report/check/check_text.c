/* check_text.c - findings as text in compute-sanitizer's shape, each line behind a prefix:
 *
 *     ========= Invalid __global__ write of size 4 bytes
 *     =========     at add(float *, int) in add.cu:12:9 (PTX line 88)
 *     =========         12 |     c[i] = a[i] + b[i];
 *     =========            |         ^
 *     =========         PTX: st.global.f32 [%rd10], %f3
 *     =========     by thread (31,0,0) in block (3,0,0), and 96 more threads
 *     =========     Address 0x7f2c00001000 is out of bounds
 *     =========     and is 0 bytes after the 4096-byte allocation #3, made by cudaMalloc at add.cu:40
 *     =========     What to do: ...
 *     =========     Host backtrace of the launch
 *     =========         Host Frame: main at add.cu:52 [0x1234] in add
 *     =========
 *
 * A finding with two parties has a paragraph for each. */
#include <inttypes.h>
#include <regex.h>
#include <string.h>

#include "report/check/check_report.h"

enum { NAME_MAX_TEXT = 2048, LINE_MAX_TEXT = 1024 };

void check_text_note(FILE *out, const struct check_text *o, const char *fmt, ...)
{
    va_list args;
    fprintf(out, "%s ", o->prefix);
    va_start(args, fmt);
    vfprintf(out, fmt, args);
    va_end(args);
    fputc('\n', out);
}

static void LS_PRINTF(4, 5) put(FILE *out, const struct check_text *o, int indent, const char *fmt, ...)
{
    va_list args;
    fprintf(out, "%s %*s", o->prefix, indent, "");
    va_start(args, fmt);
    vfprintf(out, fmt, args);
    va_end(args);
    fputc('\n', out);
}

static void put_empty(FILE *out, const struct check_text *o) { fprintf(out, "%s\n", o->prefix); }

static const char *plural(u64 n) { return n == 1 ? "" : "s"; }

void check_text_header(FILE *out, const struct check_text *o)
{
    if (!o->quiet)
        check_text_note(out, o, "LOCKSTEP CHECK");
}

/* ---- places ---- */

/* "add.cu:12:9", "add.cu:12", "" */
static const char *place(const struct check_text *o, const char *file, u32 line, u32 column, char *out, size_t size)
{
    char name[LINE_MAX_TEXT];
    *out = 0;
    if (!file || !line)
        return out;
    const int n = snprintf(out, size, "%s:%" PRIu32, check_file(&o->paths, file, name, sizeof name), line);
    if (column && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, ":%" PRIu32, column);
    return out;
}

/* Tabs stay tabs, so that the caret stands where the eye sees the column. */
static void put_caret(FILE *out, const struct check_text *o, int indent, int width, const char *text, u32 column)
{
    fprintf(out, "%s %*s%*s | ", o->prefix, indent, "", width, "");
    for (u32 k = 0; k + 1 < column; k++)
        fputc(text[k] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

static void put_source(FILE *out, const struct check_text *o, int indent, const struct check_party *p)
{
    char text[LINE_MAX_TEXT], number[16];
    if (!check_source_line(&o->paths, p->file, p->line, text, sizeof text))
        return;
    const int width = snprintf(number, sizeof number, "%" PRIu32, p->line);
    put(out, o, indent, "%s | %s", number, text);
    if (p->column && p->column <= strlen(text))
        put_caret(out, o, indent, width, text, p->column);
}

static void put_code(FILE *out, const struct check_text *o, int indent, const struct check_party *p)
{
    char name[KERNEL_SHORT], at[LINE_MAX_TEXT + 40], ptx[40] = "";
    const char *function = p->function ? p->function : p->kernel;
    if (!function)
        return;
    place(o, p->file, p->line, p->column, at, sizeof at);
    if (p->ptx_line)
        snprintf(ptx, sizeof ptx, " (PTX line %" PRIu32 ")", p->ptx_line);
    put(out, o, indent, "at %s%s%s%s", check_name_short(function, o->name, name), *at ? " in " : "", at, ptx);
    put_source(out, o, indent + 4, p);
    if (p->ptx)
        put(out, o, indent + 4, "PTX: %s", p->ptx);
    if (o->device && p->kernel && p->function && strcmp(p->kernel, p->function) != 0)
        put(out, o, indent, "Device Frame: %s", check_name_short(p->kernel, o->name, name));
}

/* "thread (31,0,0) in block (3,0,0) of launch 2 of add in stream 7"; of an operation of the host, what it is; ""
 * unknown. */
static const char *who(const struct check_party *p, char *out, size_t size)
{
    const char *launched = p->launched ? p->launched : "";
    if (p->has_thread)
        snprintf(out, size, "thread (%u,%u,%u) in block (%u,%u,%u)%s%s", p->thread[0], p->thread[1], p->thread[2],
                 p->block[0], p->block[1], p->block[2], *launched ? " of " : "", launched);
    else
        snprintf(out, size, "%s", launched);
    return out;
}

/* ---- one party, and two ---- */

/* ", and 96 more threads, 970 times" */
static const char *how_often(const struct check_record *f, char *out, size_t size)
{
    int n = 0;
    *out = 0;
    if (f->threads > 1)
        n = snprintf(out, size, ", and %" PRIu64 " more thread%s", f->threads - 1, plural(f->threads - 1));
    if (f->count > 1 && f->count > f->threads)
        snprintf(out + n, size - (size_t)n, ", %" PRIu64 " times", f->count);
    return out;
}

/* How often; each tool decides which threads `threads` counts. */
static void put_times(FILE *out, const struct check_text *o, const struct check_record *f)
{
    if (f->threads > 1)
        put(out, o, 4, "%" PRIu64 " time%s, %" PRIu64 " threads", f->count, plural(f->count), f->threads);
    else if (f->count > 1)
        put(out, o, 4, "%" PRIu64 " times", f->count);
}

static void put_one(FILE *out, const struct check_text *o, const struct check_record *f)
{
    char often[100], by[LINE_MAX_TEXT];
    how_often(f, often, sizeof often);
    put_code(out, o, 4, &f->at);
    if (*who(&f->at, by, sizeof by))
        put(out, o, 4, "by %s%s", by, often);
    else
        put_times(out, o, f);
    if (f->at.has_thread && f->at.value)
        put(out, o, 4, "Value %s", f->at.value);
}

/* "Read"; for the second party, which stands in mid-sentence, "read". */
static const char *does_word(const struct check_party *p, bool second)
{
    static const char *const words[][2] = {{"Access", "access"}, {"Read", "read"}, {"Write", "write"},
                                           {"Atomic", "atomic"}, {"Copy", "copy"}, {"Wait", "wait"}};
    for (u32 k = 0; p->does && k < LS_ARRAY_LEN(words); k++)
        if (!strcmp(p->does, words[k][1]))
            return words[k][second];
    return p->does ? p->does : words[0][second];
}

static void put_side(FILE *out, const struct check_text *o, bool second, const struct check_party *p)
{
    char by[LINE_MAX_TEXT];
    who(p, by, sizeof by);
    const char *lead = second ? "and " : "", *value = p->value ? p->value : "";
    if (!p->does && p->has_thread)
        put(out, o, 4, "%s%s", second ? "and t" : "T", by + 1);
    else
        put(out, o, 4, "%s%s%s%s%s%s", lead, does_word(p, second), *value ? " of " : "", value, *by ? " by " : "", by);
    put_code(out, o, 8, p);
}

static void put_two(FILE *out, const struct check_text *o, const struct check_record *f)
{
    put_side(out, o, false, &f->at);
    put_side(out, o, true, &f->other);
    put_times(out, o, f);
}

/* ---- memory ---- */

static bool is_kind(const struct check_record *f, enum finding_kind kind)
{
    return !strcmp(f->kind, finding_info(kind)->name);
}

static bool starts(const char *text, const char *start) { return !strncmp(text, start, strlen(start)); }

/* Whether the text says the address already. */
static bool tells_address(const struct check_record *f)
{
    bool tells = f->what && strstr(f->what, f->address);
    for (u32 k = 0; k < f->ndetail; k++)
        tells |= starts(f->detail[k], "Address ");
    return tells;
}

static void put_address(FILE *out, const struct check_text *o, const struct check_record *f)
{
    if (!f->address || tells_address(f))
        return;
    if (is_kind(f, FINDING_OUT_OF_BOUNDS) || is_kind(f, FINDING_MISALIGNED))
        put(out, o, 4, "Address %s is %s", f->address, is_kind(f, FINDING_MISALIGNED) ? "misaligned" : "out of bounds");
    else if (f->space && f->size)
        put(out, o, 4, "Address %s in %s memory, %" PRIu64 " byte%s", f->address, f->space, f->size, plural(f->size));
    else
        put(out, o, 4, "Address %s", f->address);
}

/* "0 bytes after the 64-byte allocation" goes on from the address. */
static bool is_distance(const char *detail)
{
    static const char *const words[] = {" byte after ",  " bytes after ", " bytes before ",
                                        " byte before ", " byte into ",   " bytes into "};
    const char *rest = detail + strspn(detail, "0123456789");
    for (u32 k = 0; k < LS_ARRAY_LEN(words) && rest > detail; k++)
        if (starts(rest, words[k]))
            return true;
    return false;
}

/* "made by cudaMalloc at add.cu:40"; "" unknown. */
static const char *call_text(const struct check_text *o, const char *verb, const struct check_call *c, char *out,
                             size_t size)
{
    char at[LINE_MAX_TEXT + 40] = "";
    const struct check_frame *site = check_site(c);
    if (site)
        place(o, site->file, site->line, 0, at, sizeof at);
    *out = 0;
    if (c->api || *at)
        snprintf(out, size, "%s%s%s%s%s", verb, c->api ? " by " : "", c->api ? c->api : "", *at ? " at " : "", at);
    return out;
}

/* "made by ..., freed by ...". */
static const char *history(const struct check_text *o, const struct check_record *f, char *out, size_t size)
{
    char made[LINE_MAX_TEXT + 200], freed[LINE_MAX_TEXT + 200];
    call_text(o, "made", &f->made, made, sizeof made);
    call_text(o, "freed", &f->freed, freed, sizeof freed);
    const int n = snprintf(out, size, "%s%s", made, *made && *freed ? ", " : "");
    if (n >= 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, "%s", freed);
    return out;
}

/* Whether the line ends with an allocation: "... the 64-byte allocation #1 (device) at 0x7f00". */
static bool ends_with_allocation(const char *detail)
{
    regex_t r;
    if (regcomp(&r, "allocation( #[0-9]+)?( \\([a-z ]+\\))?( at 0x[0-9a-f]+)?$", REG_EXTENDED | REG_NOSUB))
        return false;
    const bool does = !regexec(&r, detail, 0, NULL, 0);
    regfree(&r);
    return does;
}

/* Whether the text is a place in a block's memory: "offset 256 in the block's shared memory". */
static bool is_offset(const char *detail)
{
    const char *end = strrchr(detail, ' ');
    return starts(detail, "offset ") && end && !strcmp(end, " memory");
}

/* The first line that ends with the allocation also says who made it. */
static void put_detail(FILE *out, const struct check_text *o, const struct check_record *f)
{
    char all[2 * LINE_MAX_TEXT + 400];
    bool told = !*history(o, f, all, sizeof all);
    for (u32 k = 0; k < f->ndetail; k++) {
        if (f->address && is_offset(f->detail[k]))
            continue;
        const bool here = !told && ends_with_allocation(f->detail[k]);
        put(out, o, 4, "%s%s%s%s", f->address && is_distance(f->detail[k]) ? "and is " : "", f->detail[k],
            here ? ", " : "", here ? all : "");
        told |= here;
    }
    if (!told && f->serial)
        put(out, o, 4, "Allocation #%" PRIu64 ", %s", f->serial, all);
    else if (!told)
        put(out, o, 4, "The allocation was %s", all);
}

/* ---- the host ---- */

static bool is_main(const struct check_frame *f) { return f->function && !strcmp(f->function, "main"); }

static void put_frame(FILE *out, const struct check_text *o, const struct check_frame *f)
{
    char name[NAME_MAX_TEXT] = "", at[LINE_MAX_TEXT + 40];
    if (f->function)
        check_name(f->function, o->name, name, sizeof name);
    place(o, f->file, f->line, 0, at, sizeof at);
    put(out, o, 8, "Host Frame: %s%s%s%s%s[0x%" PRIx64 "] in %s", name, *name ? " " : "", *at ? "at " : "", at,
        *at ? " " : "", f->offset, f->module ? check_base_name(f->module) : "unknown code");
}

static void put_frames(FILE *out, const struct check_text *o, const char *heading, const struct check_call *c)
{
    u64 n = 0;
    for (u32 k = 0; k < c->n; k++) {
        const struct check_frame *f = &c->frames[k];
        if (!o->whole_backtrace && check_frame_hidden(c, k))
            continue;
        if (!n++)
            put(out, o, 4, "Host backtrace %s", heading);
        put_frame(out, o, f);
        if (n == o->callers || (!o->whole_backtrace && is_main(f)))
            break;
    }
}

/* Of a leak the call is the allocation. */
static bool is_same(const struct check_call *a, const struct check_call *b)
{
    bool same = a->n == b->n;
    for (u32 k = 0; same && k < a->n; k++)
        same = a->frames[k].offset == b->frames[k].offset;
    return same;
}

static void put_backtraces(FILE *out, const struct check_text *o, const struct check_record *f)
{
    char heading[100];
    if (!o->host)
        return;
    /* writecheck reports a launch, but at the call that copies its result */
    const bool launch = f->has_at && f->at.kernel && (!f->call.api || strstr(f->call.api, "Launch"));
    if (launch && f->launch)
        snprintf(heading, sizeof heading, "of launch %" PRIu64, f->launch);
    else if (launch)
        snprintf(heading, sizeof heading, "of the launch");
    else
        snprintf(heading, sizeof heading, "of the call%s%.64s", f->call.api ? " of " : "",
                 f->call.api ? f->call.api : "");
    put_frames(out, o, heading, &f->call);
    if (!is_same(&f->call, &f->made))
        put_frames(out, o, "of the allocation", &f->made);
    put_frames(out, o, "of the free", &f->freed);
}

/* ---- a finding ---- */

static bool is_race(const struct check_record *f) { return !strcmp(f->tool, check_tool_name(CHECK_RACECHECK)); }

static void put_finding(FILE *out, const struct check_text *o, const struct check_record *f)
{
    char line[LINE_MAX_TEXT];
    const char *word = !f->error ? "Warning: " : is_race(f) ? "Error: " : "";
    check_text_note(out, o, "%s%s", word, check_headline(f, line, sizeof line));
    if (f->has_other)
        put_two(out, o, f);
    else
        put_one(out, o, f);
    put_address(out, o, f);
    put_detail(out, o, f);
    if (f->launched_by)
        put(out, o, 4, "Launched by %s", f->launched_by);
    if (f->remedy)
        put(out, o, 4, "What to do: %s", f->remedy);
    put_backtraces(out, o, f);
    put_empty(out, o);
}

/* ---- the sums ---- */

struct sums {
    u64 errors, warnings;
    u64 races, race_errors, race_warnings; /* that were printed */
    u64 leaks, leaked;
    u64 hidden; /* by the limit */
};

static void count(struct sums *s, const struct check_record *f, bool printed)
{
    s->errors += f->error;
    s->warnings += !f->error;
    if (printed && is_race(f)) {
        s->races++;
        s->race_errors += f->error;
        s->race_warnings += !f->error;
    }
    if (is_kind(f, FINDING_LEAK) || is_kind(f, FINDING_HEAP_LEAK)) {
        s->leaks += f->count;
        s->leaked += f->size * f->count;
    }
}

static void put_leaks(FILE *out, const struct check_text *o, const struct sums *s)
{
    if (o->tools & CHECK_LEAKCHECK)
        check_text_note(out, o, "LEAK SUMMARY: %" PRIu64 " bytes leaked in %" PRIu64 " allocations", s->leaked,
                        s->leaks);
}

static void put_errors(FILE *out, const struct check_text *o, const struct sums *s)
{
    char warnings[60] = "";
    if (o->tools & CHECK_RACECHECK)
        check_text_note(
            out, o, "RACECHECK SUMMARY: %" PRIu64 " hazard%s displayed (%" PRIu64 " error%s, %" PRIu64 " warning%s)",
            s->races, plural(s->races), s->race_errors, plural(s->race_errors), s->race_warnings,
            plural(s->race_warnings));
    if (s->warnings)
        snprintf(warnings, sizeof warnings, ", %" PRIu64 " warning%s", s->warnings, plural(s->warnings));
    if (o->tools != CHECK_RACECHECK || s->errors != s->race_errors)
        check_text_note(out, o, "ERROR SUMMARY: %" PRIu64 " error%s%s", s->errors, plural(s->errors), warnings);
    if (s->hidden)
        check_text_note(out, o, "%" PRIu64 " finding%s not printed: --print-limit is %" PRIu64, s->hidden,
                        s->hidden == 1 ? " was" : "s were", o->limit);
}

/* ---- the report ---- */

static void put_session(FILE *out, const struct check_text *o, const struct check_report *r)
{
    for (u32 k = 0; k < r->processes.len; k++) {
        const struct check_process *p = &r->processes.at[k];
        check_text_note(out, o, "Process %" PRIu64 ": %s%s%s", p->pid, p->program ? p->program : "an unknown program",
                        p->gpu ? " on " : "", p->gpu ? p->gpu : "");
    }
    if (r->processes.len)
        put_empty(out, o);
}

static void put_ended(FILE *out, const struct check_text *o, const struct check_report *r)
{
    for (u32 k = 0; k < r->processes.len; k++) {
        const struct check_process *p = &r->processes.at[k];
        if (!p->ended)
            check_text_note(out, o,
                            "Warning: process %" PRIu64 " (%s) did not end in order; nothing is said of leaks in it",
                            p->pid, p->program ? check_base_name(p->program) : "unknown");
    }
}

void check_text(FILE *out, const struct check_text *o, const struct check_report *r)
{
    struct sums s = {0};
    u64 printed = 0;
    if (o->session)
        put_session(out, o, r);
    for (u32 k = 0; k < r->findings.len; k++) {
        const struct check_record *f = r->findings.at[k];
        const bool wanted = f->error || !o->errors_only, fits = !o->limit || printed < o->limit;
        if (wanted && fits) {
            put_finding(out, o, f);
            printed++;
        }
        s.hidden += wanted && !fits;
        count(&s, f, wanted && fits);
    }
    if (o->quiet)
        return;
    if (o->tools & CHECK_LEAKCHECK)
        put_ended(out, o, r);
    put_leaks(out, o, &s);
    put_errors(out, o, &s);
}
