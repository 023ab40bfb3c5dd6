#!/usr/bin/env python3
"""call_traffic.py LOCKSTEP FOLDER [SET:HALF...]: compiles call_traffic.cu into FOLDER, profiles its launches, and compares what is modelled
of them with what an H200 counted (h200/call-traffic.csv). With SET:HALF (warm:fit) each launch of that half is printed."""
import statistics, sys

from modelled import compiled, number, profiled, recorded

TIME, SECTORS, READ, WRITTEN = METRICS = ['gpu__time_duration.sum', 'lts__t_sectors.sum', 'dram__bytes_read.sum', 'dram__bytes_write.sum']
MORE = ['smsp__inst_executed.sum'] + [f'lts__t_sectors_op_{op}.sum' for op in ('read', 'write', 'atom', 'red')]
# How far off each may be, in the mean and at most, as a share; and what is too little to compare.
BOUNDS = {'print': {TIME: (0.15, 0.75, 10000), SECTORS: (0.06, 0.3, 16384)},
          'launch': {TIME: (0.17, 0.35, 10000), SECTORS: (0.2, 0.95, 16384), READ: (0.12, 0.3, 131072)},
          'warm': {TIME: (0.2, 0.45, 0), SECTORS: (0.12, 0.55, 16384), READ: (0.09, 0.35, 131072)}}
# A structure of 1000 bytes goes through local memory as clang passes it.
LEFT_OUT = ('large',)


def grids(case):
    """How many a launch is, with all that its kernels launch."""
    n, lanes, blocks = (int(case[c]) for c in ('n', 'lanes', 'blocks'))
    if case['set'] == 'print':
        return 1
    if case['name'] == 'tree':
        return sum(lanes ** d for d in range(n + 1))
    return 1 + n * (1 if case['set'] == 'warm' else lanes * blocks)


def modelled(lockstep, program, which, cases):
    _, rows = profiled(lockstep, program, [program + '.rows', which], METRICS + MORE)
    assert len(rows) == sum(grids(c) for c in cases), (which, len(rows))
    for case in cases:
        tree, rows = rows[:grids(case)], rows[grids(case):]
        yield {m: sum(number(r[m] or '0') for r in (tree[:1] if m == TIME else tree)) for m in METRICS + MORE}


def main():
    lockstep, folder, *shown = sys.argv[1:]
    program, measured = compiled(lockstep, folder, 'call_traffic'), recorded('call-traffic.csv')
    bad = False
    for which, bounds in BOUNDS.items():
        cases = [r for r in measured if r['set'] == which]
        off = {(half, m): [] for half in ('fit', 'test') for m in METRICS}
        for case, model in zip(cases, modelled(lockstep, program, which, cases)):
            name = ' '.join(case[c] for c in list(case)[:17] if case[c])
            if f'{which}:{case["half"]}' in shown:
                print(name + ':', ' | '.join(f'{m.replace("lts__t_sectors", "").replace(".sum", "")[-10:]} {float(case[m]):.0f} {model[m]:.0f}'
                                              for m in METRICS + MORE))
            for m, (_, most, least) in bounds.items():
                a, b = model[m], float(case[m])
                if b <= least or case['name'] in LEFT_OUT:
                    continue
                off[case['half'], m].append(abs(a - b) / b)
                if off[case['half'], m][-1] > most:
                    print(f'{name}: {m}: {a:g}, an H200 {b:g}')
                    bad = True
        for (half, m), values in off.items():
            if values:
                print(f'{which}, {half}: {m}: {len(values)} values, {statistics.mean(values):.3f} off in the mean, {max(values):.3f} at most')
                bad |= statistics.mean(values) > bounds[m][0]
    return bad


sys.exit(main())
