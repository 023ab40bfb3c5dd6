/* session.h - finished launches on disk: one JSON object a line, in <folder>/<pid>.rec.
 *
 * A record is appended with one write() to a file opened with O_APPEND, so it survives _exit, abort and exec, and
 * threads of a process do not interleave. A last line that was cut short is ignored by the reader. */
#ifndef LS_METER_SESSION_H
#define LS_METER_SESSION_H

#include "base/base.h"
#include "base/diag.h"
#include "base/status.h"
#include "meter/meter.h"

/* Appends one launch to <folder>/<pid of this process>.rec; makes the folder when there is none. */
enum ls_status session_append(const char *folder, const struct meter_report *r);

/* Every launch of every *.rec file of the folder, in order of file name and then of line. */
struct session {
    struct meter_report **reports; /* each in memory of its own */
    u32 n;
};

/* LS_ERR_IO when the folder cannot be read; lines that are not records give a diagnostic and are left out. */
enum ls_status session_read(const char *folder, struct session *out, struct diag_list *diags);
void session_free(struct session *s);

/* One record as JSON text without newline, ls_realloc'ed; NULL: no memory. And back. */
char *session_print(const struct meter_report *r);
enum ls_status session_parse(const char *line, size_t len, struct meter_report **out);

#endif
