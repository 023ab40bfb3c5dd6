#!/usr/bin/env python3
"""matches.py LOCKSTEP FOLDER: compiles matches.cu into FOLDER, profiles it with and without a ptxas, and compares the cycles of a
match, which the modelled times of launches give, with what an H200's warps read off their clock (h200/matches.csv). Where there is no
ptxas, machine code is estimated both times."""
import csv, os, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
ROUNDS, HZ, BEGIN_NS = 256, 1.98e9, 2300  # as in matches.cu; an H200's; what a launch takes besides
CYCLES, SHARE = 6, 0.21                   # how far a match may be off: the larger one
WITHOUT = 45                              # the first of a loop's eight is waited for longer than estimated: 102 cycles for 69


def modelled(lockstep, program, ptxas):
    """Nanoseconds of each launch; matches.cu launches each kernel twice and reads the second one's clock."""
    env = {**os.environ, 'LOCKSTEP_GPU': 'h200', **({} if ptxas else {'LOCKSTEP_PTXAS': ''})}
    out = subprocess.run([lockstep, 'profile', '--model-launches', 'all', '--metrics', 'gpu__time_duration.sum', '--csv',
                          '--page', 'raw', '--print-units', 'base', program], capture_output=True, text=True, env=env).stdout
    rows = list(csv.reader(line for line in out.splitlines() if line.startswith('"')))[2:]
    return [float(row[-1].replace(',', '')) for row in rows][1::2]


def main():
    lockstep, folder = sys.argv[1:]
    program = os.path.join(folder, 'matches')
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / 'matches.cu', '-o', program], check=True)
    recorded = list(csv.reader(open(here / 'h200' / 'matches.csv')))[1:]
    bad = 0
    for ptxas in (True, False):
        times = modelled(lockstep, program, ptxas)
        far = ['%s of %s values, %s warps: %.0f cycles, an H200 took %s' % (what, values, warps, ours, cycles)
               for (what, values, warps, cycles), ns in zip(recorded, times)
               for ours in [(ns - BEGIN_NS) * 1e-9 * HZ / ROUNDS]
               if abs(ours - float(cycles)) > max(CYCLES if ptxas else WITHOUT, SHARE * float(cycles))]
        print(f'{len(times)} launches,', 'with a ptxas' if ptxas else 'estimated:', f'{len(far)} too far off', *far, sep='\n    ')
        bad += bool(far) or len(times) != len(recorded)
    return bad != 0


sys.exit(main())
