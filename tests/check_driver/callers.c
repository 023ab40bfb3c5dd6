/* callers.c - see callers.h. Each returns something of its own, so that the call is not its last act, unless that is
 * the point. */
#include "callers.h"

#include <stdio.h>

int callers_sink;

static __attribute__((noinline)) int wrapper(int n) { return probe(&callers_sink, n); }

static __attribute__((noinline)) void empty(int n) { callers_sink += n; }

int drops_once(int n)
{
    probe(&n, n);
    return callers_sink;
}

int drops_in_loop(int n)
{
    for (int i = 0; i < n; i++)
        probe(&i, i);
    return n;
}

int drops_in_branch(int n)
{
    if (n > 2)
        probe(&n, n);
    else
        callers_sink++;
    return callers_sink + n;
}

int drops_before_call(int n)
{
    probe(&n, n);
    empty(n);
    return n;
}

int drops_by_wrapper(int n)
{
    wrapper(n);
    return callers_sink - n;
}

int drops_before_float(int n)
{
    float f = (float)n;
    probe(&f, n);
    f = f * 2 + 1;
    return (int)f;
}

int drops_before_printf(int n)
{
    char text[16];
    probe(text, n);
    return snprintf(text, sizeof text, "%d", n);
}

int keeps(int n)
{
    int r = probe(&n, n);
    callers_sink = r;
    return n;
}

int compares(int n)
{
    if (probe(&n, n) != 7)
        callers_sink++;
    return n;
}

int compares_in_loop(int n)
{
    for (int i = 0; i < n; i++)
        if (probe(&i, i) == 3)
            return -1;
    return n;
}

int adds(int n) { return n + probe(&n, n); }

int passes_on(int n)
{
    empty(probe(&n, n));
    return n;
}

int uses_by_wrapper(int n) { return wrapper(n) == 7 ? n : callers_sink; }

int widens(int n)
{
    const long long r = probe(&n, n);
    return (int)(r >> 3) + n;
}

int looks_on_one_way(int n)
{
    const int r = probe(&n, n);
    if (callers_sink & 1)
        callers_sink = r;
    return n;
}
