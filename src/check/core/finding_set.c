/* finding_set.c - a hash table of findings: open chains, grown by doubling. Entries live as long as the set. */
#include "check/core/finding_set.h"

#include <xxhash.h>

#include "base/alloc.h"

struct entry {
    struct found found;
    struct entry *chain;
};

struct finding_set {
    struct entry **heads;
    u32 bits;
    u64 n;
    struct found *first, **last; /* what waits */
};

struct finding_set *finding_set_new(void)
{
    struct finding_set *s = ls_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->bits = 8;
    s->heads = ls_calloc((size_t)1 << s->bits, sizeof *s->heads);
    s->last = &s->first;
    if (s->heads)
        return s;
    ls_free(s);
    return NULL;
}

void finding_set_free(struct finding_set *s)
{
    if (!s)
        return;
    for (u64 k = 0; k < (u64)1 << s->bits; k++)
        for (struct entry *e = s->heads[k], *next; e; e = next) {
            next = e->chain;
            ls_free(e->found.finding);
            ls_free(e);
        }
    ls_free(s->heads);
    ls_free(s);
}

static u64 slot_of(const struct finding_set *s, enum finding_kind kind, u64 key)
{
    const u64 words[2] = {(u64)kind, key};
    return XXH3_64bits(words, sizeof words) & (((u64)1 << s->bits) - 1);
}

struct found *finding_set_find(struct finding_set *s, enum finding_kind kind, u64 key)
{
    for (struct entry *e = s->heads[slot_of(s, kind, key)]; e; e = e->chain)
        if (e->found.kind == kind && e->found.key == key)
            return &e->found;
    return NULL;
}

/* Without memory the table stays as it is, and gets slower. */
static void grow(struct finding_set *s)
{
    const u64 old = (u64)1 << s->bits;
    struct entry **heads = ls_calloc(old * 2, sizeof *heads), **was = s->heads;
    if (!heads)
        return;
    s->heads = heads;
    s->bits++;
    for (u64 k = 0; k < old; k++)
        for (struct entry *e = was[k], *next; e; e = next) {
            struct entry **head = &s->heads[slot_of(s, e->found.kind, e->found.key)];
            next = e->chain;
            e->chain = *head;
            *head = e;
        }
    ls_free(was);
}

static void wait(struct finding_set *s, struct found *e)
{
    if (e->waits)
        return;
    e->waits = true;
    e->next = NULL;
    *s->last = e;
    s->last = &e->next;
}

struct found *finding_set_add(struct finding_set *s, const struct finding *f, u64 key)
{
    struct entry *e = ls_calloc(1, sizeof *e);
    struct finding *copy = ls_realloc(NULL, sizeof *copy);
    if (!e || !copy) {
        ls_free(e);
        ls_free(copy);
        return NULL;
    }
    if (s->n == (u64)1 << s->bits)
        grow(s);
    *copy = *f;
    e->found = (struct found){.kind = f->kind, .key = key, .id = ++s->n, .finding = copy};
    struct entry **head = &s->heads[slot_of(s, f->kind, key)];
    e->chain = *head;
    *head = e;
    wait(s, &e->found);
    return &e->found;
}

void finding_set_again(struct finding_set *s, struct found *e, u64 times, u64 threads)
{
    e->again += times;
    e->threads += threads;
    wait(s, e);
}

struct found *finding_set_take(struct finding_set *s)
{
    struct found *first = s->first;
    s->first = NULL;
    s->last = &s->first;
    return first;
}
