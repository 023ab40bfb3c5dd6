/* findings.c - see findings.h. */
#include "findings.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 40 };

static void run_child(const char *subject, const char *folder, const char *tools, const char *const *settings,
                      const char *const *words)
{
    char *argv[MOST_WORDS + 2] = {(char *)(uintptr_t)subject}, log[PATH_MAX];
    for (unsigned k = 0; words[k] && k < MOST_WORDS; k++)
        argv[k + 1] = (char *)(uintptr_t)words[k];
    snprintf(log, sizeof log, "%s/log", folder);
    const int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(fd, STDERR_FILENO);
    setenv("LOCKSTEP_SESSION", folder, 1);
    setenv("LOCKSTEP_CHECK", tools, 1);
    for (; settings && *settings; settings++)
        putenv((char *)(uintptr_t)*settings);
    execv(subject, argv);
    _exit(99);
}

static void read_lines(json_t *lines, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    json_error_t why;
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    while (getline(&line, &room, in) > 0) {
        json_t *o = json_loads(line, 0, &why);
        if (!o)
            fail_msg("%s: %s", why.text, line);
        json_array_append_new(lines, o);
    }
    free(line);
    fclose(in);
}

static void read_log(char *to, size_t size, const char *path)
{
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    to[fread(to, 1, size - 1, in)] = 0;
    fclose(in);
}

static int by_name(const struct dirent **a, const struct dirent **b) { return atoi((*a)->d_name) - atoi((*b)->d_name); }

/* Reads and removes the folder's files. */
static void read_folder(struct findings *f, const char *folder)
{
    struct dirent **names;
    const int n = scandir(folder, &names, NULL, by_name);
    assert_true(n >= 0);
    for (int k = 0; k < n; k++) {
        char path[PATH_MAX];
        const char *dot = strrchr(names[k]->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, names[k]->d_name);
        if (dot && strcmp(dot, ".chk") == 0) {
            read_lines(f->lines, path);
            f->files++;
        } else if (strcmp(names[k]->d_name, "log") == 0) {
            read_log(f->log, sizeof f->log, path);
        }
        if (names[k]->d_name[0] != '.')
            unlink(path);
        free(names[k]);
    }
    free(names);
    rmdir(folder);
}

void findings_run(struct findings *f, const char *subject, const char *tools, const char *const *settings,
                  const char *const *words)
{
    char folder[] = "/tmp/check_driver.XXXXXX";
    int status;
    assert_non_null(mkdtemp(folder));
    *f = (struct findings){.lines = json_array()};
    const pid_t child = fork();
    if (child == 0)
        run_child(subject, folder, tools, settings, words);
    assert_int_equal(waitpid(child, &status, 0), child);
    f->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    read_folder(f, folder);
    if (f->status >= 90)
        fail_msg("the subject says: %s", f->log);
}

void findings_free(struct findings *f) { json_decref(f->lines); }

const char *text_of(const json_t *o, const char *path)
{
    char part[64];
    while (o && *path) {
        const size_t n = strcspn(path, ".");
        snprintf(part, sizeof part, "%.*s", (int)n, path);
        o = json_object_get(o, part);
        path += n + (path[n] == '.');
    }
    return json_is_string(o) ? json_string_value(o) : "";
}

const char *detail_of(const json_t *finding)
{
    const json_t *line = json_array_get(json_object_get(finding, "detail"), 0);
    return line ? json_string_value(line) : "";
}

unsigned findings_count(const struct findings *f, const char *type, const char *kind)
{
    unsigned n = 0;
    size_t k;
    json_t *o;
    json_array_foreach(f->lines, k, o)
        n += strcmp(text_of(o, "type"), type) == 0 && (!kind || strcmp(text_of(o, "kind"), kind) == 0);
    return n;
}

const json_t *findings_only(const struct findings *f, const char *kind)
{
    size_t k;
    json_t *o;
    assert_int_equal(findings_count(f, "finding", kind), 1);
    json_array_foreach(f->lines, k, o)
        if (strcmp(text_of(o, "kind"), kind) == 0)
            return o;
    return NULL;
}
