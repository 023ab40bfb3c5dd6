/* arch.c - the architectures of -arch, -code and -gencode.
 *
 * PTX is made for each virtual architecture that is named, for a real one (sm_90) as for the virtual one of its number:
 * a device of ours runs PTX and no machine code. PTX runs on its own architecture and later ones. */
#include <stdlib.h>
#include <string.h>

#include "toolchain/toolchain.h"

/* What nvcc 13 knows, and older ones that clang still does; clang: the name to ask clang 19 for. Its newest is sm_90,
 * and PTX of that runs on all later devices; the headers and the program see the number that was asked for. */
static const struct {
    const char *number;
    const char *clang;
} known[] = {
    {"50", "sm_50"},  {"52", "sm_52"},  {"53", "sm_53"},  {"60", "sm_60"},   {"61", "sm_61"},  {"62", "sm_62"},
    {"70", "sm_70"},  {"72", "sm_72"},  {"75", "sm_75"},  {"80", "sm_80"},   {"86", "sm_86"},  {"87", "sm_87"},
    {"88", "sm_87"},  {"89", "sm_89"},  {"90", "sm_90"},  {"90a", "sm_90a"}, {"100", "sm_90"}, {"103", "sm_90"},
    {"110", "sm_90"}, {"120", "sm_90"}, {"121", "sm_90"},
};

static bool unknown(const char *option, const char *value, struct diag_list *diags)
{
    struct diag *g =
        diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "-%s: '%s' is no GPU architecture", option, value);
    diag_set_note(diags, g,
                  "sm_XX or compute_XX, where XX is 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 90a, "
                  "100, 103, 110, 120 or 121");
    return false;
}

static bool add(struct tool_options *o, u32 sm, const char *name)
{
    for (u32 i = 0; i < o->narches; i++)
        if (o->arches[i].sm == sm)
            return true;
    if (o->narches < TOOL_ARCHES)
        o->arches[o->narches++] = (struct tool_arch){sm, name};
    return true;
}

/* A number with its suffix; architecture- and family-specific forms that clang does not know are taken without it. */
static bool add_number(struct tool_options *o, const char *option, const char *value, const char *number,
                       struct diag_list *diags)
{
    const size_t digits = strspn(number, "0123456789");
    const bool suffixed = number[digits] && strchr("af", number[digits]) && !number[digits + 1];
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 i = 0; i < LS_ARRAY_LEN(known); i++) {
            const bool whole = strcmp(known[i].number, number) == 0;
            const bool base =
                suffixed && strlen(known[i].number) == digits && !strncmp(known[i].number, number, digits);
            if (pass == 0 ? whole : base)
                return add(o, (u32)atoi(number), known[i].clang);
        }
    return unknown(option, value, diags);
}

static bool add_one(struct tool_options *o, const char *option, const char *value, u32 native_sm, struct arena *mem,
                    struct diag_list *diags)
{
    static const char *const major[] = {"75", "80", "90", "100", "120"};
    if (strcmp(value, "native") == 0)
        return add_number(o, option, value, arena_printf(mem, "%u", native_sm), diags);
    if (strcmp(value, "all") == 0 || strcmp(value, "all-major") == 0) {
        for (u32 i = 0; i < LS_ARRAY_LEN(major); i++)
            add_number(o, option, value, major[i], diags);
        return true;
    }
    for (const char *prefix = "sm_"; prefix; prefix = *prefix == 's' ? "compute_" : NULL)
        if (strncmp(value, prefix, strlen(prefix)) == 0)
            return add_number(o, option, value, value + strlen(prefix), diags);
    return unknown(option, value, diags);
}

bool tool_arch_add(struct tool_options *o, const char *option, const char *value, u32 native_sm, struct arena *mem,
                   struct diag_list *diags)
{
    char *list = arena_strndup(mem, value, strlen(value)), *rest = NULL;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        if (!add_one(o, option, one, native_sm, mem, diags))
            return false;
    return true;
}

/* "arch=compute_90,code=[sm_90,compute_90]": the PTX is that of arch; code has to name architectures. */
bool tool_gencode_add(struct tool_options *o, const char *value, u32 native_sm, struct arena *mem,
                      struct diag_list *diags)
{
    const char *arch = strstr(value, "arch="), *code = strstr(value, "code=");
    if (arch != value || !code || code[-1] != ',') {
        struct diag *g = diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "-gencode: cannot read '%s'", value);
        diag_set_note(diags, g, "as in -gencode arch=compute_90,code=[sm_90,compute_90]");
        return false;
    }
    char *first = arena_strndup(mem, arch + 5, (size_t)(code - 1 - (arch + 5)));
    if (!tool_arch_add(o, "gencode", first, native_sm, mem, diags))
        return false;
    struct tool_options names = {0};
    char *codes = arena_strndup(mem, code + 5, strlen(code + 5));
    for (char *c = codes; *c; c++)
        if (strchr("[]\"' ", *c))
            *c = ',';
    for (char *rest = NULL, *one = strtok_r(codes, ",", &rest); one; one = strtok_r(NULL, ",", &rest))
        if (strncmp(one, "lto_", 4) != 0 && !add_one(&names, "gencode", one, native_sm, mem, diags))
            return false;
    return true;
}
