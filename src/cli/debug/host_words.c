/* host_words.c - where the program stands in its own code: stops at calls of CUDA's API, and the host's calls above them. */
#include <stdio.h>
#include <string.h>

#include "cli/debug/debug.h"
#include "cli/symbols.h"

static const char *base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* CUDA's libraries themselves. */
static bool is_ours(const char *module)
{
    const char *name = base_name(module);
    return strncmp(name, "libcuda.so", 10) == 0 || strncmp(name, "libcudart.so", 12) == 0;
}

static const char *place_text(struct debug_cli *d, const struct symbol *s, const char *module)
{
    struct arena *mem = session_memory(d->s);
    const char *function = s->function ? s->function : "??";
    return s->file ? arena_printf(mem, "%s at %s:%u", function, base_name(s->file), s->line)
                   : arena_printf(mem, "%s in %s", function, base_name(module));
}

/* The first frame of the program's own. A sanitizer's library stands between us and backtrace(), so ours need not be the first. */
static u32 first_of_program(const struct session_host_frame *f, u32 n)
{
    u32 k = 0;
    while (k < n && !is_ours(f[k].module))
        k++;
    while (k < n && is_ours(f[k].module))
        k++;
    return k < n ? k : 0;
}

/* False: behind main nobody looks. */
static bool say_frame(struct debug_cli *d, struct symbols *symbols, const struct session_host_frame *f, u32 *number)
{
    bool more = true;
    struct symbol inside[SYMBOLS_INLINED] = {0};
    const u32 n = symbols ? symbols_find(symbols, session_memory(d->s), f->module, f->offset, inside) : 0;
    for (u32 k = 0; k < n || (k == 0 && !n); k++) {
        const char *text = place_text(d, &inside[k], f->module);
        debug_tell(d,
                   json_pack("{s:{s:i, s:s*, s:s*, s:i, s:s}}", "host_frame", "level", (int)*number, "function",
                             inside[k].function, "file", inside[k].file, "line", (int)inside[k].line, "module",
                             f->module),
                   "#%-3u%s", *number, text);
        ++*number;
        more &= !inside[k].function || strcmp(inside[k].function, "main") != 0;
    }
    return more;
}

bool debug_say_host_frames(struct debug_cli *d)
{
    const struct session_host_frame *f;
    u32 n, number = 0;
    if (!session_where(d->s) || !session_host_call(d->s, &f, &n))
        return false;
    struct symbols *symbols = symbols_open();
    for (u32 k = first_of_program(f, n); k < n && say_frame(d, symbols, &f[k], &number); k++)
        ;
    symbols_close(symbols);
    return true;
}

void debug_say_host_call(struct debug_cli *d)
{
    const struct session_host_frame *f;
    u32 n;
    const char *name = session_host_call(d->s, &f, &n);
    if (name)
        debug_say(d, "Breakpoint %u, the host calls %s", session_where(d->s)->breakpoint, name);
    debug_say_host_frames(d);
}

static void make(struct debug_cli *d, const char *name)
{
    const struct session_breakpoint_spec spec = {.kind = SESSION_AT_CALL, .place = name};
    u32 number;
    if (session_break(d->s, &spec, &number))
        debug_say(d, "Catchpoint %u (call of %s)", number, name ? name : "CUDA's API");
    else
        debug_failed(d);
}

void debug_catch_call(struct debug_cli *d, const char *rest) { make(d, *rest ? rest : NULL); }

/* The launches of programs that use the runtime library, or the driver alone. */
void debug_catch_host_launch(struct debug_cli *d)
{
    make(d, "cudaLaunch*");
    make(d, "cuLaunch*");
}
