/* check_report.h - what `lockstep check` found: the records that the driver wrote in each process, read, put together
 * by place, and printed as text in compute-sanitizer's shape, as JSON, and as SARIF.
 *
 * One place is one finding, whatever launches and processes found it again: counts and threads add up, the description
 * is the first one's. Two findings are of one place when kind, severity, code and (for calls of the host) call site are
 * the same. Texts live as long as the report. Nothing here runs a program or looks up symbols: the caller fills in the
 * frames' functions and lines (check_report_frames). */
#ifndef LS_REPORT_CHECK_REPORT_H
#define LS_REPORT_CHECK_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/intern.h"
#include "base/kernel_name.h"
#include "base/status.h"
#include "base/vec.h"
#include "check/core/finding.h"

struct check_frame {
    const char *module;          /* NULL: unknown */
    u64 offset;                  /* of the return address, from where the module is loaded */
    const char *function, *file; /* function mangled; NULL: not known */
    u32 line;
    json_t *json; /* its record */
};

struct check_call {
    const char *api;            /* NULL: unknown */
    struct check_frame *frames; /* innermost first */
    u32 n;
};

struct check_party {
    const char *kernel, *function, *launched; /* names mangled; each may be NULL */
    bool has_thread;
    u32 block[3], thread[3];
    const char *file;
    u32 line, column; /* 0: unknown */
    const char *ptx_file;
    u32 ptx_line;
    const char *ptx, *does, *value; /* "read", "0x2a" */
};

struct check_process {
    u64 pid;
    const char *program, *gpu; /* NULL: not said */
    bool ended;                /* in order */
    bool counted;              /* the next two are known */
    u64 launches, passed_over; /* that were checked, and that the filters left out */
};

struct check_record {
    const char *kind, *tool, *title, *remedy;
    const char *what; /* NULL: the title says it */
    bool error;       /* else a warning */
    u32 process;
    u64 launch, count, threads, size, serial; /* 0: unknown */
    const char *space, *address;              /* NULL: unknown */
    struct check_party at, other;
    bool has_at, has_other;
    const char **detail;
    u32 ndetail;
    const char *launched_by;
    struct check_call call, made, freed; /* n 0 and api NULL: unknown */
    json_t *json;                        /* all of it, with the counts of all that was put together */
};

struct check_report {
    struct arena mem;
    VEC(struct check_process) processes;
    VEC(struct check_record *) findings; /* in the order in which they were found */
    VEC(const char *) command;           /* the program and its arguments; empty: unknown */
    unsigned tools;                      /* that the processes say ran (enum check_tool) */
    bool incomplete;                     /* a line could not be read */
    u64 only;                            /* set before reading: the one process (pid) that is wanted; 0: all */
    struct intern places, ids;
};

/* ---- check_read.c ---- */

void check_report_init(struct check_report *r);
void check_report_free(struct check_report *r);

/* Reads the records of one file: of a process, or what check_save wrote. A line that is no record is an error with its
 * place, and the others are read nevertheless. LS_ERR_IO, LS_ERR_SYNTAX after a diagnostic. */
enum ls_status check_report_read(struct check_report *r, const char *path, struct diag_list *diags);
/* The same of all <pid>.chk files of a folder, by pid. A last line that was cut off is a warning: the process was
 * killed. */
enum ls_status check_report_read_folder(struct check_report *r, const char *folder, struct diag_list *diags);

/* Leaves out the findings that `keep` does not want; nothing may be read behind this. */
void check_report_filter(struct check_report *r, bool (*keep)(void *ctx, const struct check_record *f), void *ctx);
/* Warnings become errors. */
void check_report_strict(struct check_report *r);
/* Calls `find` for every frame that has neither function nor file. It sets function, file and line (in mem) in copies
 * of the frame, innermost first, one for each function that was inlined there, and returns how many; 0: nothing is
 * known. The JSON follows. False: no memory. */
enum { CHECK_INLINED = 12 };
typedef u32 check_find_frames(void *ctx, struct arena *mem, const struct check_frame *f,
                              struct check_frame out[CHECK_INLINED]);
bool check_report_frames(struct check_report *r, check_find_frames *find, void *ctx);

u32 check_report_errors(const struct check_report *r);
/* Whether there were launches and the filters took none; false also where a process did not end in order. */
bool check_report_took_none(const struct check_report *r);

/* ---- printing ---- */

/* Where source files are looked for, and how they are named. */
struct check_paths {
    const char *here;   /* the working directory, absolute; NULL: unknown */
    const char *beside; /* a folder for relative names that are not found from here: the program's; NULL */
    bool strip;         /* text has file names without folders */
};

struct check_text {
    const char *prefix;    /* in front of every line: "=========" */
    u64 limit;             /* findings that are printed, 0: all */
    bool errors_only;      /* warnings are counted and not printed */
    bool quiet;            /* nothing but findings */
    bool session;          /* what each process was */
    bool host, device;     /* backtraces */
    bool whole_backtrace;  /* with the frames of libraries and below main */
    u64 callers;           /* frames of the host that are printed, 0: all */
    enum kernel_base name; /* how functions are named */
    unsigned tools;        /* that ran (enum check_tool) */
    struct check_paths paths;
};

void check_text_header(FILE *out, const struct check_text *o);
void check_text(FILE *out, const struct check_text *o, const struct check_report *r);
/* One line under the prefix: a remark on the run. */
void check_text_note(FILE *out, const struct check_text *o, const char *fmt, ...) LS_PRINTF(3, 4);

/* False: no memory, or nothing could be written. */
bool check_json(FILE *out, const struct check_report *r, unsigned tools);
/* status: the program's, -1: none ran. */
bool check_sarif(FILE *out, const struct check_report *r, const struct check_paths *paths, int status);
/* As check_report_read reads it. */
bool check_save(FILE *out, const struct check_report *r);

/* ---- check_names.c: names and places, shared by the printers ---- */

/* Of a function, in that form; texts in `out`. */
const char *check_name(const char *mangled, enum kernel_base name, char *out, size_t size);
/* The same, but a demangled name that is long is shortened: for text. */
const char *check_name_short(const char *mangled, enum kernel_base name, char out[KERNEL_SHORT]);
/* The frame of the user's code that made a call. NULL: none has a source line. */
const struct check_frame *check_site(const struct check_call *call);
/* Frame k of a call is of the C library, the dynamic linker or Lockstep's own libraries, or of what compilers and the
 * toolkit's headers put between the user's code and a call: stubs of kernels, templates around calls. */
bool check_frame_hidden(const struct check_call *call, u32 k);
/* What is wrong, in one sentence without its full stop. */
const char *check_headline(const struct check_record *f, char *out, size_t size);
const char *check_base_name(const char *path);
/* How text names a file. */
const char *check_file(const struct check_paths *p, const char *file, char *out, size_t size);
/* The line `n` of a source file, without its newline; false: there is no such file or line. */
bool check_source_line(const struct check_paths *p, const char *file, u32 n, char *out, size_t size);
/* The file; NULL: there is none such. */
FILE *check_source_open(const struct check_paths *p, const char *file);
/* For code hosts: relative to the working directory, or file:///... outside of it; percent-encoded. */
void check_uri(const struct check_paths *p, const char *file, char *out, size_t size);
/* *relative: below the working directory. */
bool check_uri_relative(const char *uri);

#endif
