/* rdc.c - linking the device code of several objects (-rdc=true).
 *
 * Each object of such a compilation calls, before main, a function that does not exist yet, named for the object:
 *
 *     __cudaRegisterLinkedBinary<id>(register, wrapper, module id, callback)
 *
 * The stub written here defines one for each object that is linked, keeps what they are called with, and registers the
 * containers of all together when the last constructor runs, as one program: a wrapper of version 2, whose list of
 * containers the runtime links. Then the references to managed variables are set (rewrite.c). Objects of an archive
 * that are not taken out of it call nothing and are left out. */
#include "toolchain/toolchain.h"

#include <string.h>

static const char prefix[] = "__cudaRegisterLinkedBinary";

/* What comes before and behind the functions of the objects. */
static const char head[] =
    "#include <stdlib.h>\n"
    "\n"
    "struct wrapper {\n"
    "    int magic, version;\n"
    "    const void *data;\n"
    "    const void **list;\n"
    "};\n"
    "extern void **__cudaRegisterFatBinary(void *wrapper);\n"
    "extern void __cudaRegisterFatBinaryEnd(void **handle);\n"
    "extern void __cudaUnregisterFatBinary(void **handle);\n"
    "\n"
    "static const void *containers[OBJECTS + 1];\n"
    "static void (*registrations[OBJECTS + 1])(void **);\n"
    "static volatile unsigned objects; /* other constructors count: not to be evaluated while compiling */\n"
    "static void **handle;\n"
    "\n"
    "static void add(void (*registration)(void **), const struct wrapper *w)\n"
    "{\n"
    "    containers[objects] = w->data;\n"
    "    registrations[objects++] = registration;\n"
    "}\n"
    "extern void (*__start_lockstep_managed[])(void) __attribute__((weak, visibility(\"hidden\")));\n"
    "extern void (*__stop_lockstep_managed[])(void) __attribute__((weak, visibility(\"hidden\")));\n"
    "static void unregister(void)\n"
    "{\n"
    "    __cudaUnregisterFatBinary(handle);\n"
    "}\n"
    "#define DEFINE(name)                                                                        \\\n"
    "    __attribute__((visibility(\"hidden\"))) void name(void (*registration)(void **), void *w, void *id, \\\n"
    "                                                    void (*callback)(void *))                \\\n"
    "    {                                                                                       \\\n"
    "        (void)id, (void)callback;                                                           \\\n"
    "        add(registration, w);                                                               \\\n"
    "    }\n";
static const char tail[] =
    "\n"
    "__attribute__((constructor)) static void register_all(void)\n"
    "{\n"
    "    static struct wrapper all = {0x466243B1, 2, 0, containers};\n"
    "    if (!objects)\n"
    "        return;\n"
    "    all.data = containers[0];\n"
    "    handle = __cudaRegisterFatBinary(&all);\n"
    "    for (unsigned i = 0; i < objects; i++)\n"
    "        registrations[i](handle);\n"
    "    __cudaRegisterFatBinaryEnd(handle);\n"
    "    atexit(unregister);\n"
    "    for (void (**hook)(void) = __start_lockstep_managed; hook < __stop_lockstep_managed; hook++)\n"
    "        (*hook)();\n"
    "}\n";

static bool has(const tool_words *w, const char *word)
{
    for (u32 i = 0; i < w->len; i++)
        if (strcmp(w->at[i], word) == 0)
            return true;
    return false;
}

/* The names that a file's symbol tables have, be it an object or an archive of them: strings between NULs. */
static enum ls_status find_names(tool_words *names, const char *path, struct arena *mem, struct diag_list *diags)
{
    size_t len;
    const char *bytes = tool_file_read(path, &len, mem, diags), *at = bytes, *found;
    if (!bytes)
        return LS_ERR_IO;
    while ((found = memmem(at, len - (size_t)(at - bytes), prefix, sizeof prefix - 1))) {
        const bool whole = found > bytes && !found[-1] && found[sizeof prefix - 1];
        at = found + strlen(found); /* the text is NUL-terminated in mem */
        if (whole && !has(names, found))
            tool_words_add(names, mem, found);
    }
    return LS_OK;
}

enum ls_status tool_link_stub_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags)
{
    tool_words names = {0};
    for (u32 i = 0; i < s->argv.len; i++) {
        const char *dot = strrchr(s->argv.at[i], '.');
        const bool searched = dot && (strcmp(dot, ".o") == 0 || strcmp(dot, ".a") == 0);
        if (searched && find_names(&names, s->argv.at[i], mem, diags) != LS_OK)
            return LS_ERR_IO;
    }
    const char *text = arena_printf(mem, "#define OBJECTS %u\n%s", names.len, head);
    for (u32 i = 0; i < names.len; i++)
        text = arena_printf(mem, "%sDEFINE(%s)\n", text, names.at[i]);
    text = arena_printf(mem, "%s%s", text, tail);
    return tool_file_write(s->out, text, strlen(text), diags);
}
