/* helper.h - reading test data, and parsing with the messages shown when it fails. */
#ifndef TEST_PTX_HELPER_H
#define TEST_PTX_HELPER_H

#include "base/alloc.h"
#include "ptx/ptx.h"

char *read_file(const char *path, size_t *len); /* NULL: cannot; ls_free */

/* The module, or NULL with the messages in *said (ls_free both ways). */
struct ptx_module *parse_text(const char *text, size_t len, const char *name, char **said);

/* Parses or fails the test. */
struct ptx_module *must_parse(const char *text);

#endif
