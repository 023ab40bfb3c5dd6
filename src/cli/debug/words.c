/* words.c - the words of the command line: one table, found by their beginning if that is unambiguous. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/likeness.h"
#include "cli/debug/debug.h"

static debug_word word_help, word_quit, word_info, word_source, word_echo;

static const struct debug_row rows[] = {
    {"run", word_run, "", "start the program, or start it again"},
    {"continue", word_continue, "[N]", "to the next stop; N: of this breakpoint, the Nth"},
    {"step", word_step, "[N]", "to another source line, into functions"},
    {"next", word_next, "[N]", "to another source line, over functions"},
    {"stepi", word_stepi, "[N]", "one PTX instruction"},
    {"nexti", word_nexti, "[N]", "one PTX instruction, over calls"},
    {"finish", word_finish, "", "out of the function"},
    {"until", word_until, "[PLACE]", "to a later line, or to a place"},
    {"reverse-continue", word_reverse_continue, "", "to the stop before"},
    {"reverse-step", word_reverse_step, "[N]", "to the line before"},
    {"reverse-next", word_reverse_next, "[N]", "to the line before, over functions"},
    {"reverse-stepi", word_reverse_stepi, "[N]", "one PTX instruction back"},
    {"reverse-finish", word_reverse_finish, "", "back to the call of the function"},
    {"reverse-watch", word_reverse_watch, "EXPRESSION", "back to the store that wrote it last"},
    {"goto", word_goto, "TICK", "to that moment of the launch, before or behind"},
    {"kill", word_kill, "", "end the program"},
    {"detach", word_detach, "", "let the program run on alone"},
    {"break", word_break, "PLACE [if CONDITION] | finding [TOOL] | api CALL | launch",
     "stop at FILE:LINE, LINE, FUNCTION, *FUNCTION+INSTRUCTION"},
    {"party", word_party, "1|2 [of N]", "to what this party of the finding does"},
    {"finding", word_finding, "N", "to the finding of that number"},
    {"tbreak", word_tbreak, "PLACE [if CONDITION]", "the same, once"},
    {"catch", word_catch, "launch [KERNEL] | divergence | bank-conflict [> N] | finding [TOOL] | end",
     "stop at something that happens"},
    {"watch", word_watch, "EXPRESSION", "stop where its value changes"},
    {"delete", word_delete, "[N...]", "delete breakpoints, or all"},
    {"disable", word_disable, "[N...]", "switch breakpoints off"},
    {"enable", word_enable, "[N...]", "switch breakpoints on"},
    {"ignore", word_ignore, "N COUNT", "pass over so many hits"},
    {"condition", word_condition, "N [CONDITION]", "stop only where it holds"},
    {"print", word_print, "[-lanes] [/FORMAT] EXPRESSION", "its value, in this thread or in all lanes of the warp"},
    {"show", word_show, "values [FROM]", "the values that were printed: $1, $2, ...; $ the last, $$ the one before"},
    {"x", word_x, "[/COUNT FORMAT SIZE] ADDRESS", "memory"},
    {"display", word_display, "[/FORMAT] EXPRESSION", "print it at each stop"},
    {"undisplay", word_undisplay, "[N]", "no longer"},
    {"ptype", word_ptype, "EXPRESSION", "its type"},
    {"set", word_set, "var EXPRESSION", "assign: set var x = 3"},
    {"info", word_info, "WORD", "tells of many things: info alone lists them"},
    {"cuda", word_cuda, "[kernel|block|thread|warp|lane ...]", "the focus, or choose it"},
    {"thread", word_thread, "[(X,Y,Z)] | apply all bt", "choose a thread, or all backtraces by place"},
    {"backtrace", word_bt, "", "the calls"},
    {"bt", word_bt, "", NULL},
    {"where", word_bt, "", NULL},
    {"up", word_up, "[N]", "to the caller's frame"},
    {"down", word_down, "[N]", "to the callee's frame"},
    {"frame", word_frame, "[N]", "choose a frame"},
    {"list", word_list, "[LINE | FIRST,LAST | FUNCTION]", "source lines"},
    {"disassemble", word_disassemble, "[/s] [FUNCTION]",
     "PTX around here, or of a function; /s: with what ptxas makes of it"},
    {"source", word_source, "FILE", "do the lines of a file"},
    {"echo", word_echo, "TEXT", "print it"},
    {"help", word_help, "[WORD]", "this list"},
    {"quit", word_quit, "", "end"},
};

static const struct {
    const char *name, *word;
} aliases[] = {{"b", "break"},         {"c", "continue"},      {"s", "step"},
               {"n", "next"},          {"p", "print"},         {"r", "run"},
               {"l", "list"},          {"i", "info"},          {"d", "delete"},
               {"u", "until"},         {"si", "stepi"},        {"ni", "nexti"},
               {"f", "frame"},         {"fin", "finish"},      {"rc", "reverse-continue"},
               {"rs", "reverse-step"}, {"rn", "reverse-next"}, {"rsi", "reverse-stepi"},
               {"q", "quit"},          {"h", "help"},          {"fg", "continue"},
               {"exit", "quit"},       {"inspect", "print"},   {"tb", "tbreak"},
               {"k", "kill"},          {"t", "thread"}};

/* ---- finding ---- */

static size_t word_length(const char *text)
{
    size_t n = 0;
    while (isalpha((unsigned char)text[n]) || (n && text[n] == '-' && isalpha((unsigned char)text[n + 1])))
        n++;
    return n;
}

static const struct debug_row *by_name(const struct debug_row *list, u32 n, const char *name, size_t len)
{
    for (u32 k = 0; k < n; k++)
        if (strlen(list[k].name) == len && memcmp(list[k].name, name, len) == 0)
            return &list[k];
    return NULL;
}

static void unknown(struct debug_cli *d, const struct debug_row *list, u32 n, const char *before, const char *name)
{
    const char *best = NULL;
    for (u32 k = 0; k < n; k++)
        likeness_keep(&best, name, list[k].name);
    if (best)
        debug_wrong(d, "Undefined command: \"%s%s\". Did you mean \"%s%s\"?", before, name, before, best);
    else
        debug_wrong(d, "Undefined command: \"%s%s\". Try \"help\".", before, name);
}

const struct debug_row *debug_find(struct debug_cli *d, const struct debug_row *list, u32 n, const char *before,
                                   const char **rest)
{
    const size_t len = word_length(*rest);
    const struct debug_row *found = by_name(list, n, *rest, len);
    char name[64], others[400] = "";
    u32 matches = 0;
    snprintf(name, sizeof name, "%.*s", (int)(len < 60 ? len : 60), len ? *rest : "");
    for (u32 k = 0; !found && list == rows && k < LS_ARRAY_LEN(aliases); k++)
        if (strcmp(aliases[k].name, name) == 0)
            found = by_name(list, n, aliases[k].word, strlen(aliases[k].word));
    const struct debug_row *match = NULL;
    for (u32 k = 0; !found && len && k < n; k++)
        if (strncmp(list[k].name, *rest, len) == 0) {
            const size_t at = strlen(others);
            snprintf(others + at, sizeof others - at, "%s%s", at ? ", " : "", list[k].name);
            match = &list[k];
            matches++;
        }
    if (!found && matches == 1)
        found = match;
    if (!found && matches > 1)
        debug_wrong(d, "Ambiguous command \"%s%s\": %s.", before, name, others);
    else if (!found) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(*rest, " \t"), *rest);
        unknown(d, list, n, before, name);
    }
    *rest += len;
    while (isspace((unsigned char)**rest))
        ++*rest;
    return found;
}

void debug_line(struct debug_cli *d, const char *line)
{
    static const char *const again[] = {"step",         "next",         "stepi",         "nexti",    "list",
                                        "reverse-step", "reverse-next", "reverse-stepi", "continue", "reverse-continue",
                                        "up",           "down"};
    char text[sizeof d->last];
    while (isspace((unsigned char)*line))
        line++;
    if (*line == '#')
        return;
    snprintf(text, sizeof text, "%s", *line ? line : d->last);
    size_t n = strlen(text);
    while (n && isspace((unsigned char)text[n - 1]))
        text[--n] = '\0';
    if (!n)
        return;
    const char *rest = text;
    const struct debug_row *row = debug_find(d, rows, LS_ARRAY_LEN(rows), "", &rest);
    d->last[0] = '\0';
    if (!row)
        return;
    for (u32 k = 0; k < LS_ARRAY_LEN(again); k++)
        if (strcmp(row->name, again[k]) == 0) /* an empty line repeats these, list further on */
            snprintf(d->last, sizeof d->last, "%s", strcmp(row->name, "list") == 0 ? "list" : text);
    row->take(d, rest);
}

/* ---- help, quit, info ---- */

static void say_row(struct debug_cli *d, const char *before, const struct debug_row *r)
{
    char head[120];
    snprintf(head, sizeof head, "%s%s %s", before, r->name, r->words);
    if (r->help)
        debug_say(d, "%-44s %s", head, r->help);
}

static void word_help(struct debug_cli *d, const char *rest)
{
    const struct debug_row *row = *rest ? debug_find(d, rows, LS_ARRAY_LEN(rows), "", &rest) : NULL;
    if (row)
        say_row(d, "", row);
    else
        for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++)
            say_row(d, "", &rows[k]);
}

static void word_quit(struct debug_cli *d, const char *rest)
{
    (void)rest;
    d->over = true;
}

static void word_info(struct debug_cli *d, const char *rest)
{
    if (!*rest) {
        for (u32 k = 0; k < debug_ninfo; k++)
            say_row(d, "info ", &debug_info_rows[k]);
        return;
    }
    const struct debug_row *row = debug_find(d, debug_info_rows, debug_ninfo, "info ", &rest);
    if (row)
        row->take(d, rest);
}

static void word_source(struct debug_cli *d, const char *rest)
{
    if (!debug_read_file(d, rest))
        debug_wrong(d, "%s cannot be read.", rest);
}

static void word_echo(struct debug_cli *d, const char *rest) { debug_say(d, "%s", rest); }

const struct debug_row debug_info_rows[] = {
    {"locals", word_info_locals, "", "the variables of the frame"},
    {"args", word_info_args, "", "the arguments of the frame"},
    {"registers", word_info_registers, "[NAME...]", "PTX registers of this lane"},
    {"breakpoints", word_info_breakpoints, "", "breakpoints and watches"},
    {"display", word_info_display, "", "what is printed at each stop"},
    {"line", word_info_line, "[PLACE]", "where the code of a line is"},
    {"source", word_info_source, "", "the file"},
    {"functions", word_info_functions, "", "kernels and functions"},
    {"program", word_info_program, "", "what it does, and at which tick it is"},
    {"warp", word_info_warp, "", "the warp's 32 lanes: which run, wait, have parted, have exited"},
    {"write", word_info_write, "EXPRESSION", "who wrote it last"},
    {"shared", word_info_shared, "[NAME [FIRST[,LAST]]]", "shared memory: who wrote each element last, and when"},
    {"cost", word_info_cost, "[LINE]", "what each line has cost so far"},
    {"findings", word_info_findings, "", "what lockstep check's tools find in the launch (break finding)"},
    {"cuda", word_info_cuda, "kernels|blocks|warps|threads|lanes|launch|devices", "what there is on the device"},
};
const u32 debug_ninfo = LS_ARRAY_LEN(debug_info_rows);
