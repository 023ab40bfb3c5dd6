/* text.h - a text that grows: how the programs of this folder write PTX. */
#ifndef LITMUS_TEXT_H
#define LITMUS_TEXT_H

#include <stddef.h>

/* Begins as {0}; `at` is to be freed. */
struct text {
    char *at;
    size_t size, room;
};

__attribute__((format(printf, 2, 3))) void put(struct text *t, const char *format, ...);

#endif
