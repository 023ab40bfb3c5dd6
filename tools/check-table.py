#!/usr/bin/env python3
"""check-table.py - writes docs/check-compared.md: the programs of tests/check under compute-sanitizer and `lockstep check`.

compute-sanitizer's side is tests/hw/h200/check/*.csv, which tests/check/device.sh records on a machine with a GPU; ours are
the golden reports of tests/check, which a test compares with what is found today. The text goes to stdout."""
import csv, json, re, sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECK, RECORDED = ROOT / 'tests/check', ROOT / 'tests/hw/h200/check'
TOOLS = ('memcheck', 'racecheck', 'initcheck', 'synccheck', 'unused')


def head(source):
    """What a program's head says of it, without its name."""
    comment = re.search(r'/\*(.*?)\*/', source.read_text(), re.S)[1]
    return re.sub(r'\s*\n \* ?|\s+', ' ', comment).strip().split(' - ', 1)[1]


def first_sentence(text):
    text = re.split(r'(?<=[.!?]) (?=[A-Z(])', text)[0].rstrip('.')
    return text[0].upper() + text[1:]


def recorded(name):
    """The rows of a recorded file by program."""
    rows = {}
    with open(RECORDED / f'{name}.csv', newline='') as f:
        for row in csv.DictReader(f):
            rows.setdefault(row['program'], {})[row['tool']] = row
    return rows


def reported(row):
    return int(row['errors']) + int(row['warnings']) > 0


def theirs(rows):
    """What compute-sanitizer's tools say of a program, and whether they found something."""
    said = []
    for tool in TOOLS:
        row = rows.get(tool)
        if row and reported(row):
            what = re.sub(r' at (void )?[\w:]+[<(].*', '', row['first']).strip() or 'Unused memory'
            said.append(f"{tool}: {what} ({int(row['errors']) + int(row['warnings'])})")
    if any(row['exit'] in ('124', '137') for row in rows.values()):
        said.append('stopped by its time limit')
    return '; '.join(said) or 'nothing', any(reported(row) for row in rows.values())


def ours(source):
    golden = source.parent / 'golden' / (source.stem + '.json')
    if not golden.exists():
        return 'nothing', False
    kinds = Counter(f['kind'] for f in json.loads(golden.read_text())['findings'])
    said = [kind + (f' ({n})' if n > 1 else '') for kind, n in sorted(kinds.items())]
    return ', '.join(said) or 'nothing', bool(kinds)


def cell(text):
    return text.replace('|', '\\|').replace('_', '\\_').replace('<', '&lt;').replace('*', '\\*')


def table(sources, rows):
    lines = ['| program | what is wrong | compute-sanitizer | `lockstep check` |', '| --- | --- | --- | --- |']
    counts = Counter()
    for source in sources:
        text, harmless = source.read_text(), ''
        if '// HARMLESS:' in text:
            harmless = ' (no fault of memory or order)'
        is_recorded = source.stem in rows
        their_text, they = theirs(rows[source.stem]) if is_recorded else ('not recorded', False)
        our_text, we = ours(source)
        if not harmless and is_recorded:
            counts[they, we] += 1
        lines.append(f'| {cell(source.stem)} | {cell(first_sentence(head(source)))}{harmless} | {cell(their_text)} | '
                     f'{cell(our_text)} |')
    return lines, counts


def count_text(counts):
    return (f'Of {sum(counts.values())} programs, both find something in {counts[True, True]}, `lockstep check` alone in '
            f'{counts[False, True]}, compute-sanitizer alone in {counts[True, False]}, neither in {counts[False, False]}.')


def clean_text(sources, rows):
    ran = [s for s in sources if s.stem in rows]
    of_these = f' of the {len(ran)} that were recorded' if len(ran) < len(sources) else ''
    noisy = [(s.stem, theirs(rows[s.stem])) for s in ran]
    noisy = [(name, text) for name, (text, found) in noisy if found]
    lines = [f'There are {len(sources)} clean twins. `lockstep check --tool all` finds nothing in any of them, which is a test. '
             f'compute-sanitizer reports something in {len(noisy)}{of_these}{":" if noisy else "."}', '']
    return lines + [f'* {cell(name)}: {cell(text)}' for name, text in noisy] + ([''] if noisy else [])


def main():
    broken = sorted(p for p in CHECK.glob('*.cu') if not p.stem.endswith('_clean'))
    clean, seeds = sorted(CHECK.glob('*_clean.cu')), sorted((CHECK / 'seeds').glob('*.cu'))
    about = (RECORDED / 'about.txt').read_text().strip().splitlines()
    rows, counts = table(broken, recorded('broken'))
    seed_rows, seed_counts = table(seeds, recorded('seeds'))
    out = ['# Two sanitizers, side by side', '',
           'The programs of `tests/check` under compute-sanitizer on an H200 and under `lockstep check`: what each of them says.',
           'Made by `tools/check-table.py` from `tests/hw/h200/check` (' + '; '.join(about) + ') and from the reports that',
           'the tests compare. compute-sanitizer ran with each of its tools (memcheck with `--leak-check full`; for programs',
           'of writecheck also initcheck with `--track-unused-memory`, here "unused"), 20 seconds at most; in brackets is how',
           'many errors and warnings it counted, and it counts accesses where Lockstep counts places. Lockstep ran with the tool',
           'that the program is for, and with all tools on the tutorials\' kernels. "Finds something" means just that: a report',
           'of the consequence, such as a call that fails after a fault, counts as well.', '',
           '## Programs with one fault each', '', count_text(counts), '', *rows, '',
           '## The tutorials\' faulty kernels', '', count_text(seed_counts), '', *seed_rows, '',
           '## Clean twins', '', *clean_text(clean, recorded('clean'))]
    sys.stdout.write('\n'.join(out).rstrip() + '\n')


main()
