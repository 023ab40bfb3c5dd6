/* session.c - the folder of a session: appending to it, reading it, and packing it into one file. */
#include "meter/session/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "meter/rules.h"
#include "meter/session/session_record.h"

/* ---- appending ---- */

/* What this process wrote, and the file in which it stands. */
static struct {
    pthread_mutex_t lock;
    struct session_writer writer;
    dev_t device;
    ino_t inode;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER, .writer = {.with_process = true}};

static bool write_all(int fd, const char *text, size_t len)
{
    ssize_t n;
    do
        n = write(fd, text, len);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)len;
}

/* A file that is new or was emptied does not have what was written before. */
static void look_at_file(int fd)
{
    struct stat st;
    if (!fstat(fd, &st) && st.st_size && st.st_dev == own.device && st.st_ino == own.inode)
        return;
    session_writer_free(&own.writer);
    own.device = st.st_dev;
    own.inode = st.st_ino;
}

static enum ls_status append(const char *path, const struct meter_report *r)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (fd < 0)
        return LS_ERR_IO;
    look_at_file(fd);
    enum ls_status s = session_write(&own.writer, r) ? LS_OK : LS_ERR_NOMEM;
    if (s == LS_OK && !write_all(fd, own.writer.text.at, own.writer.text.len)) {
        session_writer_free(&own.writer);
        s = LS_ERR_IO;
    }
    close(fd);
    return s;
}

static bool own_path(const char *folder, char path[4096])
{
    const int n = snprintf(path, 4096, "%s/%ld.rec", folder, (long)getpid());
    return n > 0 && n < 4096;
}

enum ls_status session_append(const char *folder, const char *gpu, const struct meter_report *r)
{
    char path[4096];
    if (!own_path(folder, path))
        return LS_ERR_INVALID;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return LS_ERR_IO;
    pthread_mutex_lock(&own.lock);
    own.writer.gpu = gpu;
    const enum ls_status s = append(path, r);
    pthread_mutex_unlock(&own.lock);
    return s;
}

/* Trees are lines of their own: a root's record is written before its children run. */
static const char tree_format[] = "{\"type\":\"tree\",\"root\":%" PRIu64 ",\"ns\":%lf,\"l2\":%" PRIu64
                                  ",\"l2_reads\":%" PRIu64 ",\"dram_reads\":%" PRIu64 "}\n";

enum ls_status session_append_tree(const char *folder, const struct session_tree *t)
{
    char path[4096], line[256];
    if (!own_path(folder, path))
        return LS_ERR_INVALID;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return LS_ERR_IO;
    const int n = snprintf(line, sizeof line, tree_format, t->root, t->ns, t->traffic.l2, t->traffic.l2_reads,
                           t->traffic.dram_reads);
    pthread_mutex_lock(&own.lock);
    const bool written = write_all(fd, line, (size_t)n);
    pthread_mutex_unlock(&own.lock);
    close(fd);
    return written ? LS_OK : LS_ERR_IO;
}

/* ---- reading ---- */

/* A packed session may begin with a line about itself. */
static const char report_start[] = "{\"type\":\"report\"";

/* Room for one more in an array of n that has room for the next power of two. */
static bool grow(void *array, u32 n, size_t size)
{
    void **at = array;
    if (n & (n - 1))
        return true;
    void *to = ls_realloc(*at, size * (n ? n * 2 : 1));
    if (to)
        *at = to;
    return to != NULL;
}

static char *duplicate(const char *s)
{
    const size_t n = s ? strlen(s) + 1 : 0;
    char *to = n ? ls_realloc(NULL, n) : NULL;
    return to ? memcpy(to, s, n) : NULL;
}

static enum ls_status add_process(struct session *s, const struct session_process *p)
{
    if (!grow(&s->processes, s->nprocesses, sizeof *s->processes))
        return LS_ERR_NOMEM;
    struct session_process *to = &s->processes[s->nprocesses];
    *to = (struct session_process){p->pid, duplicate(p->path ? p->path : ""), duplicate(p->gpu)};
    if (!to->path || (p->gpu && !to->gpu)) {
        ls_free((char *)to->path);
        return LS_ERR_NOMEM;
    }
    s->nprocesses++;
    return LS_OK;
}

static enum ls_status add_report(struct session *s, struct session_reader *rd, struct meter_report *r, bool first)
{
    enum ls_status status = LS_OK;
    if (rd->new_process || first)
        status = add_process(s, &rd->process);
    if (status == LS_OK && !grow(&s->reports, s->n, sizeof(*s->reports)))
        status = LS_ERR_NOMEM;
    if (status != LS_OK) {
        meter_report_free(r);
        return status;
    }
    r->process = s->nprocesses - 1;
    s->reports[s->n++] = r;
    return LS_OK;
}

static void add_traffic(struct meter_report *r, const struct child_traffic *t)
{
    r->n[EVENT_l2_beside] += t->l2;
    r->n[EVENT_l2_beside_reads] += t->l2_reads;
    r->n[EVENT_dram_reads] += t->dram_reads;
    for (u32 i = 0; i < METRIC_COUNT; i++)
        if (metric_info(i)->kind == METRIC_MODELLED && metric_info(i)->by_line && !isnan(r->metrics[i].value))
            r->metrics[i].value = metric_of_events(r->n, i);
}

/* The line of a tree: its root's time is that of all. `from`: the first report of this file. Lines of old sessions know no traffic. */
static bool read_tree(const struct session *s, const char *line, u32 from)
{
    struct session_tree t = {0};
    if (sscanf(line, tree_format, &t.root, &t.ns, &t.traffic.l2, &t.traffic.l2_reads, &t.traffic.dram_reads) < 2)
        return false;
    for (u32 k = s->n; k-- > from;) {
        struct meter_report *r = s->reports[k];
        const double alone = r->metrics[METRIC_gpu_time].value;
        if (r->id != t.root || r->depth || r->process + 1 != s->nprocesses)
            continue;
        r->n[EVENT_time_ns] = (u64)(t.ns + 0.5);
        add_traffic(r, &t.traffic);
        r->metrics[METRIC_gpu_time].value = t.ns;
        r->metrics[METRIC_cycles_elapsed].value *= alone > 0 ? t.ns / alone : 1;
        break;
    }
    return true;
}

static enum ls_status read_records(struct session *s, struct session_reader *rd, FILE *f, const char *path,
                                   struct diag_list *diags)
{
    char *line = NULL; /* getline's own memory: records may be megabytes */
    size_t room = 0;
    struct diag_place at = {.file = path};
    enum ls_status status = LS_OK;
    const u32 before = s->n;
    bool packed = false; /* a report file, not the records of a process */
    for (ssize_t n; status == LS_OK && (n = getline(&line, &room, f)) >= 0;) {
        struct meter_report *r;
        at.line++;
        if (at.line == 1 && !strncmp(line, report_start, sizeof report_start - 1)) {
            packed = true;
            continue;
        }
        if (!n || line[n - 1] != '\n') {
            /* of records, it was being written when the process died; a report has whole lines only (session_pack) */
            if (packed)
                diag_add(diags, DIAG_ERROR, at, "the file is cut off in this line: launches are missing");
            break;
        }
        if (read_tree(s, line, before))
            continue;
        status = session_reader_parse(rd, line, (size_t)n - 1, &r);
        if (status == LS_OK)
            status = add_report(s, rd, r, s->n == before);
        else if (status == LS_ERR_SYNTAX) {
            diag_add(diags, DIAG_ERROR, at, "this line is not the record of a launch");
            status = LS_OK;
        }
    }
    free(line);
    return status;
}

enum ls_status session_read_file(const char *path, struct session *out, struct diag_list *diags)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return LS_ERR_IO;
    struct session_reader rd = {0};
    const enum ls_status status = read_records(out, &rd, f, path, diags);
    session_reader_free(&rd);
    fclose(f);
    return status;
}

static int is_record_file(const struct dirent *d)
{
    const size_t n = strlen(d->d_name);
    return n > 4 && !strcmp(d->d_name + n - 4, ".rec");
}

/* Calls act with the path of each record file, in order of name, until one fails. */
static enum ls_status each_file(const char *folder, enum ls_status (*act)(const char *path, void *a, void *b), void *a,
                                void *b)
{
    struct dirent **names;
    const int n = scandir(folder, &names, is_record_file, alphasort);
    if (n < 0)
        return LS_ERR_IO;
    enum ls_status status = LS_OK;
    for (int k = 0; k < n; k++) {
        char path[4096];
        const int len = snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
        if (status == LS_OK)
            status = len > 0 && (size_t)len < sizeof path ? act(path, a, b) : LS_ERR_INVALID;
        free(names[k]);
    }
    free(names);
    return status;
}

static enum ls_status read_one(const char *path, void *session, void *diags)
{
    return session_read_file(path, session, diags);
}

enum ls_status session_read(const char *folder, struct session *out, struct diag_list *diags)
{
    *out = (struct session){0};
    const enum ls_status status = each_file(folder, read_one, out, diags);
    if (status != LS_OK)
        session_free(out);
    return status;
}

static enum ls_status pack_one(const char *path, void *to, void *unused)
{
    (void)unused;
    FILE *f = fopen(path, "r");
    if (!f)
        return LS_ERR_IO;
    char *line = NULL;
    size_t room = 0;
    for (ssize_t n; (n = getline(&line, &room, f)) > 0 && line[n - 1] == '\n';)
        fwrite(line, 1, (size_t)n, to);
    free(line);
    fclose(f);
    return ferror((FILE *)to) ? LS_ERR_IO : LS_OK;
}

enum ls_status session_pack(const char *folder, FILE *to) { return each_file(folder, pack_one, to, NULL); }

void session_free(struct session *s)
{
    for (u32 k = 0; k < s->n; k++)
        meter_report_free(s->reports[k]);
    for (u32 k = 0; k < s->nprocesses; k++) {
        ls_free((char *)s->processes[k].path);
        ls_free((char *)s->processes[k].gpu);
    }
    ls_free(s->reports);
    ls_free(s->processes);
    *s = (struct session){0};
}
