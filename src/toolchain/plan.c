/* plan.c - the commands that make what is asked for.
 *
 * A .cu file is compiled by clang without a toolkit: once for each architecture to PTX, then for the host, whose object
 * takes the container of the PTX in. Both passes read the same source with the same -cuid, by which clang names what
 * is static. The device pass comes first and is silent but for errors, so that nothing is said twice. */
#include "toolchain/toolchain.h"

#include <stdlib.h>
#include <string.h>

void tool_words_add(tool_words *w, struct arena *mem, const char *word) { vec_push(mem, w, word); }

static void add_all(tool_words *to, struct arena *mem, const tool_words *from)
{
    for (u32 i = 0; i < from->len; i++)
        tool_words_add(to, mem, from->at[i]);
}

/* Words up to a NULL. */
static void add_words(tool_words *w, struct arena *mem, const char *const *words)
{
    for (; *words; words++)
        tool_words_add(w, mem, *words);
}
#define ADD(w, ...) add_words(w, mem, (const char *const[]){__VA_ARGS__, NULL})

struct tool_step *tool_step_add(struct tool_plan *plan, enum tool_step_kind kind, const char *out, struct arena *mem)
{
    vec_push(mem, &plan->steps, ((struct tool_step){.kind = kind, .out = out}));
    return &plan->steps.at[plan->steps.len - 1];
}

/* ---- names ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ".o" of "y/z.o"; "" of a name without an ending. */
static const char *ending(const char *path)
{
    const char *dot = strrchr(base_name(path), '.');
    return dot ? dot : path + strlen(path);
}

static const char *folder_of(const char *path, struct arena *mem)
{
    const char *base = base_name(path);
    return base == path ? "." : arena_printf(mem, "%.*s", (int)(base - path), path);
}

/* The input's name with another ending, in dir ("" or NULL: the current folder). */
static const char *renamed(const char *path, const char *dir, const char *other, struct arena *mem)
{
    const char *base = base_name(path);
    const int len = (int)(ending(path) - base);
    return arena_printf(mem, "%s%s%.*s%s", dir ? dir : "", dir && *dir ? "/" : "", len, base, other);
}

/* ---- what every compilation has ---- */

struct unit {
    const struct tool_options *o;
    const struct tool_paths *p;
    struct arena *mem;
    const char *path, *stem; /* the input; its intermediate files' name without an ending */
    const char *id;          /* by which its static names are told from other files' */
    enum tool_rewriting rewriting;
    bool clusters; /* the file has the word __cluster_dims__ */
    u32 number;
};

/* Static names of different files must differ; those of one file's passes must be the same. */
static const char *unit_id(const struct unit *u)
{
    char *real = realpath(u->path, NULL);
    u64 h = 0xcbf29ce484222325;
    for (const char *c = real ? real : u->path; *c; c++)
        h = (h ^ (u8)*c) * 0x100000001b3;
    free(real);
    return arena_printf(u->mem, "%016llx", (unsigned long long)(h + u->number));
}

static void add_macro(tool_words *w, struct arena *mem, const char *name, int value)
{
    tool_words_add(w, mem, arena_printf(mem, "-D%s=%d", name, value));
}

static const char *arch_list(const struct tool_options *o, struct arena *mem)
{
    const char *list = "-D__CUDA_ARCH_LIST__=";
    for (u32 i = 0; i < o->narches; i++)
        list = arena_printf(mem, "%s%s%u0", list, i ? "," : "", o->arches[i].sm);
    return list;
}

/* Both passes of a .cu file. A toolkit that is installed is not looked at; clang's newest known version of it is named
 * so that launches are compiled for the interface of today. */
static void add_cuda(tool_words *w, const struct unit *u)
{
    const struct tool_options *o = u->o;
    struct arena *mem = u->mem;
    ADD(w, u->p->clang, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Xclang",
        "-target-sdk-version=12.5", "-fuse-cuid=none", "-Xclang", arena_printf(mem, "-cuid=%s", u->id), "-Xclang",
        "-fcuda-allow-variadic-functions", arena_printf(mem, "-std=%s", o->std), "-isystem", u->p->include, "-include",
        "cuda_runtime.h", "-Wno-duplicate-decl-specifier", "-Wno-builtin-macro-redefined", "-Wno-unknown-pragmas",
        "-Wno-pass-failed", arch_list(o, mem));
    if (u->rewriting) /* "..." is looked for beside the file, wherever its rewritten form is */
        ADD(w, "-iquote", folder_of(u->path, mem));
    add_all(w, mem, &o->preprocessor);
    add_macro(w, mem, "__CUDA_FTZ", o->ftz);
    add_macro(w, mem, "__CUDA_PREC_DIV", o->prec_div);
    add_macro(w, mem, "__CUDA_PREC_SQRT", o->prec_sqrt);
    add_macro(w, mem, "__CUDA_FMAD", o->fmad);
    if (o->rdc)
        ADD(w, "-fgpu-rdc", "-D__CUDACC_RDC__");
    if (o->device_debug)
        tool_words_add(w, mem, "-D__CUDACC_DEBUG__");
    if (o->relaxed_constexpr)
        tool_words_add(w, mem, "-D__CUDACC_RELAXED_CONSTEXPR__");
    if (o->extended_lambda)
        tool_words_add(w, mem, "-D__CUDACC_EXTENDED_LAMBDA__");
    if (o->per_thread_stream)
        tool_words_add(w, mem, "-fgpu-default-stream=per-thread");
    if (u->clusters)
        tool_words_add(w, mem, "-DLOCKSTEP_CLUSTER_DIMS");
    if (o->colour)
        tool_words_add(w, mem, "-fcolor-diagnostics");
}

/* ---- the device pass ---- */

/* How the device's arithmetic is compiled: rounding, flushing, contraction. */
static void add_device_math(tool_words *w, const struct tool_options *o, struct arena *mem)
{
    tool_words_add(w, mem, o->fmad ? "-ffp-contract=fast" : "-ffp-contract=off");
    if (o->fast_math)
        tool_words_add(w, mem, "-fgpu-approx-transcendentals");
    if (o->ftz)
        tool_words_add(w, mem, "-fgpu-flush-denormals-to-zero");
    /* 0: div.approx, 1: div.full, as nvcc chooses with and without -use_fast_math. */
    if (!o->prec_div)
        ADD(w, "-mllvm", o->fast_math ? "-nvptx-prec-divf32=0" : "-nvptx-prec-divf32=1");
    if (!o->prec_sqrt)
        ADD(w, "-mllvm", "-nvptx-prec-sqrtf32=0");
}

/* The device's heap may be exhausted, so that a malloc() whose block is never used still has a result to compute.
 * Kernels hand variables to shuffles that only one lane has set: clang must not conclude that all lanes are that one. */
static void plan_pass(struct tool_plan *plan, const struct unit *u, const struct tool_arch *arch, bool intermediate,
                      const char *out)
{
    const struct tool_options *o = u->o;
    struct arena *mem = u->mem;
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, out, mem);
    s->device = true;
    add_cuda(&s->argv, u);
    ADD(&s->argv, "--cuda-device-only", arena_printf(mem, "--cuda-gpu-arch=%s", arch->name), "--cuda-feature=+ptx83",
        "-Xclang", "-no-enable-noundef-analysis", "-S", o->device_debug && !o->optimize_debugged ? "-O0" : "-O3",
        "-fno-builtin-malloc", "-fno-builtin-free");
    if (arch->sm != (u32)atoi(arch->name + 3))
        ADD(&s->argv, "-U__CUDA_ARCH__", arena_printf(mem, "-D__CUDA_ARCH__=%u0", arch->sm));
    if (o->device_debug && o->optimize_debugged) /* -g would be lines alone */
        ADD(&s->argv, "-Xclang", "-debug-info-kind=constructor", "-Xclang", "-dwarf-version=2");
    else if (o->device_debug)
        tool_words_add(&s->argv, mem, "-g");
    else if (o->lineinfo)
        tool_words_add(&s->argv, mem, "-gline-tables-only");
    add_device_math(&s->argv, o, mem);
    if (intermediate)
        ADD(&s->argv, "-emit-llvm", "-Xclang", "-disable-llvm-passes");
    /* The host pass sees the same source and warns. */
    if (intermediate)
        tool_words_add(&s->argv, mem, "-w");
    else if (o->output != TOOL_PTX && o->output != TOOL_FATBIN)
        tool_words_add(&s->argv, mem, "-w");
    else if (o->no_warnings || o->werror)
        tool_words_add(&s->argv, mem, o->no_warnings ? "-w" : "-Werror");
    ADD(&s->argv, u->rewriting ? arena_printf(mem, "%s.device.cu", u->stem) : u->path, "-o", out);
}

/* PTX of one architecture as clang makes it, with the clusters that kernels declare. */
static void plan_device(struct tool_plan *plan, const struct unit *u, const struct tool_arch *arch, const char *out)
{
    const char *ir = arena_printf(u->mem, "%s.ll", out);
    plan_pass(plan, u, arch, false, out);
    if (!u->clusters)
        return;
    plan_pass(plan, u, arch, true, ir);
    struct tool_step *s = tool_step_add(plan, STEP_CLUSTERS, out, u->mem);
    tool_words_add(&s->argv, u->mem, ir);
}

/* Rewrites the sources that need it before anything is compiled. */
static void plan_rewriting(struct tool_plan *plan, struct unit *u)
{
    u->id = unit_id(u);
    u->rewriting = tool_rewriting_of(u->path, u->mem);
    u->clusters = tool_has_clusters(u->path, u->mem);
    if (!u->rewriting)
        return;
    struct tool_step *s = tool_step_add(plan, STEP_REWRITE, u->stem, u->mem);
    tool_words_add(&s->argv, u->mem, u->path);
    tool_words_add(&s->argv, u->mem, u->id);
}

/* PTX of one architecture, as a file. */
static void plan_ptx(struct tool_plan *plan, const struct unit *u, const char *out)
{
    const char *raw = arena_printf(u->mem, "%s.clang.ptx", u->stem);
    plan_device(plan, u, &u->o->arches[0], raw);
    struct tool_step *s = tool_step_add(plan, STEP_PTX, out, u->mem);
    tool_words_add(&s->argv, u->mem, raw);
    s->options = u->o;
}

/* PTX of all architectures, in one container. */
static const char *plan_container(struct tool_plan *plan, const struct unit *u, const char *out)
{
    tool_words files = {0};
    for (u32 i = 0; i < u->o->narches; i++) {
        const char *ptx = arena_printf(u->mem, "%s.sm_%u.ptx", u->stem, u->o->arches[i].sm);
        plan_device(plan, u, &u->o->arches[i], ptx);
        tool_words_add(&files, u->mem, ptx);
    }
    struct tool_step *s = tool_step_add(plan, STEP_CONTAINER, out, u->mem);
    s->argv = files;
    s->options = u->o;
    return out;
}

/* ---- the host pass ---- */

static void add_host(tool_words *w, const struct tool_options *o, struct arena *mem)
{
    tool_words_add(w, mem,
                   arena_printf(mem, "-O%s",
                                o->optimize                   ? o->optimize
                                : o->debug || o->device_debug ? "0"
                                                              : "2"));
    if (o->debug || o->device_debug)
        tool_words_add(w, mem, "-g");
    if (o->no_warnings || o->werror)
        tool_words_add(w, mem, o->no_warnings ? "-w" : "-Werror");
    if (o->output == TOOL_SHARED)
        tool_words_add(w, mem, "-fPIC");
    add_all(w, mem, &o->compiler);
}

/* The rule names the user's output, not an intermediate file. besides: in addition to compiling. */
static void add_dependencies(tool_words *w, const struct unit *u, bool besides)
{
    const struct tool_options *o = u->o;
    struct arena *mem = u->mem;
    const bool user = strcmp(o->dependencies, "-MM") == 0 || strcmp(o->dependencies, "-MMD") == 0;
    const bool named = o->out && o->output != TOOL_RULES;
    const char *target = named ? o->out : renamed(u->path, o->out_dir, ".o", mem);
    ADD(w, user ? besides ? "-MMD" : "-MM" : besides ? "-MD" : "-M");
    ADD(w, "-MT", o->dependency_target ? o->dependency_target : target);
    if (o->dependency_file || o->output != TOOL_RULES)
        ADD(w, "-MF",
            o->dependency_file ? o->dependency_file
                               : arena_printf(mem, "%.*s.d", (int)(strlen(target) - strlen(ending(target))), target));
    if (o->dependency_phony)
        tool_words_add(w, mem, "-MP");
}

/* The command for a source's host half, but for what it makes and of what. */
static struct tool_step *plan_host(struct tool_plan *plan, const struct unit *u, enum tool_language language,
                                   const char *out)
{
    const struct tool_options *o = u->o;
    struct arena *mem = u->mem;
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, out, mem);
    if (language == TOOL_CUDA) {
        add_cuda(&s->argv, u);
        tool_words_add(&s->argv, mem, "--cuda-host-only");
    } else {
        ADD(&s->argv, u->p->clang, "-x", language == TOOL_C ? "c" : "c++", "-isystem", u->p->include);
        if (language == TOOL_CXX)
            tool_words_add(&s->argv, mem, arena_printf(mem, "-std=%s", o->std));
        if (o->per_thread_stream)
            tool_words_add(&s->argv, mem, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
        add_all(&s->argv, mem, &o->preprocessor);
    }
    add_host(&s->argv, o, mem);
    return s;
}

/* Only preprocessed, as the user wrote it: the text (-E) or the make rule. */
static void plan_preprocessing(struct tool_plan *plan, const struct unit *u, enum tool_language language,
                               const char *make, const char *out)
{
    struct arena *mem = u->mem;
    struct tool_step *s = plan_host(plan, u, language, out);
    if (make)
        tool_words_add(&s->argv, mem, make);
    else
        add_dependencies(&s->argv, u, false);
    tool_words_add(&s->argv, mem, u->path);
    if (out)
        ADD(&s->argv, "-o", out);
}

/* The file that sets the host's references to managed variables, behind the object that registers these. */
static void plan_references(struct tool_plan *plan, const struct unit *u, const char *object, const char *out)
{
    struct arena *mem = u->mem;
    const char *source = arena_printf(mem, "%s.managed.c", u->stem), *part = arena_printf(mem, "%s.managed.o", u->stem);
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, part, mem);
    ADD(&s->argv, u->p->clang, "-x", "c", "-O1", "-fPIC", u->o->rdc ? "-DRDC" : "-URDC", "-c", source, "-o", part);
    s = tool_step_add(plan, STEP_COMMAND, out, mem);
    ADD(&s->argv, "ld", "-r", object, part, "-o", out);
}

/* Device pass, container, host pass. */
static void plan_object(struct tool_plan *plan, struct unit *u, enum tool_language language, const char *out)
{
    struct arena *mem = u->mem;
    const char *container = NULL, *object = out;
    if (language == TOOL_CUDA) {
        plan_rewriting(plan, u);
        container = plan_container(plan, u, arena_printf(mem, "%s.fatbin", u->stem));
    }
    if (u->rewriting & TOOL_REWRITE_MANAGED)
        object = arena_printf(mem, "%s.host.o", u->stem);
    if (u->o->dependencies && u->rewriting)
        plan_preprocessing(plan, u, language, NULL, NULL);
    struct tool_step *s = plan_host(plan, u, language, object);
    if (u->o->dependencies && !u->rewriting)
        add_dependencies(&s->argv, u, true);
    if (container)
        ADD(&s->argv, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", container);
    ADD(&s->argv, "-c", u->rewriting ? arena_printf(mem, "%s.host.cu", u->stem) : u->path, "-o", object);
    if (object != out)
        plan_references(plan, u, object, out);
}

/* ---- the whole ---- */

static enum ls_status bad(struct diag_list *diags, const char *text, const char *note)
{
    struct diag *g = diag_add(diags, DIAG_ERROR, (struct diag_place){0}, "%s", text);
    diag_set_note(diags, g, "%s", note);
    return LS_ERR_INVALID;
}

static enum ls_status check(const struct tool_options *o, struct diag_list *diags)
{
    u32 sources = 0, cuda = 0;
    for (u32 i = 0; i < o->inputs.len; i++) {
        sources += o->inputs.at[i].language != TOOL_LINKED;
        cuda += o->inputs.at[i].language == TOOL_CUDA;
    }
    const bool each = o->output != TOOL_PROGRAM && o->output != TOOL_SHARED && o->output != TOOL_LIBRARY;
    if (!o->inputs.len)
        return bad(diags, "there is nothing to compile",
                   "name a .cu file, as in `lockstep cc vectorAdd.cu -o vectorAdd`");
    if (each && o->out && sources > 1)
        return bad(diags, "-o names one file, and several would be made", "leave it away, or use -odir");
    if ((o->output == TOOL_PTX || o->output == TOOL_FATBIN) && !cuda)
        return bad(diags, "only .cu files have PTX", "-x cu says that a file of another name is CUDA");
    if (o->output == TOOL_PTX && o->narches > 1)
        return bad(diags, "-ptx makes PTX for one architecture, and several are named", "-fatbin takes several");
    return LS_OK;
}

/* What one source becomes when nothing is linked. */
static void plan_single(struct tool_plan *plan, struct unit *u, enum tool_language language)
{
    static const char *const endings[] = {[TOOL_OBJECT] = ".o", [TOOL_PTX] = ".ptx", [TOOL_FATBIN] = ".fatbin"};
    const struct tool_options *o = u->o;
    const bool rules = o->output == TOOL_RULES;
    const char *out = o->out ? o->out
                      : rules || o->output == TOOL_PREPROCESSED
                          ? NULL
                          : renamed(u->path, o->out_dir, endings[o->output], u->mem);
    if (rules || o->output == TOOL_PREPROCESSED) {
        u->id = unit_id(u);
        plan_preprocessing(plan, u, language, rules ? NULL : "-E", out);
    } else if (o->output == TOOL_OBJECT) {
        plan_object(plan, u, language, out);
    } else if (language == TOOL_CUDA) {
        plan_rewriting(plan, u);
        if (o->output == TOOL_PTX)
            plan_ptx(plan, u, out);
        else
            plan_container(plan, u, out);
    }
}

enum ls_status tool_plan_make(struct tool_plan *plan, const struct tool_options *o, const struct tool_paths *p,
                              struct arena *mem, struct diag_list *diags)
{
    const bool linked = o->output == TOOL_PROGRAM || o->output == TOOL_SHARED || o->output == TOOL_LIBRARY;
    tool_words objects = {0};
    *plan = (struct tool_plan){0};
    if (check(o, diags) != LS_OK)
        return LS_ERR_INVALID;
    for (u32 i = 0; i < o->inputs.len; i++) {
        const struct tool_input *in = &o->inputs.at[i];
        struct unit u = {.o = o, .p = p, .mem = mem, .path = in->path, .number = i};
        u.stem = renamed(in->path, p->tmp, o->keep ? "" : arena_printf(mem, ".%u", i), mem);
        if (in->language == TOOL_LINKED) {
            tool_words_add(&objects, mem, in->path);
        } else if (linked) {
            const char *object = arena_printf(mem, "%s.o", u.stem);
            plan_object(plan, &u, in->language, object);
            tool_words_add(&objects, mem, object);
        } else {
            plan_single(plan, &u, in->language);
        }
    }
    if (linked)
        tool_plan_link(plan, o, p, &objects, o->out, mem);
    for (u32 i = 0; i < plan->steps.len; i++)
        if (plan->steps.at[i].kind == STEP_COMMAND)
            tool_words_add(&plan->steps.at[i].argv, mem, NULL);
    return LS_OK;
}

void tool_plan_nvcc(struct tool_plan *plan, const char *nvcc, int argc, char **argv, struct arena *mem)
{
    *plan = (struct tool_plan){0};
    struct tool_step *s = tool_step_add(plan, STEP_COMMAND, NULL, mem);
    tool_words_add(&s->argv, mem, nvcc);
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i] + (argv[i][0] == '-') + (argv[i][0] == '-' && argv[i][1] == '-');
        if (argv[i][0] == '-' && strcmp(name, "with") == 0)
            i++;
        else if (argv[i][0] != '-' || strncmp(name, "with=", 5) != 0)
            tool_words_add(&s->argv, mem, argv[i]);
    }
    ADD(&s->argv, "-cudart", "shared");
    tool_words_add(&s->argv, mem, NULL);
}

/* ---- a plan as text ---- */

static const char *quoted(const char *word, struct arena *mem)
{
    if (*word &&
        strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%") == strlen(word))
        return word;
    const char *text = "'";
    for (; *word; word++)
        text = *word == '\'' ? arena_printf(mem, "%s'\\''", text) : arena_printf(mem, "%s%c", text, *word);
    return arena_printf(mem, "%s'", text);
}

char *tool_step_text(const struct tool_step *s, struct arena *mem)
{
    static const char *const verbs[] = {[STEP_COMMAND] = "",
                                        [STEP_CLUSTERS] = "# declare the clusters of",
                                        [STEP_PTX] = "# mend",
                                        [STEP_CONTAINER] = "# write a fat binary of",
                                        [STEP_LINK_STUB] = "# register the device code of",
                                        [STEP_REWRITE] = "# rewrite",
                                        [STEP_RUN] = "# run"};
    char *text = arena_printf(mem, "%s", verbs[s->kind]);
    for (u32 i = 0; i < s->argv.len && s->argv.at[i]; i++)
        text = arena_printf(mem, "%s%s%s", text, *text ? " " : "", quoted(s->argv.at[i], mem));
    if (s->kind != STEP_COMMAND && s->out)
        text = arena_printf(mem, "%s: %s", text, quoted(s->out, mem));
    return text;
}
