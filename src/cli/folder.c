/* folder.c - see folder.h. */
#include "cli/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/settings.h"

bool folder_make(const char *what, char out[FOLDER_MAX])
{
    const char *tmp = settings_tmp();
    const int n = snprintf(out, FOLDER_MAX, "%s/lockstep-%s-XXXXXX", tmp, what);
    if (n > 0 && n < FOLDER_MAX && mkdtemp(out))
        return true;
    fprintf(stderr, "lockstep %s: cannot make a folder in %s: %s\n", what, tmp, strerror(errno));
    return false;
}

void folder_remove(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}
