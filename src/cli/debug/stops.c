/* stops.c - starting the program, going on, and what is said where it stands. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/debug/debug.h"
#include "cli/said.h"

/* ---- the program ---- */

/* Ctrl-C stops the launch and does not end the program; a script's lines are not its input. */
static void become_program(const struct debug_cli *d, const char *debug)
{
    signal(SIGINT, SIG_IGN);
    if (!isatty(STDIN_FILENO)) {
        const int nothing = open("/dev/null", O_RDONLY);
        if (nothing >= 0)
            dup2(nothing, STDIN_FILENO);
    }
    if (!said_set(&said, SETTING_DEBUG, debug) || !said_export(&said))
        _exit(CLI_TROUBLE);
    _exit(program_exec(&d->facts, d->program));
}

static bool spawn(void *ctx, const char *debug, pid_t *pid)
{
    const struct debug_cli *d = ctx;
    fflush(NULL);
    *pid = fork();
    if (*pid == 0)
        become_program(d, debug);
    return *pid > 0;
}

void word_run(struct debug_cli *d, const char *rest)
{
    (void)rest;
    if (!d->program) {
        debug_wrong(d, "No program to run: lockstep debug PROGRAM [ARGUMENT...].");
        return;
    }
    if (session_state(d->s) != SESSION_NONE)
        session_kill(d->s); /* again, from the beginning */
    if (!d->ready && (d->status = program_ready(d->program[0], d->unchecked, &d->facts)) != 0) {
        debug_wrong(d, "%s cannot be run.", d->program[0]);
        return;
    }
    d->ready = true;
    if (!session_start(d->s, spawn, d))
        debug_failed(d);
    else
        debug_wait(d);
}

void word_kill(struct debug_cli *d, const char *rest)
{
    (void)rest;
    if (session_state(d->s) == SESSION_NONE) {
        debug_wrong(d, "The program is not being run.");
        return;
    }
    session_kill(d->s);
    debug_say(d, "The program has been killed.");
}

void word_detach(struct debug_cli *d, const char *rest)
{
    const pid_t pid = session_pid(d->s);
    (void)rest;
    if (session_state(d->s) == SESSION_NONE)
        debug_wrong(d, "The program is not being run.");
    else if (!session_detach(d->s))
        debug_failed(d);
    else {
        debug_say(d, "Process %d runs on alone.", (int)pid);
        d->detached = pid;
    }
}

static void say_end(struct debug_cli *d, const struct session_event *e)
{
    const int code = WEXITSTATUS(e->status);
    if (!e->reaped)
        debug_tell(d, json_pack("{s:{}}", "exited"), "[The program has ended]");
    else if (WIFSIGNALED(e->status))
        debug_tell(d, json_pack("{s:{s:i}}", "exited", "signal", WTERMSIG(e->status)),
                   "[The program died of signal %d, %s]", WTERMSIG(e->status), strsignal(WTERMSIG(e->status)));
    else if (code)
        debug_tell(d, json_pack("{s:{s:i}}", "exited", "code", code), "[The program ended with exit code %d]", code);
    else
        debug_tell(d, json_pack("{s:{s:i}}", "exited", "code", 0), "[The program ended normally]");
}

/* ---- places ---- */

static const char *base_name(const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;
    return slash ? slash + 1 : file ? file : "??";
}

const char *debug_place_text(struct debug_cli *d, const char *function, const struct debug_line *line)
{
    struct arena *mem = session_memory(d->s);
    if (!line->line)
        return arena_printf(mem, "%s", function);
    return arena_printf(mem, "%s at %s:%u", function, base_name(line->file), line->line);
}

void debug_say_frame(struct debug_cli *d, const struct session_frame *f, u32 number, bool numbered, u32 breakpoint)
{
    struct arena *mem = session_memory(d->s);
    const char *arguments = debug_arguments(d, f);
    const char *where = f->line.line ? arena_printf(mem, " at %s:%u", base_name(f->line.file), f->line.line)
                                     : arena_printf(mem, " at instruction %u", f->at.inst);
    const char *hit = breakpoint ? arena_printf(mem, "Breakpoint %u, ", breakpoint) : "";
    json_t *told = json_pack("{s:{s:i, s:s, s:s, s:s*, s:i, s:b}}", "frame", "level", (int)number, "function",
                             f->function, "arguments", arguments, "file", f->line.line ? base_name(f->line.file) : NULL,
                             "line", (int)f->line.line, "inlined", f->inlined);
    if (numbered)
        debug_tell(d, told, "#%-3u%s (%s)%s", number, f->function, arguments, where);
    else
        debug_tell(d, told, "%s%s (%s)%s", hit, f->function, arguments, where);
}

void debug_say_focus(struct debug_cli *d)
{
    const struct session_focus *f = session_focus(d->s);
    struct session_launch l;
    if (!session_where(d->s) || !session_launch(d->s, &l)) {
        debug_wrong(d, "No kernel is being run.");
        return;
    }
    debug_tell(d,
               json_pack("{s:{s:s, s:I, s:[i,i,i], s:[i,i,i], s:i, s:i}}", "focus", "kernel", l.kernel, "launch",
                         (json_int_t)l.id, "block", (int)f->id[0], (int)f->id[1], (int)f->id[2], "thread",
                         (int)f->thread[0], (int)f->thread[1], (int)f->thread[2], "warp", (int)f->warp, "lane",
                         (int)f->lane),
               "[Focus: kernel %s, launch %llu, block (%u,%u,%u), thread (%u,%u,%u), warp %u, lane %u]", l.kernel,
               (unsigned long long)l.id, f->id[0], f->id[1], f->id[2], f->thread[0], f->thread[1], f->thread[2],
               f->warp, f->lane);
    d->told_block = f->block;
    d->told_warp = f->warp;
    d->told_lane = f->lane;
}

void debug_say_here(struct debug_cli *d, u32 breakpoint)
{
    const struct session_frame *frames;
    char text[512];
    u32 n;
    if (!session_frames(d->s, &frames, &n))
        return;
    const struct session_frame *f = &frames[session_focus(d->s)->frame];
    debug_say_frame(d, f, session_focus(d->s)->frame, session_focus(d->s)->frame > 0 && !breakpoint, breakpoint);
    if (debug_source_line(d, &f->line, text, sizeof text))
        debug_say(d, "%u\t%s", f->line.line, text);
    snprintf(d->listed.file, sizeof d->listed.file, "%s", f->line.file ? f->line.file : "");
    d->listed.next = f->line.line > 5 ? f->line.line - 5 : 1;
}

/* ---- stops ---- */

static void say_write(struct debug_cli *d, const struct session_stop *w)
{
    const struct session_breakpoint *b = session_breakpoint(d->s, w->breakpoint);
    const char *what = b ? b->spec.place : "?", *before = w->before ? w->before : "?",
               *after = w->after ? w->after : "?";
    debug_tell(d,
               json_pack("{s:{s:i, s:s, s:s, s:s}}", "watch", "number", (int)w->breakpoint, "expression", what,
                         "before", before, "after", after),
               "Watchpoint %u: %s\nOld value = %s\nNew value = %s", w->breakpoint, what, before, after);
}

static void say_reason(struct debug_cli *d, const struct session_stop *w)
{
    const char *text = json_string_value(json_object_get(w->message, "text"));
    if (strcmp(w->reason, "fault") == 0)
        debug_say(d, "Kernel %s has a fault:\n%s", w->kernel, text ? text : "?");
    else if (strcmp(w->reason, "watch") == 0 && w->breakpoint)
        say_write(d, w);
    else if (strcmp(w->reason, "interrupt") == 0)
        debug_say(d, "Interrupted.");
    else if (strcmp(w->reason, "begin") == 0)
        debug_say(d, "No more reverse-execution history: the launch begins here.");
    else if (strcmp(w->reason, "exited") == 0)
        debug_say(d, "The lanes have exited.");
    else if (strcmp(w->reason, "end") == 0)
        debug_say(d, "Kernel %s ends.", w->kernel);
    else if (strcmp(w->reason, "banks") == 0)
        debug_say(d, "Breakpoint %u, bank conflict: %llu passes", w->breakpoint,
                  (unsigned long long)json_integer_value(json_object_get(w->message, "passes")));
    else if (strcmp(w->reason, "divergence") == 0)
        debug_say(d, "Breakpoint %u, lanes part here.", w->breakpoint);
    if (strcmp(w->reason, "call") == 0)
        debug_say_host_call(d);
    if (strcmp(w->reason, "finding") == 0 || strcmp(w->reason, "fault") == 0)
        debug_say_findings_here(d);
    d->finding = strcmp(w->reason, "tick") == 0 ? d->finding : 0;
}

static void say_stop(struct debug_cli *d)
{
    const struct session_stop *w = session_where(d->s);
    const struct session_focus *f = session_focus(d->s);
    if (d->json)
        debug_tell(d,
                   json_pack("{s:{s:s, s:i, s:I, s:s}}", "stop", "reason", w->reason, "breakpoint", (int)w->breakpoint,
                             "tick", (json_int_t)w->tick, "kernel", w->kernel),
                   "%s", "");
    say_reason(d, w);
    if (w->warning)
        debug_wrong(d, "The condition of breakpoint %u cannot be evaluated: %s", w->breakpoint, w->warning);
    if (!w->in_warp)
        return;
    if (f->block != d->told_block || f->warp != d->told_warp || f->lane != d->told_lane)
        debug_say_focus(d);
    if (strcmp(w->reason, "breakpoint") == 0 || strcmp(w->reason, "entry") == 0)
        debug_say_here(d, w->breakpoint);
    else
        debug_say_here(d, 0);
    debug_show_displays(d);
}

void debug_wait(struct debug_cli *d)
{
    struct session_finding finding;
    struct session_event e;
    while (session_wait(d->s, -1, &e)) {
        const struct session_breakpoint *b;
        switch (e.kind) {
        case SESSION_BEGUN:
            if (!session_continue(d->s, false))
                debug_failed(d);
            break;
        case SESSION_STOP:
            say_stop(d);
            return;
        case SESSION_EXITED:
            say_end(d, &e);
            d->told_lane = UINT32_MAX;
            return;
        case SESSION_TIMEOUT:
            debug_say(d, "The program runs code of the host; it stops at its next launch.");
            return;
        case SESSION_RESOLVED:
            b = session_breakpoint(d->s, e.number);
            if (b && b->nplaces)
                debug_say(d, "Breakpoint %u: %s%s", e.number,
                          debug_place_text(d, b->places[0].function, &b->places[0].line),
                          b->nplaces > 1 ? ", and more" : "");
            break;
        case SESSION_FINDING:
            session_finding_read(d->s, e.message, &finding);
            debug_say_finding(d, &finding);
            break;
        case SESSION_WARNING:
            debug_say(d, "Warning: %s", e.text);
            break;
        default:
            break;
        }
    }
}

/* ---- going on ---- */

static u32 count_of(const char *rest)
{
    const long n = *rest ? strtol(rest, NULL, 0) : 1;
    return n > 0 ? (u32)n : 1;
}

static void steps(struct debug_cli *d, enum session_step how, bool backwards, const char *rest)
{
    for (u32 n = count_of(rest); n > 0; n--) {
        if (!session_step(d->s, how, backwards)) {
            debug_failed(d);
            return;
        }
        debug_wait(d);
        const struct session_stop *w = session_where(d->s);
        if (!w || (strcmp(w->reason, "step") != 0 && strcmp(w->reason, "finish") != 0))
            return;
    }
}

void word_step(struct debug_cli *d, const char *rest) { steps(d, SESSION_STEP, false, rest); }
void word_next(struct debug_cli *d, const char *rest) { steps(d, SESSION_NEXT, false, rest); }
void word_stepi(struct debug_cli *d, const char *rest) { steps(d, SESSION_STEP_INSTRUCTION, false, rest); }
void word_nexti(struct debug_cli *d, const char *rest) { steps(d, SESSION_NEXT_INSTRUCTION, false, rest); }
void word_finish(struct debug_cli *d, const char *rest)
{
    const struct session_stop *w;
    const char *text;
    u32 number;
    (void)rest;
    w = session_where(d->s);
    const u64 before = w ? w->tick : 0;
    steps(d, SESSION_FINISH, false, "");
    w = session_where(d->s);
    if (w && w->tick > before && strcmp(w->reason, "finish") == 0 && session_returned(d->s, &text, &number))
        debug_tell(d, json_pack("{s:{s:s, s:i}}", "returned", "value", text, "number", (int)number),
                   "Value returned is $%u = %s", number, text);
}
void word_reverse_step(struct debug_cli *d, const char *rest) { steps(d, SESSION_STEP, true, rest); }
void word_reverse_next(struct debug_cli *d, const char *rest) { steps(d, SESSION_NEXT, true, rest); }
void word_reverse_stepi(struct debug_cli *d, const char *rest) { steps(d, SESSION_STEP_INSTRUCTION, true, rest); }
void word_reverse_finish(struct debug_cli *d, const char *rest) { (void)rest, steps(d, SESSION_FINISH, true, ""); }

void word_continue(struct debug_cli *d, const char *rest)
{
    const struct session_stop *w = session_where(d->s);
    if (*rest && w && w->breakpoint && !session_ignore(d->s, w->breakpoint, count_of(rest) - 1))
        debug_failed(d);
    if (session_continue(d->s, false))
        debug_wait(d);
    else
        debug_failed(d);
}

void word_reverse_continue(struct debug_cli *d, const char *rest)
{
    (void)rest;
    if (session_continue(d->s, true))
        debug_wait(d);
    else
        debug_failed(d);
}

void word_until(struct debug_cli *d, const char *rest)
{
    if (session_until(d->s, *rest ? rest : NULL))
        debug_wait(d);
    else
        debug_failed(d);
}

void word_goto(struct debug_cli *d, const char *rest)
{
    if (!*rest)
        debug_wrong(d, "goto needs a tick (`info program` says which it is now).");
    else if (session_goto(d->s, strtoull(rest, NULL, 0)))
        debug_wait(d);
    else
        debug_failed(d);
}

/* ---- who wrote ---- */

static void say_last_write(struct debug_cli *d, const char *expression, bool to)
{
    struct session_write w;
    bool found;
    if (!*expression)
        debug_wrong(d, "Whose value?");
    else if (!session_last_write(d->s, expression, to, &found, &w))
        debug_failed(d);
    else if (!found)
        debug_say(d, "Nothing in this launch has written %s before.", expression);
    else {
        const char *place = debug_place_text(d, w.function, &w.line);
        debug_tell(d,
                   json_pack("{s:{s:s, s:I, s:I, s:i, s:I, s:s, s:s, s:s}}", "write", "expression", expression, "tick",
                             (json_int_t)w.tick, "block", (json_int_t)w.block, "warp", (int)w.warp, "lanes",
                             (json_int_t)w.lanes, "before", w.before, "after", w.after, "place", place),
                   "%s was written last by block %llu, warp %u, lanes 0x%08x in %s (tick %llu)\nOld value = %s\n"
                   "New value = %s",
                   expression, (unsigned long long)w.block, w.warp, w.lanes, place, (unsigned long long)w.tick,
                   w.before, w.after);
        if (to)
            debug_wait(d);
    }
}

void word_info_write(struct debug_cli *d, const char *rest) { say_last_write(d, rest, false); }
void word_reverse_watch(struct debug_cli *d, const char *rest) { say_last_write(d, rest, true); }
