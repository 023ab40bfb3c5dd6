/* gaps.h - the bytes of a copy that were never written, as gaps in the range, and what shape they have: for initcheck
 * and writecheck. Internal.
 *
 * Correct programs copy gaps of these shapes to the host with the rest, so they are no findings:
 *
 *     padding  gaps shorter than 16 bytes and than the alignment that they lead to, a whole number of periods apart,
 *              or several of them in each period: those of an array of structs
 *     halo     equal gaps at both ends of the range, and between them equal ones at equal distances, or none; less
 *              than half of it: the borders of a stencil's output
 *     lattice  pieces of one length with gaps of one length between them, and no rest that could be forgotten: what
 *              strided stores leave
 *
 * Nor are the ends of rows in an allocation with a pitch: gaps of less than 512 bytes up to multiples of 512. They do not
 * count as gaps at all, so that what is left may have one of the shapes above.
 */
#ifndef LS_CHECK_GAPS_H
#define LS_CHECK_GAPS_H

#include "base/base.h"
#include "check/core/allocations.h"

enum { GAPS_PERIOD = 8 }; /* gaps in a period, at most */

struct gaps {
    u64 base;     /* of the allocation */
    u64 from, to; /* the range */
    u64 bytes, count, longest;
    u64 first, first_end, last, last_end;
    u64 period;              /* between the first two */
    u64 inner, inner_period; /* those that are neither first nor last: length, distance */
    u64 inner_last;          /* where the latest of them begins; 0: there is none */
    /* The latest gaps, number k at k % GAPS_PERIOD; and whether each gap is the m-th before it, step[m] bytes further. */
    u64 latest[GAPS_PERIOD], length[GAPS_PERIOD], step[GAPS_PERIOD + 1];
    bool repeats[GAPS_PERIOD + 1];
    bool small;        /* each is as padding may be */
    bool pitched;      /* the allocation has a pitch */
    bool padded, even; /* so far */
};

/* made, serial: the allocations' calls, and this one's number. */
void gaps_begin(struct gaps *g, u64 base, u64 address, u64 size, struct allocations *made, u64 serial);
/* [from, to), behind the gap before. */
void gaps_add(struct gaps *g, u64 from, u64 to);

/* Of an array of structs of at most `most` bytes; a single gap: of one struct. */
bool gaps_are_padding(const struct gaps *g, u64 most);
bool gaps_are_halo(const struct gaps *g);
bool gaps_are_lattice(const struct gaps *g);

#endif
