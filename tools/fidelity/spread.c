/* spread.c - what is said of many errors: their median, mean and so on; and what of pairs. */
#include <math.h>
#include <stdlib.h>

#include "fidelity.h"

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void sort_ascending(double *values, u32 n)
{
    if (n)
        qsort(values, n, sizeof *values, by_size);
}

double at_share(const double *sorted, u32 n, double share)
{
    const u32 k = (u32)(share * n);
    return n ? sorted[k < n ? k : n - 1] : NAN;
}

struct spread spread_of(double *values, u32 n)
{
    double sum = 0;
    sort_ascending(values, n);
    for (u32 i = 0; i < n; i++)
        sum += values[i];
    return (struct spread){.n = n,
                           .median = at_share(values, n, 0.5),
                           .mean = n ? sum / n : NAN,
                           .nine_in_ten = at_share(values, n, 0.9),
                           .largest = n ? values[n - 1] : NAN};
}

void order_add(struct tally *t, const double ours[2], const double theirs[2])
{
    const bool first = theirs[0] < theirs[1];
    if (theirs[first] < 1.1 * theirs[!first])
        return;
    t->n++;
    t->right += first ? ours[0] < ours[1] : ours[1] < ours[0];
}
