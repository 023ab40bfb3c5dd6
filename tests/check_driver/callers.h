/* callers.h - functions that call and look, or do not look, at what they get: test_check_dropped.c reads their code. */
#ifndef CALLERS_H
#define CALLERS_H

/* The call whose callers are judged; it returns 7 and remembers where it was called from. */
int probe(void *where, int n);

extern int callers_sink;

/* CALLER(name, whether it drops the result) */
#define CALLERS                                                                                                        \
    CALLER(drops_once, true)                                                                                           \
    CALLER(drops_in_loop, true)                                                                                        \
    CALLER(drops_in_branch, true)                                                                                      \
    CALLER(drops_before_call, true)                                                                                    \
    CALLER(drops_by_wrapper, true)                                                                                     \
    CALLER(drops_before_float, true)                                                                                   \
    CALLER(drops_before_printf, true)                                                                                  \
    CALLER(keeps, false)                                                                                               \
    CALLER(compares, false)                                                                                            \
    CALLER(compares_in_loop, false)                                                                                    \
    CALLER(adds, false)                                                                                                \
    CALLER(passes_on, false)                                                                                           \
    CALLER(uses_by_wrapper, false)                                                                                     \
    CALLER(widens, false)                                                                                              \
    CALLER(looks_on_one_way, false)

#define CALLER(name, drops) int name(int n);
CALLERS
#undef CALLER

#endif
