#!/usr/bin/env python3
"""executed.py LOCKSTEP CORPUS: counts the instructions of cases of the corpus, whose programs nvcc has made in the folder CORPUS, with the machine code
of a ptxas, and compares them with what an H200 executed (h200/executed.csv). Status 77: there is no ptxas, or no such program."""
import os, statistics, sys

from modelled import number, profiled, recorded

METRICS = {'instructions': 'smsp__inst_executed.sum', 'thread_instructions': 'smsp__thread_inst_executed.sum'}
# Relative errors: the median, and how many launches may be off by more than two percent.
MEDIAN, BEYOND, FAR = 0.002, 0.02, 17


def errors_of(lockstep, folder, wanted):
    program = os.path.join(folder, wanted['kind'])
    _, rows = profiled(lockstep, program, [wanted['case'], '0'], METRICS.values(), table=f"executed-{wanted['kind']}.csv", caches=False)
    return [number(rows[0][metric]) / number(wanted[what]) - 1 for what, metric in METRICS.items()]


def main():
    lockstep, folder = sys.argv[1:]
    measured = recorded('executed.csv')
    if not os.path.exists(os.path.join(folder, measured[0]['kind'])):
        return 77
    errors = [errors_of(lockstep, folder, wanted) for wanted in measured]
    for wanted, e in zip(measured, errors):
        if abs(e[0]) > BEYOND:
            print(f"{wanted['kind']} {wanted['case']}: {e[0]:+.1%} instructions, {e[1]:+.1%} of threads")
    off = [abs(e[0]) for e in errors]
    far = sum(e > BEYOND for e in off)
    print(f'{len(off)} launches: {statistics.median(off):.4f} off in the median, {statistics.mean(off):.4f} in the mean, {far} more than {BEYOND:.0%}')
    return statistics.median(off) > MEDIAN or far > FAR


sys.exit(main())
