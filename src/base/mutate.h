/* mutate.h - deliberate faults in the counting rules, for tools/mutate.sh alone.
 *
 * A rule is written MUTANT(n, right, wrong). A normal build knows only `right`; a build with -DLS_MUTATE=n takes `wrong`
 * at that one place, and the tests must then fail. The numbers need not be dense; mutate.sh collects them. */
#ifndef LS_BASE_MUTATE_H
#define LS_BASE_MUTATE_H

#ifdef LS_MUTATE
#define MUTANT(n, right, wrong) ((n) == LS_MUTATE ? (wrong) : (right))
#else
#define MUTANT(n, right, wrong) (right)
#endif

#endif
