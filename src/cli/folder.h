/* folder.h - the temporary folder that holds a session while a program runs. */
#ifndef LS_CLI_FOLDER_H
#define LS_CLI_FOLDER_H

#include "base/base.h"

enum { FOLDER_MAX = 256 };

/* Makes <TMPDIR or /tmp>/lockstep-<what>-XXXXXX; false with a message. */
bool folder_make(const char *what, char out[FOLDER_MAX]);
/* Removes it and the files in it. */
void folder_remove(const char *folder);

#endif
