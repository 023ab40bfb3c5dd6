#!/usr/bin/env python3
"""texture.py LOCKSTEP FOLDER: compiles texture.cu into FOLDER, profiles its images, and compares what fetches from textures are
counted and modelled as with what an H200 counted (h200/texture-images.csv)."""
import csv, os, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
# How far off each may be, as a share; 0: equal.
METRICS = {'l1tex__t_requests_pipe_tex_mem_texture.sum': 0,
           'l1tex__t_sectors_pipe_tex_mem_texture.sum': 0.0025,
           'l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum': 0.003,
           'lts__t_sectors_srcunit_tex.sum': 0.045,
           'dram__bytes_read.sum': 0.001}
ALWAYS = 3000  # sectors that may be missing besides: hits by chance
IMAGES = 12  # the first ones; the last takes as long as eight of them
EQUAL_LEAST = 38


def number(text):
    return float(text.replace(',', ''))


def main():
    lockstep, folder = sys.argv[1:]
    program = os.path.join(folder, 'texture')
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / 'texture.cu', '-o', program], check=True)
    out = subprocess.run([lockstep, 'profile', '--metrics', ','.join(METRICS), '--csv', '--page', 'raw',
                          '--launch-count', str(IMAGES), program, 'images'],
                         capture_output=True, text=True, env={**os.environ, 'LOCKSTEP_GPU': 'h200'}).stdout
    head, _, *rows = csv.reader(line for line in out.splitlines() if line.startswith('"'))
    recorded = list(csv.DictReader(open(here / 'h200' / 'texture-images.csv')))
    n = equal = bad = 0
    for row, wanted in zip(rows, recorded):
        ours = dict(zip(head, row))
        for metric, most in METRICS.items():
            a, b = number(ours[metric]), number(wanted[metric])
            n += 1
            equal += a == b
            if abs(a - b) > most * b + (ALWAYS if most else 0):
                print(*list(wanted.values())[:6], f'{metric}: {a:g}, an H200 {b:g}')
                bad += 1
    print(f'{n} values, {equal} equal, {bad} too far off')
    return bad != 0 or n != len(METRICS) * IMAGES or equal < EQUAL_LEAST


sys.exit(main())
