/* smi_options.c - the options of nvidia-smi, as NVIDIA's are spelled. */
#include "cli/smi/smi.h"

#include <stdio.h>
#include <string.h>

#include "base/likeness.h"

static const struct smi_field fields[] = {
#define FIELD(name, other, unit, put) {name, other, unit},
#include "cli/smi/smi_fields.def"
};

const struct smi_field *smi_field(u32 i) { return i < LS_ARRAY_LEN(fields) ? &fields[i] : NULL; }

/* The next word of a list, which ends at a comma or a blank; its length, 0: there are no more. */
static size_t next_word(const char **list)
{
    *list += strspn(*list, ", ");
    return strcspn(*list, ", ");
}

static bool word_is(const char *word, size_t len, const char *name)
{
    return strlen(name) == len && !memcmp(word, name, len);
}

static void no_field(struct option_reader *o, const char *word, size_t len)
{
    char name[64], all[1024] = "";
    const char *near = NULL;
    snprintf(name, sizeof name, "%.*s", (int)len, word);
    for (u32 i = 0; i < LS_ARRAY_LEN(fields); i++) {
        likeness_keep(&near, name, fields[i].name);
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", fields[i].name);
    }
    option_wrong(o, "there is no field '%s' to query%s%s%s; there are:%s", name, near ? "; the nearest is '" : "",
                 near ? near : "", near ? "'" : "", all);
}

static void take_fields(struct option_reader *o, const struct option_value *v)
{
    struct smi_command *c = o->into;
    struct smi_query *q = &c->query;
    const char *word = v->text;
    c->what = SMI_QUERY;
    for (size_t len; (len = next_word(&word)); word += len) {
        u32 i = 0;
        while (i < LS_ARRAY_LEN(fields) && !word_is(word, len, fields[i].name) && !word_is(word, len, fields[i].other))
            i++;
        if (i == LS_ARRAY_LEN(fields))
            no_field(o, word, len);
        else if (q->n == LS_ARRAY_LEN(q->at))
            option_wrong(o, "--query-gpu takes %zu fields at most", LS_ARRAY_LEN(q->at));
        else
            q->at[q->n++] = i;
    }
    if (!q->n)
        option_wrong(o, "--query-gpu: which fields? `nvidia-smi --help` lists them");
}

static void take_format(struct option_reader *o, const struct option_value *v)
{
    struct smi_command *c = o->into;
    const char *word = v->text;
    for (size_t len; (len = next_word(&word)); word += len) {
        if (word_is(word, len, "csv"))
            c->csv = true;
        else if (word_is(word, len, "noheader"))
            c->query.header = false;
        else if (word_is(word, len, "nounits"))
            c->query.units = false;
        else
            option_wrong(o, "--format is csv, with ,noheader and ,nounits if wanted, not '%s'", v->text);
    }
    if (!c->csv)
        option_wrong(o, "--format is csv, with ,noheader and ,nounits if wanted, not '%s'", v->text);
}

#define TO(member) .at = OPTION_AT(struct smi_command, member)

static const struct option_row rows[] = {
    OPTION(CONST, "list-gpus", NULL, "A line for each GPU", TO(what), .constant = SMI_LIST, .letter = 'L'),
    OPTION(CONST, "query", NULL, "What is known of each GPU", TO(what), .constant = SMI_LONG, .letter = 'q'),
    OPTION(CALL, "query-gpu", "FIELD,...", "These fields of each GPU, with --format", .take = take_fields),
    OPTION(CALL, "format", "csv[,noheader][,nounits]", "How --query-gpu prints them", .take = take_format),
    OPTION(TEXT, "id", "GPU", "This GPU alone: an index, a UUID or a bus", TO(only), .letter = 'i'),
    OPTION(FLAG, "version", NULL, "The version", TO(version)),
};

static void finish(struct option_reader *o)
{
    const struct smi_command *c = o->into;
    if (c->what == SMI_QUERY && !c->csv)
        option_wrong(o, "--query-gpu needs --format=csv");
    if (c->what != SMI_QUERY && c->csv)
        option_wrong(o, "--format goes with --query-gpu");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .about =
        "Lockstep's stand-in for nvidia-smi: which devices there are, from the settings and the GPU's file. Without an "
        "option it prints a table.\vFields of --query-gpu: "
#define FIELD(name, other, unit, put) name " "
#include "cli/smi/smi_fields.def"
    ,
    .finish = finish,
};

bool smi_read(struct smi_command *c, int argc, char **argv, int *status)
{
    static char name[] = "nvidia-smi";
    *c = (struct smi_command){.query = {.header = true, .units = true}};
    if (argc > 0)
        argv[0] = name;
    return options_read(&table, c, argc, argv, status);
}
