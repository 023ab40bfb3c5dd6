/* source_words.c - source lines and PTX. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "cli/debug/debug.h"
#include "cli/said.h"
#include "meter/rules.h"

/* A file may be in any encoding. */
static json_t *text_value(const char *text)
{
    json_t *value = json_string(text);
    return value ? value : json_string("?");
}

bool debug_source_line(struct debug_cli *d, const struct debug_line *line, char *out, size_t size)
{
    const char *path = line->line ? session_source(d->s, line->file) : NULL;
    FILE *f = path ? fopen(path, "r") : NULL;
    bool found = false;
    for (u32 k = 1; f && k <= line->line && fgets(out, (int)size, f); k += strchr(out, '\n') != NULL)
        found = k == line->line;
    if (f)
        fclose(f);
    out[found ? strcspn(out, "\r\n") : 0] = '\0';
    return found;
}

void debug_list_lines(struct debug_cli *d, const char *file, u32 first, u32 last, u32 here)
{
    const char *path = session_source(d->s, file);
    FILE *f = path ? fopen(path, "r") : NULL;
    char *text = NULL;
    size_t room = 0;
    u32 line = 0;
    if (!f) {
        debug_wrong(d, "%s: No such file.", file && *file ? file : "No source");
        return;
    }
    while (++line <= last && getline(&text, &room, f) >= 0)
        if (line >= first) {
            text[strcspn(text, "\r\n")] = '\0';
            debug_tell(d,
                       json_pack("{s:{s:s, s:i, s:o, s:b}}", "line", "file", file, "line", (int)line, "text",
                                 text_value(text), "here", line == here),
                       "%u%s\t%s", line, line == here ? " >" : "", text);
        }
    if (line <= first)
        debug_wrong(d, "Line number %u out of range; %s has %u lines.", first, file, line - 1);
    free(text); /* getline's */
    fclose(f);
    snprintf(d->listed.file, sizeof d->listed.file, "%s", file);
    d->listed.next = last + 1;
}

static u32 line_here(struct debug_cli *d)
{
    const struct session_frame *frames;
    u32 n;
    if (!session_where(d->s) || !session_frames(d->s, &frames, &n))
        return 0;
    return frames[session_focus(d->s)->frame].line.line;
}

static void default_source(struct debug_cli *d)
{
    const struct session_module *m = session_module_here(d->s);
    u32 n = 0;
    const struct debug_function *f = m ? debug_functions(m->info, &n) : NULL;
    for (u32 k = 0; k < n && !d->listed.file[0]; k++)
        if (f[k].file && f[k].func->is_entry) {
            snprintf(d->listed.file, sizeof d->listed.file, "%s", f[k].file);
            d->listed.next = f[k].line > 5 ? f[k].line - 5 : 1;
        }
}

static void list_function(struct debug_cli *d, const char *name)
{
    const struct session_module *const *all;
    const u32 n = session_modules(d->s, &all);
    for (u32 k = n; k-- > 0;) {
        const struct debug_function *f = debug_function_find(all[k]->info, name);
        if (f && f->file) {
            debug_list_lines(d, f->file, f->line > 5 ? f->line - 4 : 1, f->line + 5, line_here(d));
            return;
        }
    }
    debug_wrong(d, "Function \"%s\" not defined.", name);
}

void word_list(struct debug_cli *d, const char *rest)
{
    char *end;
    const u32 first = (u32)strtoul(rest, &end, 10);
    if (!d->listed.file[0])
        default_source(d);
    if (*rest && end == rest)
        list_function(d, rest);
    else if (*rest && *end == ',')
        debug_list_lines(d, d->listed.file, first, end[1] ? (u32)strtoul(end + 1, NULL, 10) : first + 9, line_here(d));
    else if (*rest)
        debug_list_lines(d, d->listed.file, first > 5 ? first - 5 : 1, first > 5 ? first + 4 : 10, line_here(d));
    else
        debug_list_lines(d, d->listed.file, d->listed.next, d->listed.next + 9, line_here(d));
}

void word_info_source(struct debug_cli *d, const char *rest)
{
    (void)rest;
    default_source(d);
    if (d->listed.file[0])
        debug_tell(d, json_pack("{s:{s:s}}", "source", "file", d->listed.file), "Current source file is %s",
                   d->listed.file);
    else
        debug_wrong(d, "No current source file.");
}

/* ---- PTX, and what ptxas makes of it ---- */

/* The machine code of the launch's kernel, or of f if that is one. NULL: no ptxas is there, or it does not take the text. */
static const struct sass_func *machine_code(struct debug_cli *d, const struct session_module *m,
                                            const struct ptx_func *f, u32 *cc)
{
    const json_t *hello = json_object_get(session_hello(d->s), "device");
    const json_t *of = json_object_get(hello, "compute_capability");
    const char *name = said.ptxas ? said.ptxas : "ptxas";
    const struct session_stop *w = session_where(d->s);
    const char *kernel = w ? json_string_value(json_object_get(w->message, "kernel")) : NULL;
    const struct ptxas with = {.program = name, .tmp = settings_tmp()};
    const struct sass_func *code = NULL;
    if (f->is_entry)
        kernel = f->name;
    *cc = (u32)json_integer_value(json_array_get(of, 0));
    const u32 sm = *cc * 10 + (u32)json_integer_value(json_array_get(of, 1));
    if (!m || !kernel || !*name || strcmp(name, "0") == 0)
        return NULL;
    ptxas_ask(&with, m->ptx->text, m->ptx->text_len, sm, kernel, &code);
    return code;
}

/* "IMAD IADD3 LDG": what became of a line of the PTX; "" nothing. */
static const char *machine_text(struct debug_cli *d, const struct sass_func *code, u32 line, u32 cc)
{
    const char *text = "";
    u32 more = 0, shown = 0;
    for (u32 k = 0; k < code->n; k++) {
        if (code->insts[k].line != line || code->insts[k].op == SASS_NOP)
            continue;
        const struct sass_row *row = sass_row_of(code->insts[k].low, cc);
        if (++shown > 6)
            more++;
        else
            text = arena_printf(session_memory(d->s), "%s%s%s", text, *text ? " " : "", row ? row->name : "?");
    }
    if (!*text)
        return "(nothing of its own)";
    return more ? arena_printf(session_memory(d->s), "%s and %u more", text, more) : text;
}

static void say_instruction(struct debug_cli *d, const struct ptx_func *func, u32 k, bool here, const char *machine)
{
    char text[256];
    ptx_print_inst(&func->insts[k], text, sizeof text);
    debug_tell(d,
               json_pack("{s:{s:s, s:i, s:o, s:b, s:s*}}", "instruction", "function", func->name, "index", (int)k,
                         "text", text_value(text), "here", here, "machine", machine),
               machine ? "%s %5u  %-48s %s" : "%s %5u  %s%s", here ? "=>" : "  ", k, text, machine ? machine : "");
}

static void say_instructions(struct debug_cli *d, const struct ptx_func *func, u32 first, u32 last, u32 here,
                             bool machine)
{
    const struct session_module *m = machine ? session_module_here(d->s) : NULL;
    u32 cc = 0;
    const struct sass_func *code = machine ? machine_code(d, m, func, &cc) : NULL;
    if (machine && !code)
        debug_wrong(d, "No ptxas says what becomes of it (LOCKSTEP_PTXAS, or the PATH).");
    for (u32 k = first; k < last && k < func->ninsts; k++)
        say_instruction(d, func, k, k == here, code ? machine_text(d, code, func->insts[k].line, cc) : NULL);
}

/* disassemble [/s] [FUNCTION] */
void word_disassemble(struct debug_cli *d, const char *rest)
{
    const struct session_module *m = session_module_here(d->s);
    const struct session_frame *frames;
    u32 n;
    const bool machine = strncmp(rest, "/s", 2) == 0 && (rest[2] == ' ' || !rest[2]);
    rest += machine ? 2 + strspn(rest + 2, " ") : 0;
    if (*rest) {
        const struct debug_function *f = m ? debug_function_find(m->info, rest) : NULL;
        if (f)
            say_instructions(d, f->func, 0, f->func->ninsts, UINT32_MAX, machine);
        else
            debug_wrong(d, "Function \"%s\" not defined.", rest);
        return;
    }
    if (!session_frames(d->s, &frames, &n)) {
        debug_failed(d);
        return;
    }
    const struct debug_place at = frames[session_focus(d->s)->frame].at;
    if (at.func)
        say_instructions(d, at.func, at.inst > 8 ? at.inst - 8 : 0, at.inst + 9, at.inst, machine);
}

void word_info_line(struct debug_cli *d, const char *rest)
{
    const struct session_module *m = session_module_here(d->s);
    const struct debug_place *places;
    const char *colon = strrchr(rest, ':');
    char file[512];
    u32 found;
    if (strcmp(rest, "cost") == 0) {
        word_info_cost(d, "");
        return;
    }
    if (!m) {
        debug_wrong(d, "No module is loaded yet.");
        return;
    }
    default_source(d);
    snprintf(file, sizeof file, "%.*s", colon ? (int)(colon - rest) : (int)strlen(d->listed.file),
             colon ? rest : d->listed.file);
    const u32 line = *rest ? (u32)strtoul(colon ? colon + 1 : rest, NULL, 10) : line_here(d);
    const u32 n = debug_line_places(m->info, file, line, &places, &found);
    if (!n)
        debug_say(d, "Line %u of \"%s\" has no code.", line, file);
    for (u32 k = 0; k < n; k++)
        debug_tell(d,
                   json_pack("{s:{s:s, s:i, s:s, s:i}}", "place", "file", file, "line", (int)found, "function",
                             places[k].func->name, "index", (int)places[k].inst),
                   "Line %u of \"%s\" starts at instruction %u of %s.", found, file, places[k].inst,
                   places[k].func->name);
}

void word_info_functions(struct debug_cli *d, const char *rest)
{
    const struct session_module *const *all;
    const u32 n = session_modules(d->s, &all);
    (void)rest;
    for (u32 k = 0; k < n; k++) {
        u32 count;
        const struct debug_function *f = debug_functions(all[k]->info, &count);
        for (u32 i = 0; i < count && !all[k]->gone; i++)
            debug_tell(d,
                       json_pack("{s:{s:s, s:b, s:i}}", "function", "name", f[i].name, "kernel", f[i].func->is_entry,
                                 "instructions", (int)f[i].func->ninsts),
                       "%s %s (%u instructions)", f[i].func->is_entry ? "kernel  " : "function", f[i].name,
                       f[i].func->ninsts);
    }
}
