/* typed.c - rows whose command runs a program: typed in a folder of their own, where `examples` and `docs` are ours, with
 * the `lockstep` that stands beside this program; what is printed must be what the row says. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "curriculum.h"

enum { PRINTED_MOST = 1 << 16, LINES_MOST = 2000, PATH_MOST = 4096 };

static const char prompt[] = "(lockstep) ";

struct printed {
    char text[PRINTED_MOST];
    const char *lines[LINES_MOST];
    u32 n;
};

struct folder {
    char path[64]; /* where commands are typed */
    struct printed printed;
};

/* ---- comparing ---- */

/* The number of characters of an address of memory, 0x and twelve digits; 0: none is here. */
static size_t address(const char *s)
{
    return strncmp(s, "0x", 2) == 0 && strspn(s + 2, "0123456789abcdef") == 12 ? 14 : 0;
}

static bool same_line(const char *want, const char *got)
{
    while (*want && *got) {
        const size_t one = address(want), other = address(got);
        if ((one != 0) != (other != 0) || (!one && *want != *got))
            return false;
        want += one ? one : 1;
        got += other ? other : 1;
    }
    return *want == *got;
}

/* Are these lines the row's? `furthest` is the first that no way of reading "..." reached. */
static bool match(const char *const *want, u32 nwant, const struct printed *got, u32 at, u32 *furthest)
{
    if (at > *furthest)
        *furthest = at;
    if (!nwant)
        return at == got->n;
    if (strcmp(*want, "...") != 0)
        return at < got->n && same_line(*want, got->lines[at]) && match(want + 1, nwant - 1, got, at + 1, furthest);
    for (; at <= got->n; at++)
        if (match(want + 1, nwant - 1, got, at, furthest))
            return true;
    return false;
}

static void compare(struct row *row, const struct printed *got)
{
    u32 furthest = 0;
    if (!match(row->lines, row->nlines, got, 0, &furthest))
        snprintf(row->trouble, sizeof row->trouble, "it prints something else: line %u is '%.200s'", furthest + 1,
                 furthest < got->n ? got->lines[furthest] : "(nothing)");
}

/* ---- typing ---- */

static bool take_output(FILE *f, struct printed *p)
{
    const size_t n = fread(p->text, 1, sizeof p->text - 1, f);
    p->text[n] = '\0';
    p->n = 0;
    for (char *at = p->text; *at;) {
        char *line = at, *end = at + strcspn(at, "\n");
        at = *end ? end + 1 : end;
        *end = '\0';
        trim(line);
        if (p->n == LINES_MOST)
            return false;
        p->lines[p->n++] = line;
    }
    return n < sizeof p->text - 1;
}

static bool type(struct folder *f, const char *command)
{
    char line[PATH_MOST];
    snprintf(line, sizeof line, "cd %s && { %s; } 2>&1 </dev/null", f->path, command);
    fflush(NULL);
    FILE *out = popen(line, "r"); /* as a user's shell reads it */
    const bool all = out && take_output(out, &f->printed);
    if (out)
        pclose(out);
    return all;
}

/* The lines that are typed to the debugger, each behind a prompt as a terminal shows it. */
static bool write_session(const struct folder *f, const struct row *row)
{
    char path[100];
    snprintf(path, sizeof path, "%s/session", f->path);
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    for (u32 i = 0; i < row->nlines; i++)
        if (strncmp(row->lines[i], prompt, sizeof prompt - 1) == 0)
            fprintf(out, "echo %s\n%s\n", row->lines[i], row->lines[i] + sizeof prompt - 1);
    return fclose(out) == 0;
}

/* A chapter's command as it is; a debugger's has its session typed to it. */
static bool type_line(struct folder *f, const struct row *row)
{
    static const char head[] = "lockstep debug ";
    char command[600];
    const bool debug = strncmp(row->run, head, sizeof head - 1) == 0;
    if (!debug)
        return type(f, row->run);
    snprintf(command, sizeof command, "%s--batch -x session %s", head, row->run + sizeof head - 1);
    return write_session(f, row) && type(f, command);
}

/* A row's command; its program, the word that begins with ./, is one of examples/. */
static bool type_row(struct folder *f, const struct row *row)
{
    char command[600];
    const char *program = strstr(row->run, " ./");
    if (program) {
        program += 3;
        const int n = (int)strcspn(program, " ");
        snprintf(command, sizeof command, "[ -x %.*s ] || lockstep cc -G examples/%.*s.cu -o %.*s", n, program, n,
                 program, n, program);
        if (!type(f, command) || f->printed.n)
            return false;
    }
    snprintf(command, sizeof command, "lockstep %s", row->run);
    return type(f, command);
}

/* ---- the folder ---- */

static bool link_here(const struct folder *f, const char *name)
{
    char here[PATH_MOST], to[PATH_MOST + 40], path[120];
    if (!getcwd(here, sizeof here))
        return false;
    snprintf(to, sizeof to, "%s/%s", here, name);
    snprintf(path, sizeof path, "%s/%s", f->path, name);
    return symlink(to, path) == 0;
}

/* `lockstep` is the one that was built with this program. */
static bool set_path(void)
{
    char self[PATH_MOST], path[2 * PATH_MOST];
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(path, sizeof path, "%s:%s", self, getenv("PATH") ? getenv("PATH") : "");
    return setenv("PATH", path, 1) == 0;
}

static bool make_folder(struct folder *f)
{
    snprintf(f->path, sizeof f->path, "/tmp/curriculum-XXXXXX");
    return mkdtemp(f->path) && set_path() && link_here(f, "examples") && link_here(f, "docs");
}

static void remove_folder(const struct folder *f)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", f->path);
    if (system(command) != 0)
        fprintf(stderr, "ls_curriculum: %s stays\n", f->path);
}

bool run_typed(struct book *b)
{
    static struct folder f;
    if (!make_folder(&f)) {
        fprintf(stderr, "ls_curriculum: no folder for commands: %s\n", strerror(errno));
        return false;
    }
    for (u32 i = 0; i < b->n; i++) {
        struct row *row = &b->rows[i];
        if (!row->command.typed)
            continue;
        if (row->at ? type_row(&f, row) : type_line(&f, row))
            compare(row, &f.printed);
        else
            snprintf(row->trouble, sizeof row->trouble, "it could not be run: %.200s",
                     f.printed.n ? f.printed.lines[0] : "");
    }
    remove_folder(&f);
    return true;
}
