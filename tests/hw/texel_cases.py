#!/usr/bin/env python3
"""texel_cases.py LOCKSTEP FOLDER: compiles texel_cases.cu into FOLDER, profiles some of its sets, and compares what textures and surfaces
of all shapes are counted and modelled as with what an H200 measured (h200/texel-cases.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

SETS = ['few', 'textures', 'more_surfaces']
CASE = ['what', 'shape', 'texel', 'filter', 'where', 'side', 'each']
# How far off each may be, in the median, for nine in ten and at most, as a share; and what is too little to compare.
METRICS = {'l1tex__t_requests_pipe_tex_mem_texture.sum': (0, 0.08, 0.10, 0),
           'l1tex__t_sectors_pipe_tex_mem_texture.sum': (0, 0, 0.001, 0),
           'l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum': (0, 0, 0, 0),
           'l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum': (0, 0, 0.001, 0),
           'l1tex__t_requests_pipe_tex_mem_surface_op_st.sum': (0, 0, 0, 0),
           'l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum': (0, 0, 0.001, 0),
           'lts__t_sectors_srcunit_tex.sum': (0.02, 0.30, 0.70, 5000),
           'lts__t_sectors.sum': (0.07, 0.30, 0.70, 20000),
           'dram__bytes_read.sum': (0.01, 0.30, 1, 100000),
           'gpu__time_duration.sum': (0.10, 0.25, 0.60, 0)}


def compare(metric, limits, pairs):
    """pairs: a case, what is modelled, what an H200 measured. True: too far off."""
    middle, most, all_of, least = limits
    off = []
    bad = False
    for case, a, b in pairs:
        if b <= least:
            continue
        off.append(abs(a - b) / b)
        if off[-1] > all_of:
            print(*case, f'{metric}: {a:g}, an H200 {b:g}')
            bad = True
    off.sort()
    tenth = off[int(0.9 * len(off))]
    print(f'{metric}: {len(off)} values, {statistics.median(off):.3f} off in the median, {tenth:.3f} for nine in ten, {off[-1]:.3f} at most')
    return bad or statistics.median(off) > middle or tenth > most


def main():
    lockstep, folder = sys.argv[1:]
    program, measured = compiled(lockstep, folder, 'texel_cases'), recorded('texel-cases.csv')
    pairs = {metric: [] for metric in METRICS}
    for one in SETS:
        out, rows = profiled(lockstep, program, [one], METRICS, '^[ck]_')
        cases = [line.split(',') for line in out.splitlines() if line.count(',') == len(CASE) - 1]
        wanted = [r for r in measured if r['set'] == one]
        if cases != [[r[c] for c in CASE] for r in wanted] or len(rows) != len(wanted):
            sys.exit(f'{one}: {len(rows)} launches, {len(wanted)} recorded; other cases')
        for row, r in zip(rows, wanted):
            for metric in METRICS:
                pairs[metric].append(([r[c] for c in CASE], number(row[metric]), number(r[metric])))
    return any([compare(metric, METRICS[metric], pairs[metric]) for metric in METRICS])


sys.exit(main())
