/* options.c - the command line as nvcc's users write it, read into tool_options.
 *
 * An option is one dash or two, its name, and its value behind '=' or as the next argument; one-letter names take it
 * glued too, as in -O2, -Idir and -m64. What is not in the table is refused by name, with advice. */
#include "toolchain/toolchain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/likeness.h"

struct reader {
    struct tool_options *o;
    struct arena *mem;
    struct diag_list *diags;
    u32 native_sm;
    int language;            /* of -x, or TOOL_UNSET */
    const char *arch, *code; /* the last of each */
    const struct tool_option *option;
};

static const struct diag_place nowhere;

static bool refuse(struct reader *r, const char *value, const char *note)
{
    struct diag *g = diag_add(r->diags, DIAG_ERROR, nowhere, "-%s: cannot take '%s'", r->option->name, value);
    diag_set_note(r->diags, g, "%s", note);
    return false;
}

static void keep(struct reader *r, tool_words *w, const char *flag, const char *value)
{
    tool_words_add(w, r->mem, flag);
    if (value)
        tool_words_add(w, r->mem, value);
}

/* Each value of a list, separated by commas or blanks. */
static void keep_list(struct reader *r, tool_words *w, const char *value)
{
    char *list = arena_strndup(r->mem, value, strlen(value)), *rest = NULL;
    for (char *one = strtok_r(list, ", ", &rest); one; one = strtok_r(NULL, ", ", &rest))
        tool_words_add(w, r->mem, one);
}

/* ---- what each option does: bool take_<what>(reader, value) ---- */

#define TAKE(what, body)                                                                                               \
    static bool take_##what(struct reader *r, const char *value)                                                       \
    {                                                                                                                  \
        struct tool_options *o = r->o;                                                                                 \
        (void)value, (void)o;                                                                                          \
        body;                                                                                                          \
        return true;                                                                                                   \
    }
TAKE(compile, o->output = TOOL_OBJECT)
TAKE(device_c, (o->output = TOOL_OBJECT, o->rdc = 1))
TAKE(ptx, o->output = TOOL_PTX)
TAKE(fatbin, o->output = TOOL_FATBIN)
TAKE(preprocess, o->output = TOOL_PREPROCESSED)
TAKE(dependencies, (o->output = TOOL_RULES, o->dependencies = "-M"))
TAKE(user_dependencies, (o->output = TOOL_RULES, o->dependencies = "-MM"))
TAKE(with_dependencies, o->dependencies = "-MD")
TAKE(with_user_dependencies, o->dependencies = "-MMD")
TAKE(dependency_file, o->dependency_file = value)
TAKE(dependency_target, o->dependency_target = value)
TAKE(dependency_phony, o->dependency_phony = true)
TAKE(library_out, o->output = TOOL_LIBRARY)
TAKE(link, o->output = TOOL_PROGRAM)
TAKE(shared, o->output = TOOL_SHARED)
TAKE(output, o->out = value)
TAKE(output_dir, o->out_dir = value)
TAKE(run, o->run = true)
TAKE(include_path, keep(r, &o->preprocessor, "-I", value))
TAKE(system_include, keep(r, &o->preprocessor, "-isystem", value))
TAKE(pre_include, keep(r, &o->preprocessor, "-include", value))
TAKE(define, keep(r, &o->preprocessor, "-D", value))
TAKE(undefine, keep(r, &o->preprocessor, "-U", value))
TAKE(library_path, keep(r, &o->libraries, arena_printf(r->mem, "-L%s", value), NULL))
TAKE(relaxed_constexpr, o->relaxed_constexpr = true)
TAKE(extended_lambda, o->extended_lambda = true)
TAKE(arch, r->arch = value)
TAKE(code, r->code = value)
TAKE(optimize, o->optimize = value)
TAKE(debug, o->debug = true)
TAKE(device_debug, o->device_debug = true)
TAKE(lineinfo, o->lineinfo = true)
TAKE(fast_math, o->fast_math = true)
TAKE(no_warnings, o->no_warnings = true)
TAKE(xcompiler, keep_list(r, &o->compiler, value))
TAKE(xlinker, keep_list(r, &o->linker, value))
TAKE(verbose, o->verbose = true)
TAKE(dryrun, o->dryrun = true)
TAKE(keep, o->keep = true)
TAKE(keep_dir, (o->keep = true, o->keep_dir = value))
TAKE(help, o->help = true)
TAKE(version, o->version = true)
TAKE(quiet, )
#undef TAKE

static bool take_ignored(struct reader *r, const char *value)
{
    (void)value;
    diag_add(r->diags, DIAG_WARNING, nowhere, "-%s: %s", r->option->name, r->option->text);
    return true;
}

static bool take_gencode(struct reader *r, const char *value)
{
    return tool_gencode_add(r->o, value, r->native_sm, r->mem, r->diags);
}

/* cudart and cudadevrt are there anyway. */
static bool take_library(struct reader *r, const char *value)
{
    static const char *const there[] = {"cudart", "cudart_static", "cudadevrt"};
    for (u32 i = 0; i < LS_ARRAY_LEN(there); i++)
        if (strcmp(value, there[i]) == 0)
            return true;
    tool_words_add(&r->o->libraries, r->mem, arena_printf(r->mem, "-l%s", value));
    return true;
}

static bool take_cudart(struct reader *r, const char *value)
{
    r->o->no_runtime = strcmp(value, "none") == 0;
    return r->o->no_runtime || strcmp(value, "shared") == 0 || strcmp(value, "static") == 0 ||
           refuse(r, value, "it is shared, static (which is taken for shared) or none");
}

static bool take_dopt(struct reader *r, const char *value)
{
    r->o->optimize_debugged = strcmp(value, "on") == 0;
    return r->o->optimize_debugged || strcmp(value, "off") == 0 || refuse(r, value, "it is on or off");
}

static bool take_std(struct reader *r, const char *value)
{
    static const char *const known[] = {"c++11",   "c++14",   "c++17",   "c++20",  "c++23",
                                        "gnu++11", "gnu++14", "gnu++17", "gnu++20"};
    for (u32 i = 0; i < LS_ARRAY_LEN(known); i++)
        if (strcmp(value, known[i]) == 0) {
            r->o->std = known[i];
            return true;
        }
    return refuse(r, value, "it is c++11, c++14, c++17 or c++20");
}

static bool take_language(struct reader *r, const char *value)
{
    static const struct {
        const char *name;
        enum tool_language language;
    } known[] = {{"cu", TOOL_CUDA}, {"cuda", TOOL_CUDA}, {"c++", TOOL_CXX}, {"c", TOOL_C}};
    for (u32 i = 0; i < LS_ARRAY_LEN(known); i++)
        if (strcmp(value, known[i].name) == 0) {
            r->language = (int)known[i].language;
            return true;
        }
    return refuse(r, value, "it is cu, c++ or c");
}

static bool take_default_stream(struct reader *r, const char *value)
{
    r->o->per_thread_stream = strcmp(value, "per-thread") == 0;
    return r->o->per_thread_stream || strcmp(value, "legacy") == 0 || strcmp(value, "null") == 0 ||
           refuse(r, value, "it is legacy, null or per-thread");
}

static bool take_maxrregcount(struct reader *r, const char *value)
{
    char *end;
    errno = 0;
    const unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n > 255)
        return refuse(r, value, "it is a number of registers, 255 at most; 0 is no limit");
    r->o->max_registers = (u32)n;
    return true;
}

static bool take_threads(struct reader *r, const char *value)
{
    return (*value && strspn(value, "0123456789") == strlen(value)) || refuse(r, value, "it is a number");
}

static bool take_machine(struct reader *r, const char *value)
{
    return strcmp(value, "64") == 0 || refuse(r, value, "programs are 64-bit programs");
}

static bool take_with(struct reader *r, const char *value)
{
    r->o->with_nvcc = strcmp(value, "nvcc") == 0;
    return r->o->with_nvcc || strcmp(value, "clang") == 0 || refuse(r, value, "it is clang or nvcc");
}

/* Kinds of warnings that are to be errors. clang has no kinds of these names: some are its errors anyway. */
static bool is_warning_kind(const char *word)
{
    static const char *const kinds[] = {"all-warnings",
                                        "cross-execution-space-call",
                                        "reorder",
                                        "deprecated-declarations",
                                        "default-stream-launch",
                                        "missing-launch-bounds",
                                        "ext-lambda-captures-this"};
    for (u32 i = 0; i < LS_ARRAY_LEN(kinds); i++)
        if (strncmp(word, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}
static bool take_werror(struct reader *r, const char *value)
{
    if (value && !is_warning_kind(value))
        return refuse(r, value,
                      "it is all-warnings, cross-execution-space-call, reorder, deprecated-declarations, "
                      "default-stream-launch, missing-launch-bounds or ext-lambda-captures-this");
    r->o->werror = r->o->werror || !value || strstr(value, "all-warnings");
    return true;
}

static bool read_response(struct reader *r, const char *path);
static bool take_response(struct reader *r, const char *value) { return read_response(r, value); }

static bool take_bool(struct reader *r, const char *value, int *flag)
{
    *flag = strcmp(value, "true") == 0;
    return *flag || strcmp(value, "false") == 0 || refuse(r, value, "it is true or false");
}
static bool take_rdc(struct reader *r, const char *value) { return take_bool(r, value, &r->o->rdc); }
static bool take_fmad(struct reader *r, const char *value) { return take_bool(r, value, &r->o->fmad); }
static bool take_ftz(struct reader *r, const char *value) { return take_bool(r, value, &r->o->ftz); }
static bool take_prec_div(struct reader *r, const char *value) { return take_bool(r, value, &r->o->prec_div); }
static bool take_prec_sqrt(struct reader *r, const char *value) { return take_bool(r, value, &r->o->prec_sqrt); }

/* ---- the table ---- */

static const struct row {
    struct tool_option option;
    bool (*take)(struct reader *r, const char *value);
} table[] = {
#define OPTION(what, name, other, takes, text) {{name, other, text, TAKES_##takes}, take_##what},
#include "toolchain/options.def"
};

const struct tool_option *tool_option_at(u32 n) { return n < LS_ARRAY_LEN(table) ? &table[n].option : NULL; }

/* Names first as a whole; then one-letter names whose value is glued. *value: what is behind it, or NULL. */
static const struct row *find_row(const char *word, const char **value, struct arena *mem)
{
    const char *name = word + 1 + (word[1] == '-'), *equals = strchr(name, '=');
    const size_t len = equals ? (size_t)(equals - name) : strlen(name);
    const char *whole = arena_strndup(mem, name, len);
    *value = equals ? equals + 1 : NULL;
    for (u32 i = 0; i < LS_ARRAY_LEN(table); i++)
        if (len && (strcmp(table[i].option.name, whole) == 0 || strcmp(table[i].option.other, whole) == 0))
            return &table[i];
    *value = name + 1;
    for (u32 i = 0; i < LS_ARRAY_LEN(table); i++)
        if (table[i].option.takes == TAKES_GLUED && word[1] != '-' && table[i].option.name[0] == *name)
            return &table[i];
    return NULL;
}

static const char *nearest(struct reader *r, const char *word)
{
    const char *dashless = word + strspn(word, "-"), *near = NULL;
    const char *name = arena_strndup(r->mem, dashless, strcspn(dashless, "="));
    for (u32 i = 0; i < LS_ARRAY_LEN(table); i++) {
        likeness_keep(&near, name, table[i].option.name);
        likeness_keep(&near, name, table[i].option.other);
    }
    return near;
}

static bool unknown(struct reader *r, const char *word)
{
    const char *near = nearest(r, word);
    struct diag *g = diag_add(r->diags, DIAG_ERROR, nowhere, "unknown option '%s'", word);
    if (strcmp(word, "-cubin") == 0 || strcmp(word, "--cubin") == 0)
        diag_set_note(r->diags, g, "machine code is made by NVIDIA's ptxas only: --with nvcc hands everything to nvcc");
    else if (word[1] == 'W' || word[1] == 'f' || strcmp(word, "-pthread") == 0 || strcmp(word, "-pedantic") == 0)
        diag_set_note(r->diags, g, "an option of the host's compiler is passed on by -Xcompiler %s", word);
    else if (near)
        diag_set_note(r->diags, g, "the nearest is '--%s'; --with nvcc hands everything to nvcc", near);
    else
        diag_set_note(r->diags, g, "`lockstep cc --help` lists the options; --with nvcc hands everything to nvcc");
    return false;
}

/* ---- inputs ---- */

static enum tool_language language_of(const char *path)
{
    static const struct {
        const char *ending;
        enum tool_language language;
    } endings[] = {{".cu", TOOL_CUDA}, {".c", TOOL_C},     {".cpp", TOOL_CXX},
                   {".cc", TOOL_CXX},  {".cxx", TOOL_CXX}, {".C", TOOL_CXX}};
    const char *dot = strrchr(path, '.');
    for (u32 i = 0; dot && i < LS_ARRAY_LEN(endings); i++)
        if (strcmp(dot, endings[i].ending) == 0)
            return endings[i].language;
    return TOOL_LINKED;
}

/* What is linked keeps its place among the libraries. */
static bool add_input(struct reader *r, const char *path)
{
    const struct tool_input in = {path,
                                  r->language == TOOL_UNSET ? language_of(path) : (enum tool_language)r->language};
    const char *dot = strrchr(path, '.');
    if (in.language == TOOL_LINKED &&
        (!dot || !(strcmp(dot, ".o") == 0 || strcmp(dot, ".a") == 0 || strstr(path, ".so")))) {
        struct diag *g = diag_add(r->diags, DIAG_ERROR, nowhere, "%s: not a kind of file that can be compiled", path);
        diag_set_note(r->diags, g,
                      "inputs are .cu, .cpp, .cc, .cxx, .c, .o, .a and .so files; -x cu says that it is CUDA");
        return false;
    }
    vec_push(r->mem, &r->o->inputs, in);
    return true;
}

static bool read_words(struct reader *r, int argc, char **argv);

/* A response file: words separated by blanks, with quotes and backslashes as in a shell. */
static bool read_response(struct reader *r, const char *path)
{
    size_t len;
    char *s = tool_file_read(path, &len, r->mem, r->diags);
    VEC(char *) words = {0};
    if (!s)
        return false;
    while (*(s += strspn(s, " \t\r\n"))) {
        char *start = s, *to = s, quote = 0;
        for (; *s && (quote || !strchr(" \t\r\n", *s)); s++)
            if (*s == quote)
                quote = 0;
            else if (!quote && (*s == '"' || *s == '\''))
                quote = *s;
            else
                *to++ = *s == '\\' && s[1] && quote != '\'' ? *++s : *s;
        s += *s != 0;
        *to = 0;
        vec_push(r->mem, &words, start);
    }
    return read_words(r, (int)words.len, words.at);
}

static bool read_option(struct reader *r, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value;
    const struct row *row = find_row(word, &value, r->mem);
    if (!row)
        return unknown(r, word);
    r->option = &row->option;
    if (row->option.takes == TAKES_NONE)
        return value ? unknown(r, word) : row->take(r, NULL);
    const bool one_letter = word[1] != '-' && !word[2];
    if (!value || one_letter) {
        value = NULL;
        if (row->option.takes == TAKES_BOOL &&
            (*i + 1 == argc || (strcmp(argv[*i + 1], "true") && strcmp(argv[*i + 1], "false"))))
            return row->take(r, "true");
        /* -Werror has a list or none. */
        if (row->take == take_werror && (*i + 1 == argc || !is_warning_kind(argv[*i + 1])))
            return row->take(r, NULL);
        if (row->take == take_optimize && (*i + 1 == argc || !strchr("0123", argv[*i + 1][0]) || argv[*i + 1][1]))
            return row->take(r, "1");
        if (*i + 1 == argc) {
            diag_add(r->diags, DIAG_ERROR, nowhere, "%s: its value is missing", word);
            return false;
        }
        value = argv[++*i];
    }
    return row->take(r, value);
}

static bool read_words(struct reader *r, int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        bool ok;
        if (word[0] == '@')
            ok = read_response(r, word + 1);
        else if (word[0] == '-' && word[1])
            ok = read_option(r, argc, argv, &i);
        else
            ok = add_input(r, word);
        if (!ok)
            return false;
    }
    return true;
}

/* -arch and -code together; nvcc's own default without either. */
static bool choose_arches(struct reader *r)
{
    static const char usual[] = "sm_75";
    struct tool_options codes = {0};
    if (r->code && !tool_arch_add(&codes, "code", r->code, r->native_sm, r->mem, r->diags))
        return false;
    if (r->arch)
        return tool_arch_add(r->o, "arch", r->arch, r->native_sm, r->mem, r->diags);
    return r->o->narches || tool_arch_add(r->o, "arch", usual, r->native_sm, r->mem, r->diags);
}

enum ls_status tool_options_read(struct tool_options *o, int argc, char **argv, u32 native_sm, struct arena *mem,
                                 struct diag_list *diags)
{
    struct reader r = {.o = o, .mem = mem, .diags = diags, .native_sm = native_sm, .language = TOOL_UNSET};
    *o = (struct tool_options){
        .std = "c++17", .rdc = 0, .fmad = 1, .ftz = TOOL_UNSET, .prec_div = TOOL_UNSET, .prec_sqrt = TOOL_UNSET};
    if (!read_words(&r, argc - 1, argv + 1) || !choose_arches(&r))
        return LS_ERR_INVALID;
    /* What -use_fast_math means, unless it is said otherwise. */
    if (o->ftz == TOOL_UNSET)
        o->ftz = o->fast_math;
    if (o->prec_div == TOOL_UNSET)
        o->prec_div = !o->fast_math;
    if (o->prec_sqrt == TOOL_UNSET)
        o->prec_sqrt = !o->fast_math;
    return LS_OK;
}
