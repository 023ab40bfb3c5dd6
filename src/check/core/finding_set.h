/* finding_set.h - the findings of a process by kind and place, so that one place is one finding with a count. Internal; the
 * caller locks. */
#ifndef LS_CHECK_FINDING_SET_H
#define LS_CHECK_FINDING_SET_H

#include "check/core/finding.h"

struct found {
    enum finding_kind kind;
    u64 key, id;
    struct finding *finding; /* until it has been reported */
    u64 again, threads;      /* since the last report */
    bool waits;              /* is in the list of what is to be reported */
    struct found *next;      /* in that list */
};

struct finding_set;

struct finding_set *finding_set_new(void); /* NULL: no memory */
void finding_set_free(struct finding_set *s);
/* NULL: nothing of that kind was found there. */
struct found *finding_set_find(struct finding_set *s, enum finding_kind kind, u64 key);
/* A copy of f, numbered, to be reported. NULL: no memory. */
struct found *finding_set_add(struct finding_set *s, const struct finding *f, u64 key);
/* It was found that many times more; to be reported. */
void finding_set_again(struct finding_set *s, struct found *e, u64 times, u64 threads);
/* Takes out the list of entries to be reported, oldest first. The set still owns the entries. */
struct found *finding_set_take(struct finding_set *s);

#endif
