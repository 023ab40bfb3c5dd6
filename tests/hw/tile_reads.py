#!/usr/bin/env python3
"""tile_reads.py LOCKSTEP FOLDER: compiles tile_reads.cu into FOLDER, profiles it, and compares what blocks that read the same ask L2 for
with what an H200 measured (h200/tile-reads.csv)."""
import sys, statistics

from modelled import compiled, far_off, number, profiled, recorded

LOADED, HIT = ('l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum')
READ = 'lts__t_sectors_op_read.sum'


def missed(row):
    return number(row[LOADED]) - number(row[HIT])


def main():
    lockstep, folder = sys.argv[1:]
    measured = recorded('tile-reads.csv')
    _, rows = profiled(lockstep, compiled(lockstep, folder, 'tile_reads'), [], [LOADED, HIT, READ], kernels='^w_')
    bad = len(rows) != len(measured)
    cases = [' '.join(list(wanted.values())[:9]) for wanted in measured]
    bad |= far_off('sectors that L1 misses', [(c, missed(m), missed(w)) for c, m, w in zip(cases, rows, measured)], 0.08, 0.5, statistics.mean)
    bad |= far_off('sectors read from L2', [(c, number(m[READ]), number(w[READ])) for c, m, w in zip(cases, rows, measured)], 0.22, 0.9,
                   statistics.mean)
    return bad


sys.exit(main())
