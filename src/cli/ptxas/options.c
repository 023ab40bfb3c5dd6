/* options.c - the command line of lockstep-ptxas. A name may have one dash or two; a value follows '=' or is the next word. The
 * commands' options (cli/options.h) are read by getopt_long, which knows no long names with one dash. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"
#include "cli/ptxas/ptxas.h"
#include "driver/module/ptx_object.h"

static bool is(const char *name, size_t len, const char *word)
{
    return strlen(name) == len && !memcmp(name, word, len);
}

/* *value: what is behind the name in the same word, or NULL. */
static const struct ptxas_row *find(const char *word, const char **value)
{
    const char *name = word + 1 + (word[1] == '-'), *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    *value = equals ? equals + 1 : NULL;
    const struct ptxas_row *r;
    for (u32 i = 0; (r = ptxas_row(i)); i++)
        if (is(r->name, len, name) || is(r->other, len, name))
            return r;
    *value = name + 1;
    for (u32 i = 0; (r = ptxas_row(i)); i++)
        if (r->takes == PTXAS_GLUED && !r->other[1] && r->other[0] == *name)
            return r;
    return NULL;
}

static bool unknown(const char *word)
{
    const char *near = NULL, *name = word + strspn(word, "-");
    for (u32 i = 0; ptxas_row(i); i++) {
        likeness_keep(&near, name, ptxas_row(i)->name);
        likeness_keep(&near, name, ptxas_row(i)->other);
    }
    return ptxas_fatal("unknown option '%s'%s%s%s", word, near ? "; the nearest is '--" : "", near ? near : "",
                       near ? "'" : "");
}

static bool read_option(struct ptxas_options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value;
    const struct ptxas_row *row = find(word, &value);
    if (!row || (row->takes == PTXAS_FLAG && value))
        return unknown(word);
    if (row->takes == PTXAS_FLAG)
        value = "";
    if (!value && ++*i < argc)
        value = argv[*i];
    if (!value)
        return ptxas_fatal("%s: its value is missing", word);
    if (row->takes == PTXAS_BOOL && strcmp(value, "true") && strcmp(value, "false"))
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
    if (!*o->output)
        return ptxas_fatal("--output-file needs the name of a file, not ''");
    if (o->input_text && !o->input_text[strspn(o->input_text, " \t\r\n")])
        return ptxas_fatal("--input-as-string: the text is empty");
    return (o->file && *o->file) || o->input_text ||
           ptxas_fatal("which file? `lockstep-ptxas --help` lists the options");
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
    puts("usage: lockstep-ptxas [OPTION...] FILE\n\n" PTXAS_ABOUT "\n");
    const struct ptxas_row *r;
    for (u32 i = 0; (r = ptxas_row(i)); i++)
        if (r->text[0])
            printf("  --%s%s (-%s)\n        %s\n", r->name, values[r->takes], r->other, r->text);
    puts("\nTaken, and without effect, as the PTX is run as it is:");
    for (u32 i = 0; (r = ptxas_row(i)); i++)
        if (!r->text[0])
            printf("  --%s%s (-%s)\n", r->name, values[r->takes], r->other);
}
