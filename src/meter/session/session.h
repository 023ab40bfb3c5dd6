/* session.h - finished launches on disk: one JSON object a line, in <folder>/<pid>.rec.
 *
 * A record is appended with one write() to a file opened with O_APPEND, so it survives _exit, abort and exec, and
 * threads of a process do not interleave. A last line that was cut short is ignored by the reader.
 *
 * A process's first record also names the process, its metrics and events; a record names only those instructions that
 * none before it had, and counts that are those of an earlier record are not written again. So ten thousand launches of
 * a kernel cost little more than the ten thousand lines of metrics. */
#ifndef LS_METER_SESSION_H
#define LS_METER_SESSION_H

#include <stdio.h>

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "meter/meter.h"
#include "model/children.h"

/* Appends one launch to <folder>/<pid of this process>.rec; makes the folder when there is none. gpu: the GPU as this
 * process was told of it, for session_process; NULL: the default. */
enum ls_status session_append(const char *folder, const char *gpu, const struct meter_report *r);

/* A launch with all that its kernels launched: how long it took, and what it moved that is in no grid's record. */
struct session_tree {
    u64 root;
    double ns;
    struct child_traffic traffic;
};
/* Behind the records of all. */
enum ls_status session_append_tree(const char *folder, const struct session_tree *t);

/* The program behind some records. */
struct session_process {
    u64 pid;          /* 0: the records do not say */
    const char *path; /* of the program; "" likewise */
    const char *gpu;  /* as it was told there: for gpu_find; NULL: the default */
};

/* Every launch of every *.rec file of the folder, in order of file name and then of line. */
struct session {
    struct meter_report **reports; /* each in memory of its own, but for the lines that they share */
    u32 n;
    struct session_process *processes; /* the texts are their own allocations */
    u32 nprocesses;
};

/* LS_ERR_IO when the folder cannot be read; lines that are not records give a diagnostic and are left out. */
enum ls_status session_read(const char *folder, struct session *out, struct diag_list *diags);
/* The records of one file, which may be several processes', one after the other. Adds to what `out` holds. */
enum ls_status session_read_file(const char *path, struct session *out, struct diag_list *diags);
void session_free(struct session *s);

/* Writes the records of a folder one after the other, for session_read_file. */
enum ls_status session_pack(const char *folder, FILE *to);

/* One record that says everything, as JSON text without newline, ls_realloc'ed; NULL: no memory. And back. */
char *session_print(const struct meter_report *r);
enum ls_status session_parse(const char *line, size_t len, struct meter_report **out);

#endif
