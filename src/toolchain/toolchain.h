/* toolchain.h - from .cu files to a program: what the command line asks for, the plan of commands that makes it, and
 * running them. A library: it prints nothing and never exits.
 *
 *     argv ──► tool_options ──► tool_plan ──► files
 *              options.c        plan.c        run.c        processes, files
 *              arch.c           link.c        rewrite.c    what clang does not compile, before it
 *                                             mend.c       its PTX, after it
 *                                             container.c  the fat binary
 *                                             rdc.c        what links the device code of several objects
 *
 * The words used here: a *unit* is one .cu file; its *device pass* makes PTX of it, once for each architecture; its
 * *container* is the fat binary of all of them; its *host pass* makes the object, with the container inside. */
#ifndef LS_TOOLCHAIN_TOOLCHAIN_H
#define LS_TOOLCHAIN_TOOLCHAIN_H

#include "base/arena.h"
#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "base/vec.h"

/* ---- options.c: what is asked for ---- */

enum tool_output {
    TOOL_PROGRAM,
    TOOL_SHARED,
    TOOL_LIBRARY,
    TOOL_OBJECT,
    TOOL_PTX,
    TOOL_FATBIN,
    TOOL_PREPROCESSED,
    TOOL_RULES
};
enum tool_language { TOOL_CUDA, TOOL_CXX, TOOL_C, TOOL_LINKED /* objects and libraries */ };
enum { TOOL_ARCHES = 16, TOOL_UNSET = -1 };

/* PTX for one virtual architecture. sm is 90 for compute_90; name is clang's ("sm_90a"). */
struct tool_arch {
    u32 sm;           /* what the user asked for */
    const char *name; /* what clang compiles for: its newest for architectures that it does not know */
};

struct tool_input {
    const char *path;
    enum tool_language language;
};

typedef VEC(const char *) tool_words;

struct tool_options {
    enum tool_output output;
    const char *out, *out_dir;
    VEC(struct tool_input) inputs;
    struct tool_arch arches[TOOL_ARCHES];
    u32 narches;
    tool_words preprocessor;     /* -I -D -U -isystem -include, in order */
    tool_words libraries;        /* -L -l, in order; they come behind all inputs */
    tool_words compiler, linker; /* -Xcompiler, -Xlinker */
    const char *std, *optimize;
    const char *dependencies; /* -MD, -MMD, or NULL; with TOOL_RULES: -M, -MM */
    const char *dependency_file, *dependency_target;
    u32 max_registers;
    int rdc, fmad, ftz, prec_div, prec_sqrt; /* 0, 1, TOOL_UNSET */
    bool dependency_phony, fast_math, debug, device_debug, optimize_debugged, lineinfo, per_thread_stream,
        extended_lambda, relaxed_constexpr;
    bool no_warnings, werror, no_runtime, run, verbose, dryrun, keep, help, version;
    bool colour; /* set by the caller: messages may be coloured */
    const char *keep_dir;
    bool with_nvcc;
};

/* Reads argv[1..argc). Strings are kept by reference or in mem, response files (@file) and fresh strings in mem.
 * self_gpu: the compute capability of -arch=native. LS_ERR_INVALID with diagnostics; warnings for what is ignored. */
enum ls_status tool_options_read(struct tool_options *o, int argc, char **argv, u32 native_sm, struct arena *mem,
                                 struct diag_list *diags);

/* The table of options, for --help: the n-th, NULL past the last. */
struct tool_option {
    const char *name, *other, *text;
    enum { TAKES_NONE, TAKES_VALUE, TAKES_LIST, TAKES_GLUED, TAKES_BOOL } takes;
};
const struct tool_option *tool_option_at(u32 n);

/* arch.c: adds the architectures that -arch=value and -code, or -gencode value, name. False with a diagnostic. */
bool tool_arch_add(struct tool_options *o, const char *option, const char *value, u32 native_sm, struct arena *mem,
                   struct diag_list *diags);
bool tool_gencode_add(struct tool_options *o, const char *value, u32 native_sm, struct arena *mem,
                      struct diag_list *diags);

/* ---- find.c: what is there ---- */

struct tool_paths {
    const char *clang;   /* NULL: none */
    const char *nvcc;    /* NULL: none */
    const char *include; /* the folder of cuda_runtime.h */
    const char *lib;     /* the folder of libcudart.so */
    const char *tmp;     /* a folder of this compilation's own, made by tool_run */
};

/* bin: the folder of the lockstep command. $LOCKSTEP_CLANG, $LOCKSTEP_INCLUDE and $LOCKSTEP_LIB come first. Programs
 * that are not there are NULL; LS_ERR_NOT_FOUND with a diagnostic when the headers or the runtime are not. */
enum ls_status tool_find(struct tool_paths *p, const char *bin, struct arena *mem, struct diag_list *diags);

/* LS_ERR_IO with a diagnostic for each input that cannot be read. */
enum ls_status tool_find_inputs(const struct tool_options *o, struct diag_list *diags);
/* Toolkits' folders of headers come behind ours. */
void tool_place_includes(struct tool_options *o, struct arena *mem);

/* ---- plan.c, link.c: what to do ---- */

enum tool_step_kind {
    STEP_COMMAND,   /* run argv */
    STEP_CONTAINER, /* write the PTX files of argv, of architectures sm, into a fat binary */
    STEP_CLUSTERS,  /* declare in the PTX the clusters that the intermediate code of argv names: clusters.c */
    STEP_PTX,       /* the PTX file of argv as it is to be, with its options */
    STEP_LINK_STUB, /* read the objects of argv, write the C file that registers their device code together */
    STEP_REWRITE,   /* rewrite a .cu file into what clang compiles: rewrite.c */
    STEP_RUN,       /* run the program of argv, with the runtime's folder in LD_LIBRARY_PATH */
};

struct tool_step {
    enum tool_step_kind kind;
    tool_words argv; /* STEP_COMMAND: argv[0] is the program; NULL-terminated */
    const char *out; /* the file that is written */
    const struct tool_options *options;
    bool device; /* a device pass: its messages are read for what clang cannot do */
};

struct tool_plan {
    VEC(struct tool_step) steps;
};

/* Needs p->clang and p->tmp. LS_ERR_INVALID with a diagnostic when the options make no sense together. */
enum ls_status tool_plan_make(struct tool_plan *plan, const struct tool_options *o, const struct tool_paths *p,
                              struct arena *mem, struct diag_list *diags);
/* The one command of --with nvcc: argv[1..argc) without that option, and -cudart shared. */
void tool_plan_nvcc(struct tool_plan *plan, const char *nvcc, int argc, char **argv, struct arena *mem);

/* Linking (link.c): adds the steps that make o->out of objects. */
void tool_plan_link(struct tool_plan *plan, const struct tool_options *o, const struct tool_paths *p,
                    const tool_words *objects, const char *out, struct arena *mem);
/* Adds a step and a word; plan.c and link.c share them. */
struct tool_step *tool_step_add(struct tool_plan *plan, enum tool_step_kind kind, const char *out, struct arena *mem);
void tool_words_add(tool_words *w, struct arena *mem, const char *word);

/* A step as a line that a person can read, and a shell can run if it is a command. */
char *tool_step_text(const struct tool_step *s, struct arena *mem);

/* ---- rewrite.c: what clang does not compile ---- */

enum tool_rewriting { TOOL_REWRITE_LAUNCHES = 1, TOOL_REWRITE_MANAGED = 2, TOOL_REWRITE_WORDS = 4 };

/* What a .cu file has to be rewritten for; 0: it is compiled as it is. */
enum tool_rewriting tool_rewriting_of(const char *path, struct arena *mem);
/* argv: the source and the suffix of static names. Writes <out>.device.cu, <out>.host.cu and, where it has managed
 * variables, <out>.managed.c. */
enum ls_status tool_rewrite_write(const struct tool_step *step, struct arena *mem, struct diag_list *diags);

/* ---- clusters.c: __cluster_dims__ ---- */

/* Does the .cu file have the word? */
bool tool_has_clusters(const char *path, struct arena *mem);
/* The PTX whose kernels declare the clusters that clang's intermediate code of the same source says they have. */
char *tool_clusters_declare(char *ptx, const char *ir, struct arena *mem);
enum ls_status tool_clusters_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags);

/* ---- run.c, container.c, rdc.c: doing it ---- */

/* Makes a folder for intermediate files, /tmp/lockstep-cc-XXXXXX or under $TMPDIR. */
enum ls_status tool_tmp_make(const char **path, struct arena *mem, struct diag_list *diags);
void tool_tmp_remove(const char *path);

/* Callbacks: each step before it is done, and what a device pass wrote to stderr. Either may be NULL. */
struct tool_watch {
    void (*before)(void *ctx, const struct tool_step *s);
    void (*said)(void *ctx, const char *text, size_t len);
    void *ctx;
};

/* Runs the steps in order; the first that fails ends it. *code is the exit status of the command that failed, or of
 * STEP_RUN's program. LS_ERR_FAULT: a command failed and has said why itself; what clang cannot do has a diagnostic
 * besides. */
enum ls_status tool_run(const struct tool_plan *plan, const struct tool_paths *p, const struct tool_watch *watch,
                        int *code, struct arena *mem, struct diag_list *diags);

enum ls_status tool_container_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags);
enum ls_status tool_ptx_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags);
/* clang's PTX, with what has to be changed in it (mend.c). */
char *tool_ptx_mend(char *ptx, const struct tool_options *o, struct arena *mem);
enum ls_status tool_link_stub_write(const struct tool_step *s, struct arena *mem, struct diag_list *diags);

/* A whole file, NUL-terminated, in mem; NULL with a diagnostic. */
char *tool_file_read(const char *path, size_t *len, struct arena *mem, struct diag_list *diags);
enum ls_status tool_file_write(const char *path, const void *data, size_t len, struct diag_list *diags);

#endif
