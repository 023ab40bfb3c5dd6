#!/usr/bin/env python3
"""lanes.py LOCKSTEP FOLDER: compiles diverge.cu and tables.cu into FOLDER, profiles some of their launches, and compares their
modelled times, and what their warps mostly wait for, with an H200's (h200/diverge.csv, h200/tables.csv). The machine code has to be
ptxas's; without one there is nothing to compare."""
import csv, os, shutil, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
TIME = 'gpu__time_duration.sum'
STALL = 'smsp__average_warps_issue_stalled_%s_per_issue_active.ratio'
STALLS = ('not_selected', 'wait', 'long_scoreboard', 'short_scoreboard', 'math_pipe_throttle', 'lg_throttle', 'mio_throttle',
          'branch_resolving', 'no_instruction', 'imc_miss', 'dispatch_stall')
KEY = ('what', 'a', 'b', 'how', 'rounds', 'blocks', 'warps')
SKIP = 77
# program, what, warps (0: all): in percent, the median error and the largest, and how many launches there are.
RUNS = (('diverge', 'part', 1, 3, 5, 8),
        ('diverge', 'breaks', 1, 3, 8, 18),
        ('diverge', 'trips', 1, 9, 18, 36),
        ('diverge', 'exits', 1, 6, 8, 4),
        ('diverge', 'calls', 1, 10, 16, 8),
        ('tables', 'constants', 4, 6, 30, 12),
        ('tables', 'random', 0, 8, 52, 72),
        ('tables', 'shared', 0, 12, 90, 56),
        ('tables', 'store', 0, 15, 50, 27),
        ('tables', 'few_local', 4, 16, 45, 18))


def number(text):
    return float(text.replace(',', ''))


def profile(lockstep, program, what, warps):
    """Rows of what the program printed, with the metrics of its launches."""
    metrics = ','.join([TIME] + [STALL % s for s in STALLS])
    out = subprocess.run([lockstep, 'profile', '--model-launches', 'all', '--metrics', metrics, '--csv', '--page', 'raw',
                          '--print-units', 'base', program, what, '1', str(warps)],
                         capture_output=True, text=True, env={**os.environ, 'LOCKSTEP_GPU': 'h200'}).stdout.splitlines()
    head, _, *rows = csv.reader(line for line in out if line.startswith('"'))
    keys = [tuple(line.split(',')) for line in out if line.startswith(what + ',')]
    return [(key, dict(zip(head, row))) for key, row in zip(keys, rows)]


def main():
    lockstep, folder = sys.argv[1:]
    if not shutil.which('ptxas'):
        print('there is no ptxas')
        return SKIP
    bad = 0
    recorded = {}
    for name in ('diverge', 'tables'):
        subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / f'{name}.cu', '-o', os.path.join(folder, name)], check=True)
        for row in csv.DictReader(open(here / 'h200' / f'{name}.csv')):
            recorded[name, *(row[k] for k in KEY)] = row
    for name, what, warps, median, most, launches in RUNS:
        errors, tops = [], 0
        for key, ours in profile(lockstep, os.path.join(folder, name), what, warps):
            wanted = recorded.get((name, *key))
            if wanted:
                errors.append(abs(number(ours[TIME]) / number(wanted[TIME]) - 1) * 100)
                tops += max(STALLS, key=lambda s: number(ours[STALL % s])) == max(STALLS, key=lambda s: number(wanted[s]))
        errors.sort()
        good = len(errors) == launches and errors[launches // 2] <= median and errors[-1] <= most and tops >= 0.8 * launches
        print(f'{name} {what}: {len(errors)} launches, {errors[len(errors) // 2]:.1f} % off in the median, {errors[-1]:.1f} at most; '
              f'{tops} wait most for the same', '' if good else 'TOO FAR')
        bad += not good
    return bad != 0


sys.exit(main())
