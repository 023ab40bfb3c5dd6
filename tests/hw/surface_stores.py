#!/usr/bin/env python3
"""surface_stores.py LOCKSTEP FOLDER: compiles surface_stores.cu into FOLDER, profiles it, and compares what stores to surfaces are
counted and modelled as with what an H200 measured (h200/surface-stores.csv)."""
import csv, os, statistics, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
SIDE = 2048
# How far off each may be, in the median and at most, as a share. What is written at random reaches DRAM before it must.
METRICS = {'l1tex__t_requests_pipe_tex_mem_surface_op_st.sum': (0, 0),
           'l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum': (0, 0.0001),
           'lts__t_sectors_op_write.sum': (0.001, 0.1),
           'lts__t_sectors.sum': (0.06, 0.3),
           'gpu__time_duration.sum': (0.08, 0.48)}


def number(text):
    return float(text.replace(',', ''))


def main():
    lockstep, folder = sys.argv[1:]
    program, table = os.path.join(folder, 'surface_stores'), os.path.join(folder, 'surface_stores.csv')
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / 'surface_stores.cu', '-o', program], check=True)
    subprocess.run([lockstep, 'profile', '-q', '--metrics', ','.join(METRICS), '--csv', '--page', 'raw', '--print-units', 'base',
                    '--model-launches', 'all', '--log-file', table, program, str(SIDE)], check=True,
                   env={**os.environ, 'LOCKSTEP_GPU': 'h200', 'LOCKSTEP_DEVICE_MEMORY': 'gpu'})
    with open(here / 'h200' / 'surface-stores.csv') as f:
        recorded = [r for r in csv.DictReader(line for line in f if line[0] != '#') if int(r['size']) <= SIDE]
    with open(table) as f:
        head, *rows = csv.reader(line for line in f if line.startswith('"'))
    rows = [dict(zip(head, r)) for r in rows if r[0].isdigit()]
    bad = len(rows) != len(recorded)
    for metric, (middle, most) in METRICS.items():
        off = []
        for row, wanted in zip(rows, recorded):
            a, b = number(row[metric]), number(wanted[metric])
            off.append(abs(a - b) / b)
            if off[-1] > most:
                print(wanted['type'], wanted['where'], wanted['size'], f'{metric}: {a:g}, an H200 {b:g}')
                bad = True
        print(f'{metric}: {statistics.median(off):.4f} off in the median, {max(off):.4f} at most')
        bad |= statistics.median(off) > middle
    return bad


sys.exit(main())
