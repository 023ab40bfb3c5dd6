/* timeline_print.c - a timeline as nvprof printed it: --print-gpu-trace, --print-api-trace and the summary. The times are
 * modelled, and a line in front says so. */
#include <stdlib.h>
#include <string.h>

#include "base/kernel_name.h"
#include "report/csv.h"
#include "report/timeline/timeline.h"

enum { TEXT = 32, NAME = 512 };

/* ---- numbers, with five digits and a unit ---- */

static const char *scaled(char out[TEXT], double v, double step, const char *const *units, u32 n)
{
    u32 u = 0;
    while (u + 1 < n && v >= step) {
        v /= step;
        u++;
    }
    if (u == 0)
        snprintf(out, TEXT, "%.0f%s", v, units[0]);
    else
        snprintf(out, TEXT, "%.*f%s", v < 10 ? 4 : v < 100 ? 3 : v < 1000 ? 2 : 1, v, units[u]);
    return out;
}

static const char *time_text(char out[TEXT], double seconds)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    return scaled(out, seconds * 1e9, 1000, units, LS_ARRAY_LEN(units));
}

static const char *size_text(char out[TEXT], double bytes)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    return scaled(out, bytes, 1024, units, LS_ARRAY_LEN(units));
}

static const char *rate_text(char out[TEXT], double bytes_per_s)
{
    snprintf(out, TEXT, "%.4gGB/s", bytes_per_s / (1024.0 * 1024 * 1024));
    return out;
}

/* ---- names ---- */

static const char *name_of(char out[NAME], const struct timeline_item *i)
{
    if (i->kind == TIMELINE_CALL)
        snprintf(out, NAME, "%s", i->name);
    else if (i->kind == TIMELINE_COPY)
        snprintf(out, NAME, "[CUDA memcpy %s]", timeline_direction(i));
    else if (i->kind == TIMELINE_SET)
        snprintf(out, NAME, "[CUDA memset]");
    else if (i->report)
        kernel_name(i->report->kernel, KERNEL_DEMANGLED, out, NAME);
    else
        snprintf(out, NAME, "(a kernel that was not recorded)");
    return out;
}

/* ---- the GPU's trace ---- */

static int by_start(const void *a, const void *b)
{
    const struct timeline_item *x = *(const struct timeline_item *const *)a,
                               *y = *(const struct timeline_item *const *)b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x < y ? -1 : x > y; /* as asked for */
}

/* Those items that `wanted` takes, in order of time; the caller frees it. NULL: none, or no memory. */
static const struct timeline_item **sorted(const struct timeline *t, bool (*wanted)(const struct timeline_item *),
                                           u32 *n)
{
    const struct timeline_item **all = calloc(t->items.len + 1, sizeof *all);
    *n = 0;
    for (u32 i = 0; all && i < t->items.len; i++)
        if (wanted(&t->items.at[i]))
            all[(*n)++] = &t->items.at[i];
    if (all && *n)
        qsort(all, *n, sizeof *all, by_start);
    return all;
}

/* The ordinal only where there are several. */
static const char *device_text(char text[NAME], const struct timeline *t, const struct timeline_item *i,
                               const struct gpu *gpu)
{
    if (t->devices > 1)
        snprintf(text, NAME, "%s (%u)", gpu->name, i->device);
    else
        snprintf(text, NAME, "%s", gpu->name);
    return text;
}

static void gpu_row_text(FILE *out, const struct timeline *t, const struct timeline_item *i, const struct gpu *gpu)
{
    char device[NAME];
    char start[TEXT], time[TEXT], grid[48] = "-", block[48] = "-", regs[TEXT] = "-", fixed[TEXT] = "-",
                                  given[TEXT] = "-";
    char size[TEXT] = "-", rate[TEXT] = "-", name[NAME];
    const struct meter_report *r = i->report;
    if (r) {
        snprintf(grid, sizeof grid, "(%u %u %u)", r->grid[0], r->grid[1], r->grid[2]);
        snprintf(block, sizeof block, "(%u %u %u)", r->block[0], r->block[1], r->block[2]);
        snprintf(regs, sizeof regs, "%u", r->registers);
        size_text(fixed, r->static_shared);
        size_text(given, r->dynamic_shared);
    } else if (i->kind != TIMELINE_KERNEL) {
        size_text(size, (double)i->bytes);
        rate_text(rate, i->seconds > 0 ? (double)i->bytes / i->seconds : 0);
    }
    fprintf(out, "%8s  %8s  %18s  %15s  %8s  %8s  %8s  %9s  %11s  %10s  %10s  %15s  %8llu  %8llu  %s",
            time_text(start, i->start), time_text(time, i->seconds), grid, block, regs, fixed, given, size, rate,
            timeline_place_name(i->from), timeline_place_name(i->to), device_text(device, t, i, gpu),
            (unsigned long long)i->context, (unsigned long long)i->stream, name_of(name, i));
    if (i->kind == TIMELINE_KERNEL)
        fprintf(out, " [%llu]", (unsigned long long)i->launch);
    fputc('\n', out);
}

static void gpu_row_csv(FILE *out, const struct timeline *t, const struct timeline_item *i, const struct gpu *gpu)
{
    char device[NAME];
    char name[NAME];
    const struct meter_report *r = i->report;
    fprintf(out, "%.3f,%.3f,", i->start * 1e6, i->seconds * 1e6);
    if (r)
        fprintf(out, "%u,%u,%u,%u,%u,%u,%u,%u,%u,,,", r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1],
                r->block[2], r->registers, r->static_shared, r->dynamic_shared);
    else if (i->kind == TIMELINE_KERNEL)
        fputs(",,,,,,,,,,,", out);
    else
        fprintf(out, ",,,,,,,,,%llu,%.6f,", (unsigned long long)i->bytes,
                i->seconds > 0 ? (double)i->bytes / i->seconds / 1e9 : 0);
    fprintf(out, "\"%s\",\"%s\",\"%s\",%llu,%llu,", i->from ? timeline_place_name(i->from) : "",
            i->to ? timeline_place_name(i->to) : "", device_text(device, t, i, gpu), (unsigned long long)i->context,
            (unsigned long long)i->stream);
    report_csv_field(out, name_of(name, i), true);
    fputc('\n', out);
}

void timeline_print_gpu(FILE *out, const struct timeline *t, const struct gpu *gpu, bool csv)
{
    u32 n;
    const struct timeline_item **all = sorted(t, timeline_on_device, &n);
    if (csv)
        fputs("\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
              "\"Registers Per Thread\",\"Static SMem\",\"Dynamic SMem\",\"Size\",\"Throughput\",\"SrcMemType\","
              "\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\"\nus,us,,,,,,,,B,B,B,GB/s,,,,,,\n",
              out);
    else
        fprintf(out, "%8s  %8s  %18s  %15s  %8s  %8s  %8s  %9s  %11s  %10s  %10s  %15s  %8s  %8s  %s\n", "Start",
                "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size", "Throughput", "SrcMemType",
                "DstMemType", "Device", "Context", "Stream", "Name");
    for (u32 i = 0; all && i < n; i++)
        csv ? gpu_row_csv(out, t, all[i], gpu) : gpu_row_text(out, t, all[i], gpu);
    if (!csv)
        fputs("\nRegs: registers a thread. SSMem, DSMem: static and dynamic shared memory a block.\n"
              "SrcMemType, DstMemType: where a copy's bytes were, and where they went.\n",
              out);
    free(all);
}

/* ---- the API's trace ---- */

static bool outermost_call(const struct timeline_item *i) { return i->kind == TIMELINE_CALL && i->depth == 0; }

void timeline_print_api(FILE *out, const struct timeline *t, bool csv)
{
    u32 n;
    char start[TEXT], time[TEXT];
    const struct timeline_item **all = sorted(t, outermost_call, &n);
    fputs(csv ? "\"Start\",\"Duration\",\"Thread\",\"Name\"\nus,us,,\n" : "   Start  Duration  Thread  Name\n", out);
    for (u32 i = 0; all && i < n; i++)
        if (csv)
            fprintf(out, "%.3f,%.3f,%u,\"%s\"\n", all[i]->start * 1e6, all[i]->seconds * 1e6, all[i]->thread,
                    all[i]->name);
        else
            fprintf(out, "%8s  %8s  %6u  %s\n", time_text(start, all[i]->start), time_text(time, all[i]->seconds),
                    all[i]->thread, all[i]->name);
    free(all);
}

/* ---- the summary ---- */

struct sum {
    char name[NAME];
    u32 calls;
    double total, least, most;
};

static void add(struct sum *sums, u32 *n, const struct timeline_item *i)
{
    char name[NAME];
    struct sum *s = sums;
    name_of(name, i);
    while (s < sums + *n && strcmp(s->name, name) != 0)
        s++;
    if (s == sums + *n) {
        *n += 1;
        memcpy(s->name, name, sizeof name);
        s->least = i->seconds;
    }
    s->calls++;
    s->total += i->seconds;
    s->least = i->seconds < s->least ? i->seconds : s->least;
    s->most = i->seconds > s->most ? i->seconds : s->most;
}

static int by_total(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    return x->total != y->total ? (x->total < y->total ? 1 : -1) : strcmp(x->name, y->name);
}

static void summarize(FILE *out, const struct timeline *t, const char *head,
                      bool (*wanted)(const struct timeline_item *))
{
    struct sum *sums = calloc(t->items.len + 1, sizeof *sums);
    u32 n = 0;
    double all = 0;
    for (u32 i = 0; sums && i < t->items.len; i++)
        if (wanted(&t->items.at[i])) {
            add(sums, &n, &t->items.at[i]);
            all += t->items.at[i].seconds;
        }
    if (n)
        qsort(sums, n, sizeof *sums, by_total);
    for (u32 i = 0; i < n; i++) {
        char total[TEXT], average[TEXT], least[TEXT], most[TEXT];
        const struct sum *s = &sums[i];
        fprintf(out, "%16s  %6.2f%%  %9s  %8u  %9s  %9s  %9s  %s\n", i ? "" : head, all > 0 ? 100 * s->total / all : 0,
                time_text(total, s->total), s->calls, time_text(average, s->total / s->calls),
                time_text(least, s->least), time_text(most, s->most), s->name);
    }
    free(sums);
}

void timeline_print_summary(FILE *out, const struct timeline *t)
{
    fprintf(out, "%16s  %7s  %9s  %8s  %9s  %9s  %9s  %s\n", "Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max",
            "Name");
    summarize(out, t, "GPU activities:", timeline_on_device);
    summarize(out, t, "API calls:", outermost_call);
}
