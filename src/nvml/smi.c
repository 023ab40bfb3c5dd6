/* smi.c - nvidia-smi, for scripts that look whether there is a GPU: a table, -L, -q and --query-gpu. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "nvml/nvml.h"

enum { MIB = 1 << 20, TEXT = 96 };

struct facts {
    unsigned index;
    int major, minor, cuda;
    char name[TEXT], uuid[TEXT], driver[TEXT];
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
};

static bool look(unsigned index, struct facts *f)
{
    nvmlDevice_t d;
    *f = (struct facts){.index = index};
    return !nvmlDeviceGetHandleByIndex_v2(index, &d) && !nvmlDeviceGetName(d, f->name, TEXT) &&
           !nvmlDeviceGetUUID(d, f->uuid, TEXT) && !nvmlSystemGetDriverVersion(f->driver, TEXT) &&
           !nvmlSystemGetCudaDriverVersion(&f->cuda) && !nvmlDeviceGetPciInfo_v3(d, &f->pci) &&
           !nvmlDeviceGetMemoryInfo(d, &f->memory) && !nvmlDeviceGetCudaComputeCapability(d, &f->major, &f->minor);
}

/* ---- --query-gpu ---- */

#define PUT(...) snprintf(to, TEXT, __VA_ARGS__)

/* FIELD(name, other, unit, put): put writes f's value to `to`. */
#define FIELDS(FIELD)                                                                                                  \
    FIELD("index", "", "", PUT("%u", f->index))                                                                        \
    FIELD("name", "gpu_name", "", PUT("%s", f->name))                                                                  \
    FIELD("uuid", "gpu_uuid", "", PUT("%s", f->uuid))                                                                  \
    FIELD("count", "", "", PUT("%u", count))                                                                           \
    FIELD("driver_version", "", "", PUT("%s", f->driver))                                                              \
    FIELD("compute_cap", "", "", PUT("%d.%d", f->major, f->minor))                                                     \
    FIELD("pci.bus_id", "gpu_bus_id", "", PUT("%s", f->pci.busId))                                                     \
    FIELD("memory.total", "", "MiB", PUT("%llu", f->memory.total / MIB))                                               \
    FIELD("memory.free", "", "MiB", PUT("%llu", f->memory.free / MIB))                                                 \
    FIELD("memory.used", "", "MiB", PUT("%llu", f->memory.used / MIB))                                                 \
    FIELD("utilization.gpu", "", "", PUT("[N/A]"))                                                                     \
    FIELD("utilization.memory", "", "", PUT("[N/A]"))                                                                  \
    FIELD("temperature.gpu", "", "", PUT("[N/A]"))                                                                     \
    FIELD("power.draw", "", "", PUT("[N/A]"))                                                                          \
    FIELD("power.limit", "", "", PUT("[N/A]"))                                                                         \
    FIELD("pstate", "", "", PUT("[N/A]"))                                                                              \
    FIELD("serial", "gpu_serial", "", PUT("[N/A]"))                                                                    \
    FIELD("mig.mode.current", "", "", PUT("[N/A]"))

struct field {
    const char *name, *other, *unit;
};
static const struct field fields[] = {
#define FIELD(name, other, unit, put) {name, other, unit},
    FIELDS(FIELD)
#undef FIELD
};

static void value_of(u32 field, const struct facts *f, unsigned count, char to[TEXT])
{
    u32 at = 0;
#define FIELD(name, other, unit, put)                                                                                  \
    if (field == at++)                                                                                                 \
        put;
    FIELDS(FIELD)
#undef FIELD
}

struct query {
    u32 at[64], n;
    bool header, units;
};

/* False: told. */
static bool read_fields(struct query *q, char *list)
{
    char *rest = NULL;
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        u32 i = 0;
        while (i < LS_ARRAY_LEN(fields) && strcmp(fields[i].name, word) && strcmp(fields[i].other, word))
            i++;
        if (i == LS_ARRAY_LEN(fields) || q->n == LS_ARRAY_LEN(q->at)) {
            fprintf(stderr, "nvidia-smi (Lockstep's): there is no field '%s' to query; there are:", word);
            for (i = 0; i < LS_ARRAY_LEN(fields); i++)
                fprintf(stderr, " %s", fields[i].name);
            fputc('\n', stderr);
            return false;
        }
        q->at[q->n++] = i;
    }
    return true;
}

static bool read_format(struct query *q, char *list)
{
    bool csv = false;
    char *rest = NULL;
    for (char *word = strtok_r(list, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest)) {
        csv |= strcmp(word, "csv") == 0;
        q->header &= strcmp(word, "noheader") != 0;
        q->units &= strcmp(word, "nounits") != 0;
    }
    if (!csv)
        fputs("nvidia-smi (Lockstep's): --format is csv, with ,noheader and ,nounits if wanted\n", stderr);
    return csv;
}

static void put_query(const struct query *q, const struct facts *f, unsigned count)
{
    for (u32 k = 0; k < q->n; k++) {
        char text[TEXT];
        const char *unit = fields[q->at[k]].unit;
        value_of(q->at[k], f, count, text);
        printf("%s%s%s%s", k ? ", " : "", text, q->units && *unit ? " " : "", q->units ? unit : "");
    }
    putchar('\n');
}

static void put_header(const struct query *q)
{
    for (u32 k = 0; k < q->n; k++) {
        const struct field *d = &fields[q->at[k]];
        printf(*d->unit && q->units ? "%s%s [%s]" : "%s%s", k ? ", " : "", d->name, d->unit);
    }
    putchar('\n');
}

/* ---- the table, -L and -q ---- */

enum { WIDTH = 84 };

static void put_rule(void)
{
    putchar('+');
    for (int i = 0; i < WIDTH + 2; i++)
        putchar('-');
    puts("+");
}

static void put_top(const struct facts *f)
{
    put_rule();
    printf("| NVIDIA-SMI of Lockstep%*sDriver Version: %-13s CUDA Version: %2d.%-5d |\n", 10, "", f->driver,
           f->cuda / 1000, f->cuda % 1000 / 10);
    put_rule();
    printf("| %3s  %-29s  %-16s  %15s  %7s  %4s |\n", "GPU", "Name", "Bus-Id", "Memory-Usage", "Compute", "Util");
    put_rule();
}

static void put_row(const struct facts *f)
{
    char memory[TEXT], compute[TEXT];
    snprintf(memory, sizeof memory, "%lluMiB/%lluMiB", f->memory.used / MIB, f->memory.total / MIB);
    snprintf(compute, sizeof compute, "%d.%d", f->major, f->minor);
    printf("| %3u  %-29.29s  %-16s  %15s  %7s  %4s |\n", f->index, f->name, f->pci.busId, memory, compute, "N/A");
}

static void put_long(const struct facts *f)
{
    printf("GPU %s\n"
           "    Product Name                          : %s\n"
           "    GPU UUID                              : %s\n"
           "    Compute Capability                    : %d.%d\n"
           "    PCI\n"
           "        Bus Id                            : %s\n"
           "    FB Memory Usage\n"
           "        Total                             : %llu MiB\n"
           "        Used                              : %llu MiB\n"
           "        Free                              : %llu MiB\n"
           "    Utilization\n"
           "        GPU                               : N/A\n"
           "        Memory                            : N/A\n",
           f->pci.busId, f->name, f->uuid, f->major, f->minor, f->pci.busId, f->memory.total / MIB,
           f->memory.used / MIB, f->memory.free / MIB);
}

/* ---- the command line ---- */

enum what { TABLE, LIST, LONG, QUERY };

struct command {
    enum what what;
    struct query query;
    const char *only; /* -i: an index, a UUID or a bus */
};

static const char usage[] =
    "usage: nvidia-smi [-L | -q | --query-gpu=FIELD,... --format=csv[,noheader][,nounits]] [-i GPU]\n";

/* The exit status, or -1: go on. */
static int read_command(struct command *c, int argc, char **argv)
{
    static const struct option options[] = {
        {"list-gpus", no_argument, NULL, 'L'},       {"query", no_argument, NULL, 'q'},
        {"query-gpu", required_argument, NULL, 'Q'}, {"format", required_argument, NULL, 'F'},
        {"id", required_argument, NULL, 'i'},        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'V'},         {0}};
    bool format = false;
    int o;
    while ((o = getopt_long(argc, argv, "Lqi:h", options, NULL)) != -1) {
        switch (o) {
        case 'L':
            c->what = LIST;
            break;
        case 'q':
            c->what = LONG;
            break;
        case 'Q':
            c->what = QUERY;
            if (!read_fields(&c->query, optarg))
                return 2;
            break;
        case 'F':
            format = read_format(&c->query, optarg);
            if (!format)
                return 2;
            break;
        case 'i':
            c->only = optarg;
            break;
        case 'V':
            puts("NVIDIA-SMI of Lockstep, driver version " NVML_DRIVER);
            return 0;
        default:
            fputs(usage, o == 'h' ? stdout : stderr);
            return o == 'h' ? 0 : 2;
        }
    }
    if (optind < argc || format != (c->what == QUERY)) {
        fputs(usage, stderr);
        return 2;
    }
    return -1;
}

static bool chosen(const struct command *c, const struct facts *f)
{
    char index[16];
    snprintf(index, sizeof index, "%u", f->index);
    return !c->only || strcmp(c->only, index) == 0 || strcasecmp(c->only, f->uuid) == 0 ||
           strcasecmp(c->only, f->pci.busId) == 0;
}

static void put(const struct command *c, const struct facts *f, unsigned count, bool first)
{
    switch (c->what) {
    case LIST:
        printf("GPU %u: %s (UUID: %s)\n", f->index, f->name, f->uuid);
        break;
    case LONG:
        if (first)
            printf(
                "Driver Version                            : %s\nCUDA Version                              : %d.%d\n\n"
                "Attached GPUs                             : %u\n",
                f->driver, f->cuda / 1000, f->cuda % 1000 / 10, count);
        put_long(f);
        break;
    case QUERY:
        if (first && c->query.header)
            put_header(&c->query);
        put_query(&c->query, f, count);
        break;
    case TABLE:
        if (first)
            put_top(f);
        put_row(f);
        break;
    }
}

int main(int argc, char **argv)
{
    struct command c = {.query = {.header = true, .units = true}};
    unsigned count = 0, shown = 0;
    const int status = read_command(&c, argc, argv);
    if (status >= 0)
        return status;
    const nvmlReturn_t begun = nvmlInit_v2();
    if (begun != NVML_SUCCESS) {
        fprintf(stderr, "nvidia-smi (Lockstep's): %s\n", nvmlErrorString(begun));
        return (int)begun;
    }
    nvmlDeviceGetCount_v2(&count);
    for (unsigned i = 0; i < count; i++) {
        struct facts f;
        if (look(i, &f) && chosen(&c, &f))
            put(&c, &f, count, shown++ == 0);
    }
    if (c.what == TABLE && shown)
        put_rule();
    nvmlShutdown();
    if (!shown)
        fprintf(stderr, "nvidia-smi (Lockstep's): there is no GPU '%s'\n", c.only ? c.only : "");
    return shown ? 0 : NVML_ERROR_NOT_FOUND;
}
