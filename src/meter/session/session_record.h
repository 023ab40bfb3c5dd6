/* session_record.h - what the files of sessions share: how a record is written and read, given what the records before
 * it said. */
#ifndef LS_METER_SESSION_RECORD_H
#define LS_METER_SESSION_RECORD_H

#include "base/vec.h"
#include "meter/session/session.h"

/* ---- session_write.c ---- */

/* A text that grows. */
struct session_text {
    char *at;
    size_t len, cap;
    bool failed; /* no memory */
};

struct session_site {
    u64 hash;
    const char *function, *file, *ptx;
    u32 line, ptx_line;
};

/* The machine code of a kernel: what is the same for all of its launches. */
struct session_code {
    u64 hash;
    const struct meter_machine *rows; /* read: without what is the launch's; written: NULL, as text stands for them */
    u32 n;
    const char *by, *text;
};

/* What a process's file has already. */
struct session_writer {
    struct arena mem;
    bool started;      /* the process and the names are written */
    bool with_process; /* name the process in the first record */
    const char *gpu;   /* of the process */
    VEC(struct session_site) sites;
    u32 *site_slots, nslots; /* open addressing: number of the site + 1; 0: free */
    VEC(struct session_code) codes;
    VEC(char *) rows;    /* texts of "lines", by their number */
    VEC(u64) row_hashes; /* of their lines */
    struct session_text text, lines, code;
};

/* One record with its newline in w->text; false: no memory, and the next record repeats everything. */
bool session_write(struct session_writer *w, const struct meter_report *r);
void session_writer_free(struct session_writer *w);

/* ---- session_read.c ---- */

struct session_reader {
    struct arena mem;
    VEC(struct session_site) sites;
    VEC(struct session_code) codes;
    VEC(struct meter_rows *) rows;
    VEC(i32) metrics; /* by number in the file: enum metric_id, -1: not known here */
    VEC(i32) events;
    struct session_process process; /* of the last record that named one */
    bool new_process;               /* that was the last record */
};

enum ls_status session_reader_parse(struct session_reader *rd, const char *line, size_t len, struct meter_report **out);
void session_reader_free(struct session_reader *rd);

#endif
