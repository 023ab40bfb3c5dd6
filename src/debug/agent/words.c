/* words.c - see words.h. */
#include "debug/agent/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

bool word_u64(const json_t *value, u64 *out)
{
    const char *text = json_string_value(value);
    char *end;
    if (json_is_integer(value)) {
        *out = (u64)json_integer_value(value);
        return true;
    }
    if (!text || !(*text >= '0' && *text <= '9'))
        return false;
    errno = 0;
    *out = strtoull(text, &end, 0);
    return !errno && !*end;
}

bool word_member(const json_t *object, const char *name, u64 otherwise, u64 most, u64 *out)
{
    const json_t *value = json_object_get(object, name);
    *out = otherwise;
    return !value || (word_u64(value, out) && *out <= most);
}

bool word_flag(const json_t *object, const char *name, bool otherwise)
{
    const json_t *value = json_object_get(object, name);
    return value ? json_is_true(value) : otherwise;
}

json_t *word_text(const char *text, size_t len)
{
    json_t *whole = json_stringn(text, len);
    char *plain = whole ? NULL : ls_realloc(NULL, len + 1);
    if (!plain)
        return whole;
    for (size_t i = 0; i < len; i++)
        plain[i] = (u8)text[i] < 128 ? text[i] : '?';
    whole = json_stringn(plain, len);
    ls_free(plain);
    return whole;
}

json_t *word_hex(u64 value) { return json_sprintf("0x%llx", (unsigned long long)value); }

json_t *word_bytes(const u8 *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char *text = ls_realloc(NULL, 2 * n + 1);
    for (size_t i = 0; text && i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_t *out = text ? json_stringn(text, 2 * n) : NULL;
    ls_free(text);
    return out;
}

static int digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool word_to_bytes(const char *text, u8 *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const int high = digit(text[2 * i]), low = high < 0 ? -1 : digit(text[2 * i + 1]);
        if (low < 0)
            return false;
        out[i] = (u8)(high << 4 | low);
    }
    return !text[2 * n];
}

/* The pointer of the allocation stands in front. */
void *word_aligned(size_t size)
{
    enum { ALIGN = 64 };
    u8 *all = ls_calloc(1, size + 2 * ALIGN);
    if (!all)
        return NULL;
    u8 *at = (u8 *)ls_align_up((uintptr_t)all + sizeof all, ALIGN);
    memcpy(at - sizeof all, &all, sizeof all);
    return at;
}

void word_aligned_free(void *p)
{
    u8 *all;
    if (!p)
        return;
    memcpy(&all, (u8 *)p - sizeof all, sizeof all);
    ls_free(all);
}
