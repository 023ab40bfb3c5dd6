/* said.h - the settings of a command (base/settings.h): what the environment says, then its options, and what the program
 * that it starts, or the driver that it loads, is to find. */
#ifndef LS_CLI_SAID_H
#define LS_CLI_SAID_H

#include "base/settings.h"

extern struct settings said; /* main reads them; texts that are set last as long as the process */

/* NULL: as it is. False: it is no such value, which is told. */
bool said_set(struct settings *s, enum setting n, const char *text);
/* 0: as it is. digits: memory for the text. */
bool said_count(struct settings *s, enum setting n, u64 count, char digits[24]);
/* For what this process starts and loads; false: no memory, which is told. */
bool said_export(const struct settings *s);
/* Reads the environment; false: a value is none, which is told. */
bool said_read(void);

#endif
