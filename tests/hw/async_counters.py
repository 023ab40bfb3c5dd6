#!/usr/bin/env python3
"""async_counters.py LOCKSTEP PROGRAM: profiles async_counters.c's program and compares what each form is counted as with what an H200
counted (h200/async-counters.csv). A cell there is empty where the H200 was not asked.

async_counters.py --record OUT.csv NCU.csv ...: makes the file of what ncu printed (--csv --page raw) of the program."""
import csv, subprocess, sys
from pathlib import Path

here = Path(__file__).parent
TIMES = 8  # the second launch of a form does it so many times more than the first
# What Lockstep counts otherwise: an H200 counts sectors outside a tensor as if they came, and which it asks of L2 is not known.
OUTSIDE = [f'l1tex__m_xbar2l1tex_read_{what}_mem_global_op_tma_ld{whose}.sum'
           for what, whose in (('sectors', ''), ('sectors', '_dest_self'), ('bytes', ''))]
NOT_EQUAL = {(form, name) for form in ('t_ld_out_left', 't_ld_out_top', 't_ld_out_all') for name in OUTSIDE}


def table(lines):
    rows = list(csv.reader(line for line in lines if line and not line.startswith(('#', '='))))
    return rows[0], rows[1:]


def number(text):
    return float(text.replace(',', ''))


def of_profiler(text):
    """What the form alone is counted as: {form: {metric: value}}."""
    head, rows = table(line for line in text.splitlines() if line.startswith('"'))
    name = head.index('Kernel Name')
    rows = [row for row in rows if row[name]]
    forms = {}
    for few, many in zip(rows[::2], rows[1::2]):
        assert few[name] == many[name], few[name]
        forms[few[name]] = {metric: (number(many[k]) - number(few[k])) / TIMES for k, metric in enumerate(head)
                            if metric.endswith('.sum') and few[k]}
    return forms


def record(out, paths):
    wanted = table((here / 'h200' / 'async-counters.csv').read_text().splitlines())[0][1:]
    forms = {}
    for path in paths:
        for form, values in of_profiler(Path(path).read_text()).items():
            forms.setdefault(form, {}).update(values)
    with open(out, 'w') as to:
        to.write('# tests/hw/async_counters.c on an NVIDIA H200, driver 580.159.04, under Nsight Compute 2025.3.1.\n')
        rows = csv.writer(to, lineterminator='\n')
        rows.writerow(['form', *wanted])
        for form, values in forms.items():
            rows.writerow([form, *(f'{values[m]:.15g}' if m in values else '' for m in wanted)])


def compare(lockstep, program):
    head, recorded = table((here / 'h200' / 'async-counters.csv').read_text().splitlines())
    names = head[1:]
    out = subprocess.run([lockstep, 'profile', '--metrics', ','.join(names), '--csv', '--page', 'raw', program],
                         capture_output=True, text=True).stdout
    ours = of_profiler(out)
    bad = n = 0
    for form, *cells in recorded:
        for name, cell in zip(names, cells):
            if not cell:
                continue
            n += 1
            counted = ours[form][name]
            if (counted == float(cell)) == ((form, name) in NOT_EQUAL):
                print(f'{form} {name}: counted {counted:g}, an H200 {cell}')
                bad += 1
    print(f'{n} values, {bad} not as expected')
    return bad != 0 or n < 500


if __name__ == '__main__':
    if sys.argv[1] == '--record':
        record(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(compare(*sys.argv[1:]))
