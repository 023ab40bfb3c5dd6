/* words.h - numbers and texts of requests and answers. */
#ifndef LS_DEBUG_WORDS_H
#define LS_DEBUG_WORDS_H

#include <jansson.h>

#include "base/base.h"

/* An integer, or text of one: "0x7f0000000000", "42". */
bool word_u64(const json_t *value, u64 *out);
/* The member of that name: absent is `otherwise`. False: it is there and no such number, or more than most. */
bool word_member(const json_t *object, const char *name, u64 otherwise, u64 most, u64 *out);
bool word_flag(const json_t *object, const char *name, bool otherwise);
/* Text that may have any bytes: what is no UTF-8 becomes '?'. */
json_t *word_text(const char *text, size_t len);
json_t *word_hex(u64 value);                   /* "0x1f" */
json_t *word_bytes(const u8 *bytes, size_t n); /* "00ff12" */
bool word_to_bytes(const char *text, u8 *out, size_t n);
/* Aligned to 64 bytes, zeroed. */
void *word_aligned(size_t size);
void word_aligned_free(void *p);

#endif
