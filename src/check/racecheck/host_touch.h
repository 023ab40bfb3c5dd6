/* host_touch.h - what operations did to memory that the host can reach by plain loads and stores (managed and pinned),
 * as long as the host has not waited for them: what host_pages.c takes from the program meanwhile,
 * and whether an access of the program's to such memory was a race.
 *
 * Thread-safe. */
#ifndef LS_CHECK_HOST_TOUCH_H
#define LS_CHECK_HOST_TOUCH_H

#include "check/core/check.h"

enum { HOST_PAGE = 4096 };

/* Whole pages. */
struct host_pages {
    u64 lo, hi;
    bool wrote; /* the operation wrote them, so the host may not even read */
};

/* Whether there is such memory. */
bool host_touch_any(const struct check *c);
/* The pages that the host should not touch now, those that were only read first; how many, at most `most`. */
u32 host_touch_pages(struct check *c, struct host_pages *out, u32 most);
/* The host touched the byte, from there (innermost frame first), before it waited for anything else: reports it if that
 * was a race. */
bool host_touch_report(struct check *c, u64 address, bool write, const struct host_call *from);

#endif
