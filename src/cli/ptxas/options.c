/* options.c - the command line of lockstep-ptxas. A name may have one dash or two; a value follows '=' or is the next word. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "cli/ptxas/ptxas.h"
#include "driver/module/ptx_object.h"

enum takes { FLAG, VALUE, GLUED, BOOL };

static const struct row {
    const char *name, *other, *text;
    enum takes takes;
    size_t at;
} rows[] = {
#define OPTION(what, name, other, takes, text) {name, other, text, takes, offsetof(struct ptxas_options, what)},
#include "cli/ptxas/options.def"
};

static bool is(const char *name, size_t len, const char *word)
{
    return strlen(name) == len && !memcmp(name, word, len);
}

/* *value: what is behind the name in the same word, or NULL. */
static const struct row *find(const char *word, const char **value)
{
    const char *name = word + 1 + (word[1] == '-'), *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    *value = equals ? equals + 1 : NULL;
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++)
        if (is(rows[i].name, len, name) || is(rows[i].other, len, name))
            return &rows[i];
    *value = name + 1;
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++)
        if (rows[i].takes == GLUED && !rows[i].other[1] && rows[i].other[0] == *name)
            return &rows[i];
    return NULL;
}

static bool unknown(const char *word)
{
    const char *near = NULL, *name = word + strspn(word, "-");
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++) {
        likeness_keep(&near, name, rows[i].name);
        likeness_keep(&near, name, rows[i].other);
    }
    return ptxas_fatal("unknown option '%s'%s%s%s", word, near ? "; the nearest is '--" : "", near ? near : "",
                       near ? "'" : "");
}

static bool read_option(struct ptxas_options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value;
    const struct row *row = find(word, &value);
    if (!row || (row->takes == FLAG && value))
        return unknown(word);
    if (row->takes == FLAG)
        value = "";
    if (!value && ++*i < argc)
        value = argv[*i];
    if (!value)
        return ptxas_fatal("%s: its value is missing", word);
    if (row->takes == BOOL && strcmp(value, "true") && strcmp(value, "false"))
        return ptxas_fatal("--%s takes true or false, not '%s'", row->name, value);
    *(const char **)((char *)o + row->at) = value;
    return true;
}

u32 ptxas_gpu(const char *name)
{
    char *end = NULL;
    const bool named = strncmp(name, "sm_", 3) == 0 || strncmp(name, "compute_", 8) == 0;
    const char *digits = strchr(name, '_');
    const unsigned long sm = named ? strtoul(digits + 1, &end, 10) : 0;
    if (sm < 50 || sm > 999)
        return 0;
    const u32 suffix = *end == 'a' ? PTX_OBJECT_ARCH : *end == 'f' ? PTX_OBJECT_FAMILY : 0;
    return end[suffix != 0] ? 0 : (u32)sm | suffix;
}

static bool judge(struct ptxas_options *o)
{
    o->elf_flags = ptxas_gpu(o->gpu_name);
    if (!o->elf_flags)
        return ptxas_fatal("--gpu-name: '%s' is no GPU; it is sm_90, sm_90a and so on", o->gpu_name);
    if (strcmp(o->machine, "64"))
        return ptxas_fatal("--machine: '%s': addresses have 64 bits", o->machine);
    return o->file || o->input_text || ptxas_fatal("which file? `lockstep-ptxas --help` lists the options");
}

bool ptxas_options_read(struct ptxas_options *o, int argc, char **argv)
{
    *o = (struct ptxas_options){.gpu_name = "sm_75", .output = "elf.o", .machine = "64"};
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(o, argc, argv, &i))
                return false;
        } else if (o->file) {
            return ptxas_fatal("one file at a time; '%s' is another", argv[i]);
        } else {
            o->file = argv[i];
        }
    }
    return o->version || o->help || judge(o);
}

void ptxas_help(void)
{
    static const char *const values[] = {"", " VALUE", " VALUE", " true|false"};
    puts("usage: lockstep-ptxas [OPTION...] FILE\n\n"
         "Checks the PTX of FILE and puts it into an object that Lockstep's driver loads. It stands in for ptxas.\n");
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++)
        if (rows[i].text[0])
            printf("  --%s%s (-%s)\n        %s\n", rows[i].name, values[rows[i].takes], rows[i].other, rows[i].text);
    puts("\nTaken, and without effect, as the PTX is run as it is:");
    for (u32 i = 0; i < LS_ARRAY_LEN(rows); i++)
        if (!rows[i].text[0])
            printf("  --%s%s (-%s)\n", rows[i].name, values[rows[i].takes], rows[i].other);
}
