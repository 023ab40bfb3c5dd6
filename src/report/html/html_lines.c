/* html_lines.c - what each line of the source and each instruction of the PTX did, and the text of the sources around them.
 *
 * A row is [line, value, value, ...] with the values of the columns below; zeros at its end are left out. */
#include <string.h>

#include "report/html/html_parts.h"
#include "report/warp_state.h"

enum { AROUND = 12 }; /* lines of source before and behind what was executed */

/* ---- columns ---- */

static double sum(const u64 *n, enum event_id a, enum event_id b, enum event_id c)
{
    return (double)(n[a] + n[b] + n[c]);
}

static double cycles(const struct meter_line *l) { return (double)stall_cycles(l->n); }
static double inst(const struct meter_line *l) { return (double)l->n[EVENT_inst]; }
static double threads(const struct meter_line *l) { return (double)l->n[EVENT_thread_inst]; }
static double requests(const struct meter_line *l)
{
    return sum(l->n, EVENT_gld_requests, EVENT_gst_requests, EVENT_gasync_requests);
}
static double sectors(const struct meter_line *l) { return (double)limit_sectors(l).sectors; }
static double excess(const struct meter_line *l)
{
    const struct limit_sectors s = limit_sectors(l);
    return (double)(s.sectors - s.ideal);
}
static double wavefronts(const struct meter_line *l)
{
    return sum(l->n, EVENT_sld_wavefronts, EVENT_sst_wavefronts, EVENT_satom_wavefronts);
}
static double conflicts(const struct meter_line *l)
{
    return sum(l->n, EVENT_sld_conflicts, EVENT_sst_conflicts, EVENT_satom_conflicts);
}
static double atomics(const struct meter_line *l)
{
    return sum(l->n, EVENT_gatom_lanes, EVENT_gred_lanes, EVENT_satom_lanes);
}
static double l2(const struct meter_line *l)
{
    return sum(l->n, EVENT_l2_reads, EVENT_l2_writes, EVENT_l2_atoms) + (double)l->n[EVENT_l2_reds];
}
static double dram(const struct meter_line *l) { return (double)(l->n[EVENT_dram_reads] + l->n[EVENT_dram_writes]); }
static double divergent(const struct meter_line *l) { return (double)l->n[EVENT_divergent]; }

/* `like`: whose kind it has. */
static const struct column {
    const char *name, *text;
    enum metric_id like;
    double (*value)(const struct meter_line *l);
} columns[] = {
    {"Time", "cycles of warps at this line, as part of all", METRIC_gpu_time, cycles},
    {"Instructions", "machine instructions executed by warps", METRIC_inst, inst},
    {"Thread instructions", "machine instructions executed by threads", METRIC_inst, threads},
    {"Requests", "global loads and stores of warps", METRIC_gld_requests, requests},
    {"Sectors", "32-byte sectors of global memory that they touch", METRIC_gld_sectors, sectors},
    {"Excess sectors", "those beyond the least that hold the bytes", METRIC_gld_sectors, excess},
    {"Wavefronts", "passes of shared memory", METRIC_shared_wavefronts, wavefronts},
    {"Conflicts", "passes beyond the least: bank conflicts", METRIC_shared_wavefronts, conflicts},
    {"Atomics", "lanes of atomics and reductions", METRIC_gatom_requests, atomics},
    {"L2 sectors", "sectors that go to L2", METRIC_gpu_time, l2},
    {"DRAM sectors", "sectors read from DRAM, and those written because of this line", METRIC_gpu_time, dram},
    {"Divergent", "branches that parted a warp", METRIC_inst, divergent},
};

json_t *html_columns(void)
{
    json_t *all = json_array();
    for (u32 i = 0; i < LS_ARRAY_LEN(columns); i++)
        json_array_append_new(all, json_pack("[s, s]", columns[i].name, columns[i].text));
    return all;
}

/* A letter a column. */
static json_t *kinds_of(const struct meter_report *r)
{
    static const char letters[] = "cmet";
    char kinds[LS_ARRAY_LEN(columns) + 1] = "";
    for (u32 i = 0; i < LS_ARRAY_LEN(columns); i++)
        kinds[i] = letters[r->metrics[columns[i].like].kind & 3];
    return json_string(kinds);
}

static void add_values(json_t *row, const struct meter_line *l)
{
    u32 last = 0;
    for (u32 i = 0; i < LS_ARRAY_LEN(columns); i++)
        last = columns[i].value(l) != 0 ? i + 1 : last;
    for (u32 i = 0; i < last; i++)
        json_array_append_new(row, html_number(columns[i].value(l)));
}

/* What warps wait for most at the line; "" where nothing was replayed. */
static const char *reason_of(const struct meter_line *l)
{
    double share;
    const enum stall_reason reason = warp_state_largest(l->n, &share);
    return reason < STALL_COUNT ? stall_name(reason) : "";
}

/* ---- the text of the sources ---- */

static json_t *part_of(const struct html_page *p, const struct source_file *s, u32 from, u32 to)
{
    json_t *part = json_pack("[i]", (int)from);
    for (u32 i = from; i <= to; i++)
        json_array_append_new(part, html_string(p->mem, s->lines[i - 1]));
    return part;
}

/* The lines of a file that some kernel executed, and some around them. */
static json_t *parts_of(const struct html_page *p, const struct source_file *s, const bool *wanted)
{
    json_t *parts = json_array();
    for (u32 line = 1; line <= s->n; line++) {
        u32 from = line;
        while (from <= s->n && !wanted[from])
            from++;
        if (from > s->n)
            break;
        u32 to = from;
        while (to < s->n && wanted[to + 1])
            to++;
        json_array_append_new(parts, part_of(p, s, from, to));
        line = to;
    }
    return parts;
}

static void want(bool *wanted, u32 n, u32 line)
{
    const u32 from = line > AROUND ? line - AROUND : 1, to = line < n && n - line > AROUND ? line + AROUND : n;
    for (u32 i = from; i <= to && line <= n; i++)
        wanted[i] = true;
}

static json_t *file_of(const struct html_page *p, const struct source_file *s)
{
    bool *wanted = arena_array(p->mem, bool, s->n + 2);
    for (u32 k = 0; k < p->n && s->lines; k++) {
        const struct meter_report *r = p->kernels[k].shown->r;
        for (u32 i = 0; i < r->nlines; i++)
            if (r->lines[i].line && r->lines[i].file && !strcmp(r->lines[i].file, s->file))
                want(wanted, s->n, r->lines[i].line);
    }
    return json_pack("{s:o, s:b, s:o}", "name", html_string(p->mem, s->file), "found", s->lines != NULL, "parts",
                     s->lines ? parts_of(p, s, wanted) : json_array());
}

json_t *html_files(const struct html_page *p)
{
    json_t *all = json_array();
    for (u32 i = 0; i < p->files.len; i++)
        json_array_append_new(all, file_of(p, p->files.at[i]));
    return all;
}

/* ---- a launch ---- */

u32 html_file_number(struct html_page *p, const struct ncu_launch *l, const char *file)
{
    const struct source_folders where = {p->r->folders, l->process->path};
    const struct source_file *s = source_file(p->mem, &p->sources, &where, file);
    for (u32 i = 0; i < p->files.len; i++)
        if (p->files.at[i] == s)
            return i;
    vec_push(p->mem, &p->files, s);
    return p->files.len - 1;
}

/* [[file, [[line, reason, values...], ...]], ...] */
static json_t *source_rows(struct html_page *p, const struct ncu_launch *l)
{
    u32 n;
    json_t *files = json_array(), *rows = NULL;
    const struct meter_line *lines = meter_source_lines(l->r, p->mem, &n);
    for (u32 i = 0; i < n; i++) {
        if (!lines[i].file || !lines[i].line)
            continue;
        if (!rows || strcmp(lines[i].file, lines[i - 1].file ? lines[i - 1].file : "") != 0) {
            rows = json_array();
            json_array_append_new(files, json_pack("[i, o]", (int)html_file_number(p, l, lines[i].file), rows));
        }
        json_t *row = json_pack("[i, s]", (int)lines[i].line, reason_of(&lines[i]));
        add_values(row, &lines[i]);
        json_array_append_new(rows, row);
    }
    return files;
}

/* [[function, [[PTX line, reason, file or -1, line, text, values...], ...]], ...] */
static json_t *ptx_rows(struct html_page *p, const struct ncu_launch *l)
{
    json_t *functions = json_array(), *rows = NULL;
    const struct meter_report *r = l->r;
    for (u32 i = 0; i < r->nlines; i++) {
        const struct meter_line *x = &r->lines[i];
        if (!i || strcmp(x->function, r->lines[i - 1].function) != 0) {
            rows = json_array();
            json_array_append_new(functions, json_pack("[o, o]", html_string(p->mem, x->function), rows));
        }
        const int file = x->line && x->file ? (int)html_file_number(p, l, x->file) : -1;
        json_t *row = json_pack("[i, s, i, i, o]", (int)x->ptx_line, reason_of(x), file, (int)x->line,
                                html_string(p->mem, x->ptx ? x->ptx : ""));
        add_values(row, x);
        json_array_append_new(rows, row);
    }
    return functions;
}

json_t *html_lines(struct html_page *p, const struct ncu_launch *l)
{
    return json_pack("{s:o, s:o, s:o}", "kinds", kinds_of(l->r), "source", source_rows(p, l), "ptx", ptx_rows(p, l));
}
