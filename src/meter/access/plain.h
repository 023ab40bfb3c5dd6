/* plain.h - loads and stores that the engine counts instead of telling them (struct exec_counts). */
#ifndef LS_METER_ACCESS_PLAIN_H
#define LS_METER_ACCESS_PLAIN_H

#include "meter/count.h"

/* Which of the accesses like this one, at site s, the engine may count from now on. */
void plain_ask(const struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
               struct exec_site_count *n);
/* The access, which is told with `again` and costs this, is what the engine counts as PLAIN_AGAIN from now on. cost NULL:
 * another one pays. */
struct cost;
void plain_again(struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
                 const struct cost *cost, struct exec_site_count *n);
/* Adds what it has counted to the tallies. */
void plain_settle(struct counter *c);

#endif
