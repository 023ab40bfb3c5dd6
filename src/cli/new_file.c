/* new_file.c - see new_file.h. */
#include "cli/new_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_special(const char *path)
{
    struct stat st;
    return !stat(path, &st) && !S_ISREG(st.st_mode);
}

static bool complain(const struct new_file *n)
{
    fprintf(stderr, "%s: cannot write %s: %s\n", n->self, n->path, strerror(errno));
    return false;
}

static bool is_beside(const struct new_file *n) { return strcmp(n->beside, n->path) != 0; }

bool new_file_open(struct new_file *n, const char *self, const char *path)
{
    n->self = self;
    n->path = path;
    n->f = NULL;
    if (snprintf(n->beside, sizeof n->beside, "%s%s", path, is_special(path) ? "" : ".new") >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return complain(n);
    }
    n->f = fopen(n->beside, "we");
    return n->f || complain(n);
}

bool new_file_close(struct new_file *n, bool good)
{
    if (good && (fflush(n->f) || ferror(n->f)))
        good = complain(n);
    if (fclose(n->f) && good)
        good = complain(n);
    if (good && is_beside(n) && rename(n->beside, n->path))
        good = complain(n);
    if (!good && is_beside(n))
        unlink(n->beside);
    return good;
}

bool new_file_ready(const char *self, const char *path)
{
    struct new_file n;
    if (!new_file_open(&n, self, path))
        return false;
    fclose(n.f);
    if (is_beside(&n))
        unlink(n.beside);
    return true;
}
