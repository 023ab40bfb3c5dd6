/* host_link.c - copies, by the rates of the GPU's file (host_link.h). */
#include "model/host_link.h"

bool link_known(const struct gpu *g)
{
    return g->link_htod_bytes_per_s > 0 && g->link_dtoh_bytes_per_s > 0 && g->link_htod_pageable_bytes_per_s > 0 &&
           g->link_dtoh_pageable_bytes_per_s > 0 && g->dram_bytes_per_s > 0 && g->copy_latency_ns && g->launch_ns;
}

double link_call_seconds(const struct gpu *g) { return g->launch_ns * 1e-9; }

double link_copy_seconds(const struct gpu *g, enum engine way, bool pageable, double bytes)
{
    const double pinned_rate = way == ENGINE_HTOD ? g->link_htod_bytes_per_s : g->link_dtoh_bytes_per_s;
    const double pageable_rate =
        way == ENGINE_HTOD ? g->link_htod_pageable_bytes_per_s : g->link_dtoh_pageable_bytes_per_s;
    return bytes / (pageable ? pageable_rate : pinned_rate) + g->copy_latency_ns * 1e-9;
}

double link_device_seconds(const struct gpu *g, double bytes)
{
    const double moved = bytes / g->dram_bytes_per_s, least = link_call_seconds(g);
    return moved > least ? moved : least;
}
