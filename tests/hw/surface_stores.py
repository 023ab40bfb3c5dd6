#!/usr/bin/env python3
"""surface_stores.py LOCKSTEP FOLDER: compiles surface_stores.cu into FOLDER, profiles it, and compares what stores to surfaces are
counted and modelled as with what an H200 measured (h200/surface-stores.csv)."""
import sys

from modelled import compiled, far_off, number, profiled, recorded

SIDE = 2048
# How far off each may be, in the median and at most, as a share. What is written at random reaches DRAM before it must.
METRICS = {'l1tex__t_requests_pipe_tex_mem_surface_op_st.sum': (0, 0),
           'l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum': (0, 0.0001),
           'lts__t_sectors_op_write.sum': (0.001, 0.1),
           'lts__t_sectors.sum': (0.06, 0.3),
           'gpu__time_duration.sum': (0.08, 0.48)}


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'surface_stores')
    measured = [r for r in recorded('surface-stores.csv') if int(r['size']) <= SIDE]
    _, rows = profiled(lockstep, program, [str(SIDE)], METRICS)
    bad = len(rows) != len(measured)
    for metric, (middle, most) in METRICS.items():
        pairs = [(f"{wanted['type']} {wanted['where']} {wanted['size']}", number(row[metric]), number(wanted[metric]))
                 for row, wanted in zip(rows, measured)]
        bad |= far_off(metric, pairs, middle, most)
    return bad


sys.exit(main())
