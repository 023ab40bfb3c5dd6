"""modelled.py - what tests here share that compare launches with an H200's: a program of this folder compiled, its launches profiled, and
recordings read."""
import csv, os, statistics, subprocess
from pathlib import Path

here = Path(__file__).parent


def number(text):
    return float(text.replace(',', ''))


def compiled(lockstep, folder, name):
    """NAME.cu of this folder as a program in `folder`."""
    program = os.path.join(folder, name)
    subprocess.run([lockstep, 'cc', '-O3', '-arch=sm_90', here / f'{name}.cu', '-o', program], check=True)
    return program


def recorded(name):
    """Rows of h200/NAME."""
    with open(here / 'h200' / name) as f:
        return list(csv.DictReader(line for line in f if line[0] != '#'))


def profiled(lockstep, program, arguments, metrics, kernels='.', table=None, caches=True):
    """What the program printed, and a row of metrics for each launch of these kernels, all modelled, none sampled. caches: and their model; without
    it nothing is modelled. table: a file for them, if not beside the program."""
    table = table or program + '.csv'
    out = subprocess.run([lockstep, 'profile', '-q', '--metrics', ','.join(metrics), '--csv', '--page', 'raw', '--print-units', 'base',
                          '--kernel-name', f'regex:{kernels}', '--model-launches', 'all', '--log-file', table, program, *arguments],
                         capture_output=True, text=True, check=True,
                         env={**os.environ, 'LOCKSTEP_GPU': 'h200', 'LOCKSTEP_DEVICE_MEMORY': 'gpu',
                              'LOCKSTEP_CACHES': str(int(caches))}).stdout
    with open(table) as f:
        head, *rows = csv.reader(line for line in f if line.startswith('"'))
    return out, [dict(zip(head, r)) for r in rows if r[0].isdigit()]


def far_off(what, pairs, middle, most, average=statistics.median):
    """Prints how far off `what` is, and which are too far. pairs: a case in words, what is modelled, what was measured. True: one is more than
    `most` off, or their average more than `middle`, as shares."""
    off = []
    for case, modelled, measured in pairs:
        off.append(abs(modelled - measured) / measured)
        if off[-1] > most:
            print(case, f'{what}: {modelled:g}, an H200 {measured:g}')
    kind = 'mean' if average is statistics.mean else 'median'
    print(f'{what}: {len(off)} values, {average(off):.3f} off in the {kind}, {max(off):.3f} at most')
    return average(off) > middle or max(off) > most


def stores_far_off(lockstep, folder, name, recording, blocks, means):
    """Profiles the launches of `blocks` blocks at most of NAME.cu, whose kernels store, and prints how far off what they write to L2 is in the
    mean. means: by the first column of h200/RECORDING, how far it may be, as a share. True: one is farther, or sectors of L1 differ."""
    in_l1, in_l2 = 'l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum', 'lts__t_sectors_op_write.sum'
    measured = [r for r in recorded(recording) if int(r['blocks']) <= blocks]
    _, rows = profiled(lockstep, compiled(lockstep, folder, name), [str(blocks)], [in_l1, in_l2])
    bad = len(rows) != len(measured)
    off = {what: [] for what in means}
    for row, wanted in zip(rows, measured):
        if number(row[in_l1]) != number(wanted[in_l1]):
            print(wanted, f'{in_l1}: {row[in_l1]}')
            bad = True
        off[wanted['what']].append(number(row[in_l2]) / number(wanted[in_l2]) - 1)
    for what, most in means.items():
        mean = statistics.mean(abs(x) for x in off[what])
        print(f'{what}: sectors written to L2 {mean:.3f} off in the mean, {min(off[what]):.2f} to {max(off[what]):+.2f}')
        bad |= mean > most
    return bad
