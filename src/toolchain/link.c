/* link.c - from objects to a program, a shared library or an archive.
 *
 * A program finds libcudart.so.13 as nvcc's do: by the loader's usual ways. No path is put into it; `lockstep run`
 * supplies one. */
#include "toolchain/toolchain.h"

#include <string.h>
#include <unistd.h>

static void add_words(tool_words *w, struct arena *mem, const tool_words *from)
{
    for (u32 i = 0; i < from->len; i++)
        tool_words_add(w, mem, from->at[i]);
}

static void plan_archive(struct tool_plan *plan, const tool_words *objects, const char *out, struct arena *mem)
{
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, out, mem);
    tool_words_add(&s->argv, mem, "ar");
    tool_words_add(&s->argv, mem, "rcs");
    tool_words_add(&s->argv, mem, out);
    add_words(&s->argv, mem, objects);
}

/* The archives that -l finds in the folders of -L: their objects may have device code too. */
static void add_archives(tool_words *w, const struct tool_options *o, struct arena *mem)
{
    for (u32 i = 0; i < o->libraries.len; i++)
        for (u32 k = 0; strncmp(o->libraries.at[i], "-l", 2) == 0 && k < o->libraries.len; k++) {
            if (strncmp(o->libraries.at[k], "-L", 2) != 0)
                continue;
            const char *file = arena_printf(mem, "%s/lib%s.a", o->libraries.at[k] + 2, o->libraries.at[i] + 2);
            if (access(file, R_OK) == 0)
                tool_words_add(w, mem, file);
        }
}

/* The object that registers the device code of all objects together: a C file of ours, compiled. */
static const char *plan_stub(struct tool_plan *plan, const struct tool_options *o, const struct tool_paths *p,
                             const tool_words *objects, struct arena *mem)
{
    const char *source = arena_printf(mem, "%s/device-link.c", p->tmp);
    const char *object = arena_printf(mem, "%s/device-link.o", p->tmp);
    struct tool_step *s = tool_step_add(plan, STEP_LINK_STUB, source, mem);
    add_words(&s->argv, mem, objects);
    add_archives(&s->argv, o, mem);
    s->options = o;
    s = tool_step_add(plan, STEP_COMMAND, object, mem);
    const char *const words[] = {p->clang, "-x", "c", "-O1", "-fPIC", "-c", source, "-o", object};
    for (u32 i = 0; i < LS_ARRAY_LEN(words); i++)
        tool_words_add(&s->argv, mem, words[i]);
    return object;
}

void tool_plan_link(struct tool_plan *plan, const struct tool_options *o, const struct tool_paths *p,
                    const tool_words *objects, const char *out, struct arena *mem)
{
    if (o->output == TOOL_LIBRARY) {
        plan_archive(plan, objects, out ? out : "a.a", mem);
        return;
    }
    if (!out)
        out = o->output == TOOL_SHARED ? "a.so" : "a.out";
    const char *stub = o->rdc ? plan_stub(plan, o, p, objects, mem) : NULL;
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, out, mem);
    tool_words_add(&s->argv, mem, p->clang);
    tool_words_add(&s->argv, mem, "--driver-mode=g++");
    if (o->output == TOOL_SHARED)
        tool_words_add(&s->argv, mem, "-shared");
    add_words(&s->argv, mem, &o->compiler);
    add_words(&s->argv, mem, objects);
    add_words(&s->argv, mem, &o->libraries);
    if (stub) /* last: its constructor runs when all others have */
        tool_words_add(&s->argv, mem, stub);
    for (u32 i = 0; i < o->linker.len; i++) {
        tool_words_add(&s->argv, mem, "-Xlinker");
        tool_words_add(&s->argv, mem, o->linker.at[i]);
    }
    tool_words_add(&s->argv, mem, arena_printf(mem, "-L%s", p->lib));
    if (!o->no_runtime)
        tool_words_add(&s->argv, mem, "-lcudart");
    tool_words_add(&s->argv, mem, "-o");
    tool_words_add(&s->argv, mem, out);
    if (o->run) {
        s = tool_step_add(plan, STEP_RUN, NULL, mem);
        tool_words_add(&s->argv, mem, strchr(out, '/') ? out : arena_printf(mem, "./%s", out));
    }
}
