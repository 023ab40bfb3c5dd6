#!/usr/bin/env python3
"""mask_stores.py LOCKSTEP FOLDER: compiles mask_stores.cu into FOLDER, profiles its launches, and compares the time that is modelled for stores
of some lanes with what an H200 took (h200/mask-stores.csv)."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

TIME, SECTORS = 'gpu__time_duration.sum', 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum'
MEDIAN, MOST = 0.1, 0.36


def main():
    lockstep, folder = sys.argv[1:]
    program = compiled(lockstep, folder, 'mask_stores')
    measured = recorded('mask-stores.csv')
    _, rows = profiled(lockstep, program, [], [TIME, SECTORS])
    bad = len(rows) != len(measured)
    off = []
    for row, wanted in zip(rows, measured):
        case = f"{wanted['what']} {wanted['lanes']}"
        if number(row[SECTORS]) != number(wanted[SECTORS]):
            print(f'{case}: {row[SECTORS]} sectors, an H200 {wanted[SECTORS]}')
            bad = True
        off.append(abs(number(row[TIME]) / number(wanted[TIME]) - 1))
        if off[-1] > MOST:
            print(f'{case}: {row[TIME]} ns, an H200 {wanted[TIME]}')
    print(f'times {statistics.median(off):.3f} off in the median, {max(off):.3f} at most')
    return bad or statistics.median(off) > MEDIAN or max(off) > MOST


sys.exit(main())
