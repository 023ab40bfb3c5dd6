/* intern.c - open addressing over XXH3 hashes. Each string is allocated behind a word that belongs to the table's user
 * (intern_slot): the parser hangs a name's meaning there and looks it up without a second hash. */
#include "base/intern.h"

#include <string.h>
#include <xxhash.h>

struct intern_entry {
    const char *s; /* NULL: free */
    u32 hash, len;
};

struct string {
    void *slot;
    char text[];
};

static void put(struct intern_entry *table, u32 cap, struct intern_entry e)
{
    u32 i = e.hash & (cap - 1);
    while (table[i].s)
        i = (i + 1) & (cap - 1);
    table[i] = e;
}

static bool grow(struct intern *t)
{
    u32 cap = t->cap ? t->cap * 2 : 256;
    struct intern_entry *table = arena_try_array(t->mem, struct intern_entry, cap);
    if (!table)
        return false;
    for (u32 i = 0; i < t->cap; i++)
        if (t->table[i].s)
            put(table, cap, t->table[i]);
    t->table = table;
    t->cap = cap;
    return true;
}

const char *intern_try(struct intern *t, const char *s, size_t n)
{
    LS_BUG_ON(n >= UINT32_MAX);
    const u32 hash = (u32)XXH3_64bits(s, n);
    if (t->cap) {
        for (u32 i = hash & (t->cap - 1); t->table[i].s; i = (i + 1) & (t->cap - 1))
            if (t->table[i].hash == hash && t->table[i].len == n && memcmp(t->table[i].s, s, n) == 0)
                return t->table[i].s;
    }
    if (t->len * 4 >= t->cap * 3 && !grow(t))
        return NULL;
    struct string *copy = arena_try(t->mem, sizeof(struct string) + n + 1);
    if (!copy)
        return NULL;
    memcpy(copy->text, s, n);
    put(t->table, t->cap, (struct intern_entry){copy->text, hash, (u32)n});
    t->len++;
    return copy->text;
}

const char *intern(struct intern *t, const char *s, size_t n)
{
    const char *text = intern_try(t, s, n);
    if (!text)
        arena_out_of_memory(t->mem);
    return text;
}

void **intern_slot(const char *interned)
{
    return &((struct string *)(void *)(uintptr_t)(interned - offsetof(struct string, text)))->slot;
}
