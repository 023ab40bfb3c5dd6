#!/usr/bin/env python3
"""row_stores.py LOCKSTEP FOLDER: compiles row_stores.cu into FOLDER, profiles its grids of 528 blocks at most, and compares what stores
to parts of sectors write to L2 with what an H200 measured (h200/row-stores.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

BLOCKS = 528
L1, L2 = 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum', 'lts__t_sectors_op_write.sum'
MEAN = {'row': 0.16, 'tile': 0.12}  # how far off what L2 is written is, as a share


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'row_stores')
    measured = [r for r in recorded('row-stores.csv') if int(r['blocks']) <= BLOCKS]
    _, rows = profiled(lockstep, program, [str(BLOCKS)], [L1, L2])
    bad = len(rows) != len(measured)
    off = {what: [] for what in MEAN}
    for row, wanted in zip(rows, measured):
        if number(row[L1]) != number(wanted[L1]):
            print(wanted, f'{L1}: {row[L1]}')
            bad = True
        off[wanted['what']].append(number(row[L2]) / number(wanted[L2]) - 1)
    for what, most in MEAN.items():
        mean = statistics.mean(abs(x) for x in off[what])
        print(f'{what}: sectors written to L2 {mean:.3f} off in the mean, {min(off[what]):.2f} to {max(off[what]):+.2f}')
        bad |= mean > most
    return bad


sys.exit(main())
