#!/usr/bin/env python3
"""run.py [--golden FOLDER] [--bless] LOCKSTEP SOURCE.cu PROGRAM [ARGUMENT...]

Runs `lockstep check` on a program and compares what it finds with the head of its source:

    // TOOL: racecheck                        what --tool gets
    // OPTIONS: --schedules 4                 further options
    // EXPECT: shared-read-after-write line @load other line @store
    // ALSO: api-error                        kinds that may be found besides; they need not be
    // HARMLESS: why                          nothing is found, by all tools

An EXPECT names a kind (or several, with | between) and may say where: at a line that bears the mark in a comment, or the
call of the host there; and where the other party is. Everything that is found must be expected. A source without EXPECT is
a clean program: no tool finds anything in it, and it ends with 0.

With --golden the text and the JSON are compared with FOLDER/<name>.txt and .json, without what differs from run to run;
--bless writes these. What must be found stands in the source, so a blessing cannot hide a miss."""
import argparse, difflib, json, os, re, subprocess, sys, tempfile
from pathlib import Path

ERRORS = 99  # our --error-exitcode


class Source:
    def __init__(self, path):
        self.path, self.marks = path, {}
        head = {}
        for number, line in enumerate(path.read_text().splitlines(), 1):
            said = re.match(r'// (TOOL|OPTIONS|EXPECT|ALSO|HARMLESS): (.*)', line)
            if said:
                head.setdefault(said[1], []).append(said[2])
            else:
                for mark in re.findall(r'//.*?@(\w+)', line):
                    self.marks.setdefault(mark, set()).add(number)
        self.expected = [Expectation(text, self) for text in head.get('EXPECT', [])]
        self.also = set(' '.join(head.get('ALSO', [])).split())
        self.tool = head['TOOL'][0] if self.expected else 'all'
        self.options = ' '.join(head.get('OPTIONS', [])).split()

    def lines(self, marks):
        return set().union(*(self.marks[mark.lstrip('@')] for mark in marks.split('|')))


class Expectation:
    def __init__(self, text, source):
        said = re.fullmatch(r'(\S+)(?: line (\S+))?(?: other line (\S+))?', text)
        self.text, self.kinds = text, said[1].split('|')
        self.at, self.other = (said[i] and (lambda marks: lambda: source.lines(marks))(said[i]) for i in (2, 3))

    def meets(self, finding, name):
        if finding['kind'] not in self.kinds:
            return False
        places = lines_of(finding.get('at'), name) or host_lines(finding, name)
        return (not self.at or in_header(finding.get('at'), name) or places & self.at()) and \
            (not self.other or in_header(finding.get('other'), name) or lines_of(finding.get('other'), name) & self.other())


def lines_of(party, name):
    """The line of a party in the source, if it is there."""
    here = party and os.path.basename(party.get('file', '')) == name
    return {party['line']} if here and 'line' in party else set()


def in_header(party, name):
    """Code of the compiler's headers (atomicAdd, __shfl_sync), whose lines are not ours to know."""
    return bool(party) and os.path.basename(party.get('file', name)) != name


def host_lines(finding, name):
    """The lines of the host's calls in the source that a finding tells of."""
    calls = [finding.get('call')] + [(finding.get('allocation') or {}).get(which) for which in ('made', 'freed')]
    return {frame['line'] for call in calls if call for frame in call.get('frames', [])
            if os.path.basename(frame.get('file', '')) == name and 'line' in frame}


def place(finding, name):
    """For messages."""
    at = lines_of(finding.get('at'), name) or host_lines(finding, name)
    other = lines_of(finding.get('other'), name)
    return f"{finding['kind']} at {sorted(at)}" + (f' other {sorted(other)}' if other else '')


# ---- what differs from run to run, from compiler to compiler, and from program to program

def plain(text):
    text = re.sub(r'0x[0-9a-f]{9,}', '0x?', text)
    text = re.sub(r'\[0x[0-9a-f]+\]', '[0x?]', text)
    text = re.sub(r'PTX line \d+', 'PTX line ?', text)
    text = re.sub(r'(Host Frame: main at \w+\.cu):\d+', r'\1:?', text) # of the combined program
    text = re.sub(r'(allocation |Allocation )#\d+', r'\1#?', text)
    text = re.sub(r'(?<![\w/.+-])(?:[\w.+-]+/)+([\w+-]+\.(?:cu|cuh|h|hpp))\b', r'\1', text) # relative to the working folder
    return re.sub(r'(/[\w.+-]+)+/([\w.+-]+)', r'\2', text)


def plain_json(value, name, key=''):
    if isinstance(value, dict):
        return {k: plain_json(v, name, k) for k, v in sorted(value.items())}
    if isinstance(value, list):
        if key == 'frames': # those of libraries and of the combined program differ
            value = [frame for frame in value if os.path.basename(frame.get('file', '')) == name]
        return [plain_json(v, name, key) for v in value]
    if key in ('pid', 'offset', 'ptx_line', 'serial'):
        return '?'
    return plain(value) if isinstance(value, str) else value


def report_json(report, name):
    kept = {key: report[key] for key in ('tools', 'findings', 'summary')}
    return json.dumps(plain_json(kept, name), indent=1) + '\n'


# ---- the run

def run(o, source):
    """The report as text and as JSON, and the exit status."""
    with tempfile.TemporaryDirectory() as work:
        text, js = os.path.join(work, 'text'), os.path.join(work, 'json')
        program = os.path.abspath(o.program)
        command = [o.lockstep, 'check', '--tool', source.tool, '--error-exitcode', str(ERRORS),
                   '--log-file', text, '--json=' + js, *source.options, program, *o.arguments]
        env = {k: v for k, v in os.environ.items() if not k.startswith('LOCKSTEP_')}
        done = subprocess.run(command, env=env, timeout=100, capture_output=True, text=True, errors='replace',
                              cwd=os.path.dirname(program))
        try:
            return Path(text).read_text(), json.loads(Path(js).read_text()), done
        except (OSError, ValueError) as error:
            sys.exit(f'no report: {error}\nexit status {done.returncode}\n{done.stdout}{done.stderr}')


def judge(source, report, done):
    """What is wrong with the report, a line each."""
    name, findings, wrong = source.path.name, report['findings'], []
    for expectation in source.expected:
        if not any(expectation.meets(f, name) for f in findings):
            wrong.append(f'not found: {expectation.text}')
    for f in findings:
        if f['kind'] not in source.also and not any(e.meets(f, name) for e in source.expected):
            wrong.append('not expected: ' + place(f, name))
    if any(f['severity'] == 'error' for f in findings) and done.returncode == 0:
        wrong.append('exit status 0, in spite of errors')
    if not source.expected and done.returncode != 0:
        wrong.append(f'exit status {done.returncode}')
    return wrong


def compare(path, got, bless):
    if bless:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(got)
        return []
    want = path.read_text() if path.exists() else ''
    return list(difflib.unified_diff(want.splitlines(), got.splitlines(), str(path), 'found', lineterm=''))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--golden', type=Path)
    p.add_argument('--bless', action='store_true')
    p.add_argument('lockstep')
    p.add_argument('source', type=Path)
    p.add_argument('program')
    p.add_argument('arguments', nargs='*')
    o = p.parse_args()
    o.lockstep = os.path.abspath(o.lockstep)
    source = Source(o.source)
    text, report, done = run(o, source)
    wrong = judge(source, report, done)
    if o.golden and source.expected and not wrong:
        stem = o.golden / source.path.stem
        wrong += compare(stem.with_suffix('.txt'), plain(text), o.bless)
        wrong += compare(stem.with_suffix('.json'), report_json(report, source.path.name), o.bless)
    if wrong:
        print('\n'.join(wrong) + f'\n---- report\n{text}---- program, exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return 1 if wrong else 0


sys.exit(main())
