/* device_print.c - see device_print.h. */
#include "model/device_print.h"

#include <math.h>

/* A lane writes so many sectors, fewer for each argument and more for each 256 characters of its format. Exact on all launches. */
enum { LANE = 222, LANE_ARGUMENT = 7, LANE_CHUNK = 249, CHUNK = 256 };
/* Of local memory eight lanes write so many; with arguments more. */
enum { LOCAL = 60, LOCAL_SOME = 66, LOCAL_ARGUMENT = 7 };

void device_print_add(struct device_print *p, double warps, double threads, u32 length, u32 arguments)
{
    if (warps < 1)
        return;
    const double lane = fmax(0, LANE - (double)LANE_ARGUMENT * arguments) + LANE_CHUNK * floor((double)length / CHUNK);
    const double local = arguments ? LOCAL_SOME + (double)LOCAL_ARGUMENT * arguments : LOCAL;
    p->calls += warps;
    p->stores += threads * lane + warps * ceil(threads / warps / 8) * local;
}

/* A call's fence of the whole system costs L2 so much, all of its slices; warps of an SM that have one at the same time share it. The
 * code of printf comes from DRAM once. (Of two warps none shares, of eight three, of 64 twelve: tests/hw/h200/call-traffic.csv.) */
struct device_print_traffic device_print_traffic(const struct device_print *p, double held)
{
    enum { FENCE = 564, READS = 20, CODE_READS = 1370, CODE_DRAM = 760, ATOMS = 4, FAR_ATOMS = 2 };
    if (p->calls < 1)
        return (struct device_print_traffic){0};
    const double together = fmin(held, p->calls);
    const double shared = 1 + 0.4 * pow(fmax(0, together - 2), 0.8), reads = CODE_READS + READS * p->calls;
    return (struct device_print_traffic){.writes = (u64)p->stores,
                                         .far_writes = (u64)(p->stores / 2),
                                         .atoms = (u64)(ATOMS * p->calls),
                                         .far_atoms = (u64)(FAR_ATOMS * p->calls),
                                         .beside = (u64)(FENCE * p->calls / shared + reads),
                                         .beside_reads = (u64)reads,
                                         .dram_reads = CODE_DRAM};
}
