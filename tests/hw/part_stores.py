#!/usr/bin/env python3
"""part_stores.py LOCKSTEP FOLDER: compiles part_stores.cu into FOLDER, profiles its grids of 528 blocks at most, and compares what stores
to parts of sectors are counted and modelled as with what an H200 measured (h200/part-stores.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

BLOCKS = 528
L1, L2 = 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum', 'lts__t_sectors_op_write.sum'
# How far off what L2 is written is in the mean, as a share. When stores of different warps meet is a matter of time, which the model of caches does not
# know: it joins half of what warps store that leave a barrier together, where an H200 joins nearly all (shuffled).
MEAN = {'fields': 0.12, 'loop': 0.03, 'shuffled': 1.2, 'columns': 0.35}


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'part_stores')
    measured = [r for r in recorded('part-stores.csv') if int(r['blocks']) <= BLOCKS]
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
