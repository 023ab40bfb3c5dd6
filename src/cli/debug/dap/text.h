/* text.h - values of JSON: text that may be anything, bytes as base64, and what a request's arguments say. */
#ifndef LS_CLI_DEBUG_DAP_TEXT_H
#define LS_CLI_DEBUG_DAP_TEXT_H

#include <jansson.h>

#include "base/base.h"

enum { DAP_WHY = 400 };

json_t *text_json(const char *text, size_t n); /* bytes that are no UTF-8 become U+FFFD */
json_t *text_of(const char *text);             /* "" for NULL */
json_t *text_format(const char *fmt, ...) LS_PRINTF(1, 2);
size_t text_whole(const char *text, size_t n); /* without the beginning of a character at its end */

json_t *base64_json(const u8 *bytes, size_t n);
u8 *base64_bytes(const char *text, size_t *n); /* ls_free; NULL: it is no base64, or no memory */

/* What is left out has the value that `otherwise` says; false, with why: it has a wrong type or is out of bounds. */
bool argument_number(const json_t *arguments, const char *name, u64 otherwise, u64 most, u64 *out, char why[DAP_WHY]);
bool argument_text(const json_t *arguments, const char *name, const char *otherwise, const char **out,
                   char why[DAP_WHY]);
bool argument_bool(const json_t *arguments, const char *name, bool otherwise, bool *out, char why[DAP_WHY]);
bool argument_list(const json_t *arguments, const char *name, const json_t **out, char why[DAP_WHY]); /* of objects */
bool read_number(const char *text, u64 *out); /* decimal or 0x... and nothing else */

#endif
