/* describe.c - see describe.h. An object:
 *
 *     version, gpus (names), settings (name, takes, preset, meaning),
 *     commands: name, about (in the list of commands), tables: name ("lockstep gate record"), words, about,
 *     options: names ("--gpu", "-g"), value, optional, choices, help, section
 *     programs: the same of what stands in for NVIDIA's programs; one table each
 *
 * What does not apply is left out. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "cli/cli.h"
#include "cli/describe.h"
#include "cli/options.h"
#include "cli/ptxas/ptxas.h"
#include "cli/smi/smi.h"
#include "toolchain/toolchain.h"

static void put(json_t *object, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(object, key, json_string(text));
}

static void LS_PRINTF(2, 3) add(json_t *list, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    json_array_append_new(list, json_vsprintf(fmt, args));
    va_end(args);
}

/* ---- a row of a command's table ---- */

static json_t *names_of(const struct option_row *r)
{
    json_t *names = json_array();
    if (r->name)
        add(names, "--%s", r->name);
    if (r->alias)
        add(names, "--%s", r->alias);
    if (r->letter)
        add(names, "-%c", r->letter);
    return names;
}

/* The words of "a|b|c". */
static json_t *choices_of(const char *words)
{
    json_t *list = json_array();
    for (; *words; words += strcspn(words, "|"), words += *words == '|')
        add(list, "%.*s", (int)strcspn(words, "|"), words);
    return list;
}

static bool is_choice(const struct option_row *r)
{
    return r->value && (r->kind == OPTION_CHOICE || r->kind == OPTION_YES_NO);
}

static json_t *row_json(const struct option_row *r, const char *section)
{
    json_t *o = json_object();
    json_object_set_new(o, "names", names_of(r));
    put(o, "value", r->value);
    if (r->optional)
        json_object_set_new(o, "optional", json_true());
    if (is_choice(r))
        json_object_set_new(o, "choices", choices_of(r->value));
    put(o, "help", r->help);
    put(o, "section", section);
    return o;
}

static void take_table(void *ctx, const struct option_table *t, const char *name)
{
    json_t *table = json_object(), *options = json_array();
    const char *section = NULL;
    for (u32 i = 0; i < option_row_count(t); i++) {
        const struct option_row *r = option_row_at(t, i);
        if (r->kind == OPTION_SECTION)
            section = r->help;
        else if (option_is_shown(r))
            json_array_append_new(options, row_json(r, i < t->n ? section : NULL));
    }
    put(table, "name", name);
    put(table, "words", t->words);
    put(table, "about", t->about);
    json_object_set_new(table, "options", options);
    json_array_append_new(ctx, table);
}

/* ---- nvcc's options ---- */

static json_t *tool_json(const struct tool_option *o)
{
    static const char *const values[] = {
        [TAKES_VALUE] = "VALUE", [TAKES_LIST] = "VALUE,...", [TAKES_GLUED] = "VALUE", [TAKES_BOOL] = "true|false"};
    json_t *object = json_object(), *names = json_array();
    add(names, "-%s", o->name);
    if (*o->other)
        add(names, "--%s", o->other);
    json_object_set_new(object, "names", names);
    if (o->takes != TAKES_NONE)
        put(object, "value", values[o->takes]);
    if (o->takes == TAKES_BOOL) {
        json_object_set_new(object, "optional", json_true());
        json_object_set_new(object, "choices", choices_of(values[TAKES_BOOL]));
    }
    put(object, "help", o->text);
    return object;
}

static json_t *compiler_json(void)
{
    json_t *options = json_array();
    for (u32 i = 0; tool_option_at(i); i++)
        json_array_append_new(options, tool_json(tool_option_at(i)));
    return json_pack(
        "[{s:s,s:s,s:s,s:o}]", "name", "lockstep cc", "words", "FILE...", "about",
        "Compiles CUDA C++ programs with clang and Lockstep's own headers: no CUDA toolkit is needed. Names "
        "and meaning of the options are nvcc's; a name may have one dash or two. @FILE reads options from a "
        "file. What it makes runs with `lockstep run`.",
        "options", options);
}

/* ---- the programs that stand in for NVIDIA's ---- */

static json_t *ptxas_row_json(const struct ptxas_row *r)
{
    json_t *o = json_object(), *names = json_array();
    add(names, "--%s", r->name);
    if (strcmp(r->name, r->other) != 0)
        add(names, "-%s", r->other);
    json_object_set_new(o, "names", names);
    put(o, "value",
        r->takes == PTXAS_FLAG                ? NULL
        : r->takes == PTXAS_BOOL              ? "true|false"
        : strcmp(r->name, "output-file") == 0 ? "FILE"
                                              : "VALUE");
    if (r->takes == PTXAS_BOOL)
        json_object_set_new(o, "choices", choices_of("true|false"));
    put(o, "help", r->text[0] ? r->text : "Taken, without effect");
    put(o, "section", r->text[0] ? NULL : "Without effect, as the PTX is run as it is:");
    return o;
}

static json_t *ptxas_json(void)
{
    json_t *options = json_array();
    for (u32 i = 0; ptxas_row(i); i++)
        json_array_append_new(options, ptxas_row_json(ptxas_row(i)));
    return json_pack("[{s:s,s:s,s:s,s:o}]", "name", "lockstep-ptxas", "words", "FILE", "about",
                     PTXAS_ABOUT " A name may have one dash or two; a value follows = or is the next word.", "options",
                     options);
}

static json_t *smi_json(void)
{
    json_t *tables = json_array();
    struct smi_command c;
    int status;
    options_collect(take_table, tables);
    smi_read(&c, 1, (char *[]){"nvidia-smi", NULL}, &status);
    options_collect(NULL, NULL);
    return tables;
}

static json_t *programs_json(void)
{
    return json_pack("[{s:s,s:s,s:o},{s:s,s:s,s:o}]", "name", "lockstep-ptxas", "about",
                     "check PTX and put it into an object, in ptxas's place", "tables", ptxas_json(), "name",
                     "nvidia-smi", "about", "list Lockstep's devices, in the place of NVIDIA's", "tables", smi_json());
}

/* ---- all of it ---- */

static json_t *command_json(const struct command *c)
{
    json_t *tables = strcmp(c->name, "cc") == 0 ? compiler_json() : json_array();
    char name[40];
    snprintf(name, sizeof name, "lockstep %s", c->name);
    if (!json_array_size(tables)) {
        options_collect(take_table, tables);
        c->run(1, (char *[]){name, NULL});
        options_collect(NULL, NULL);
    }
    return json_pack("{s:s,s:s,s:o}", "name", c->name, "about", c->about, "tables", tables);
}

static json_t *settings_json(void)
{
    json_t *list = json_array();
    for (int n = 0; n < SETTING_COUNT; n++) {
        const struct setting_info *s = setting_info((enum setting)n);
        if (s->scope != SETTING_SCOPE_USER)
            continue;
        json_t *o = json_object();
        put(o, "name", s->name);
        put(o, "takes", s->takes);
        put(o, "preset", s->preset ? s->preset : s->usual);
        put(o, "meaning", s->meaning);
        json_array_append_new(list, o);
    }
    return list;
}

int describe_commands(FILE *out, const struct command *commands, u32 n)
{
    json_t *list = json_array(), *gpus = json_array();
    for (u32 i = 0; i < n; i++)
        json_array_append_new(list, command_json(&commands[i]));
    for (u32 i = 0; gpu_builtin(i); i++)
        add(gpus, "%s", gpu_builtin(i));
    json_t *all = json_pack("{s:s,s:o,s:o,s:o,s:o}", "version", LS_VERSION, "gpus", gpus, "settings", settings_json(),
                            "commands", list, "programs", programs_json());
    const bool good = all && json_dumpf(all, out, JSON_INDENT(1)) == 0 && fputc('\n', out) != EOF;
    json_decref(all);
    return good ? CLI_OK : CLI_TROUBLE;
}
