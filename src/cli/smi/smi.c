/* smi.c - nvidia-smi, for scripts that look whether there is a GPU: a table, -L, -q and --query-gpu. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/said.h"
#include "cli/smi/smi.h"
#include "nvml/nvml.h"

enum { MIB = 1 << 20, SMI_TEXT = 96 };

struct facts {
    unsigned index;
    int major, minor, cuda;
    char name[SMI_TEXT], uuid[SMI_TEXT], driver[SMI_TEXT];
    nvmlPciInfo_t pci;
    nvmlMemory_t memory;
};

static bool look(unsigned index, struct facts *f)
{
    nvmlDevice_t d;
    *f = (struct facts){.index = index};
    return !nvmlDeviceGetHandleByIndex_v2(index, &d) && !nvmlDeviceGetName(d, f->name, SMI_TEXT) &&
           !nvmlDeviceGetUUID(d, f->uuid, SMI_TEXT) && !nvmlSystemGetDriverVersion(f->driver, SMI_TEXT) &&
           !nvmlSystemGetCudaDriverVersion(&f->cuda) && !nvmlDeviceGetPciInfo_v3(d, &f->pci) &&
           !nvmlDeviceGetMemoryInfo(d, &f->memory) && !nvmlDeviceGetCudaComputeCapability(d, &f->major, &f->minor);
}

/* ---- --query-gpu ---- */

#define PUT(...) snprintf(to, SMI_TEXT, __VA_ARGS__)

static void value_of(u32 field, const struct facts *f, unsigned count, char to[SMI_TEXT])
{
    u32 at = 0;
#define FIELD(name, other, unit, put)                                                                                  \
    if (field == at++)                                                                                                 \
        put;
#include "cli/smi/smi_fields.def"
}

static void put_query(const struct smi_query *q, const struct facts *f, unsigned count)
{
    for (u32 k = 0; k < q->n; k++) {
        char text[SMI_TEXT];
        const char *unit = smi_field(q->at[k])->unit;
        value_of(q->at[k], f, count, text);
        printf("%s%s%s%s", k ? ", " : "", text, q->units && *unit ? " " : "", q->units ? unit : "");
    }
    putchar('\n');
}

static void put_header(const struct smi_query *q)
{
    for (u32 k = 0; k < q->n; k++) {
        const struct smi_field *d = smi_field(q->at[k]);
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
    char memory[SMI_TEXT], compute[SMI_TEXT];
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

/* ---- all of it ---- */

static bool chosen(const struct smi_command *c, const struct facts *f)
{
    char index[16];
    snprintf(index, sizeof index, "%u", f->index);
    return !c->only || strcmp(c->only, index) == 0 || strcasecmp(c->only, f->uuid) == 0 ||
           strcasecmp(c->only, f->pci.busId) == 0;
}

static void put(const struct smi_command *c, const struct facts *f, unsigned count, bool first)
{
    switch (c->what) {
    case SMI_LIST:
        printf("GPU %u: %s (UUID: %s)\n", f->index, f->name, f->uuid);
        break;
    case SMI_LONG:
        if (first)
            printf(
                "Driver Version                            : %s\nCUDA Version                              : %d.%d\n\n"
                "Attached GPUs                             : %u\n",
                f->driver, f->cuda / 1000, f->cuda % 1000 / 10, count);
        put_long(f);
        break;
    case SMI_QUERY:
        if (first && c->query.header)
            put_header(&c->query);
        put_query(&c->query, f, count);
        break;
    case SMI_TABLE:
        if (first)
            put_top(f);
        put_row(f);
        break;
    }
}

/* Which setting it is, where one is to blame. */
static void say_why(nvmlReturn_t begun)
{
    struct diag_list diags;
    struct gpu gpu;
    if (!said_read())
        return;
    diag_init(&diags);
    char *text = gpu_find(said.gpu, &gpu, &diags) == LS_OK ? NULL : diag_text(&diags);
    if (text && *text)
        fputs(text, stderr);
    else
        fprintf(stderr, "nvidia-smi (Lockstep's): %s\n", nvmlErrorString(begun));
    ls_free(text);
    diag_free(&diags);
}

int main(int argc, char **argv)
{
    struct smi_command c;
    unsigned count = 0, shown = 0;
    int status;
    if (!smi_read(&c, argc, argv, &status))
        return status;
    if (c.version) {
        puts("NVIDIA-SMI of Lockstep, driver version " NVML_DRIVER);
        return CLI_OK;
    }
    const nvmlReturn_t begun = nvmlInit_v2();
    if (begun != NVML_SUCCESS) {
        say_why(begun);
        return (int)begun;
    }
    nvmlDeviceGetCount_v2(&count);
    for (unsigned i = 0; i < count; i++) {
        struct facts f;
        if (look(i, &f) && chosen(&c, &f))
            put(&c, &f, count, shown++ == 0);
    }
    if (c.what == SMI_TABLE && shown)
        put_rule();
    nvmlShutdown();
    if (!shown)
        fprintf(stderr, "nvidia-smi (Lockstep's): there is no GPU '%s'\n", c.only ? c.only : "");
    return shown ? 0 : NVML_ERROR_NOT_FOUND;
}
