/* source_file.h - the text of source files, found by the names that the compiler recorded: as they are, relative to where the
 * command runs, to folders that the caller names, and to the program's folder, and in those by their last part alone. */
#ifndef LS_REPORT_SOURCE_FILE_H
#define LS_REPORT_SOURCE_FILE_H

#include "base/arena.h"

struct source_file {
    const char *file; /* as recorded */
    char **lines;     /* NULL: not found */
    u32 n;
    struct source_file *next;
};

/* Where files are looked for. */
struct source_folders {
    const char *const *folders; /* ends in NULL; or NULL */
    const char *program;        /* its path; "" */
};

/* The file, which is read once into mem (whose recovery point is set) and kept in the list *all. */
const struct source_file *source_file(struct arena *mem, struct source_file **all, const struct source_folders *where,
                                      const char *file);

#endif
