#!/usr/bin/env python3
"""compile_share.py - how much of a program's time the compiled tier takes to compile, for the examples and the ladders.

    compile_share.py [--programs FOLDER] [--only REGEX] [--markdown] [BUILD]

Each program runs once, as a user has it, on two workers, with a cache of compiled kernels that is empty. What compiling takes
is the processor time of the tier's own thread (src/exec/tier/queue.c), which is looked at while the program runs. FOLDER has
the examples, built; without it `lockstep cc` builds them.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

THREAD = "lockstep-tier"  # as the tier names it
LOOK_SECONDS = 0.004


def children(pid):
    found = []
    for task in tasks(pid):
        try:
            found += [int(c) for c in pathlib.Path("/proc/%d/task/%s/children" % (pid, task)).read_text().split()]
        except OSError:
            pass
    return found


def tasks(pid):
    try:
        return os.listdir("/proc/%d/task" % pid)
    except OSError:
        return []


class Watch:
    """The tier's threads among a process and its descendants."""

    def __init__(self):
        self.tier = {}  # seconds by (pid, task)
        self.others = set()

    def look(self, pid):
        for task in tasks(pid):
            key = (pid, task)
            if key in self.others:
                continue
            folder = pathlib.Path("/proc/%d/task/%s" % key)
            try:
                if key in self.tier or (folder / "comm").read_text().strip() == THREAD:
                    self.tier[key] = int((folder / "schedstat").read_text().split()[0]) / 1e9
            except OSError:
                pass
        for child in children(pid):
            self.look(child)


def processors():
    """Seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, environment, folder):
    """Seconds on the clock, of the processors, and of these the tier's."""
    watch = Watch()
    begin, before = time.monotonic(), processors()
    child = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while child.poll() is None:
        watch.look(child.pid)
        time.sleep(LOOK_SECONDS)
    if child.returncode:
        sys.exit("%s: exit status %d" % (" ".join(command), child.returncode))
    return time.monotonic() - begin, processors() - before, sum(watch.tier.values())


def programs(root, build, folder, work):
    """(name, command) of all."""
    lockstep = str(build / "bin/lockstep")
    for source in sorted((root / "examples").glob("*.cu")):
        name = source.stem
        made = pathlib.Path(folder) / name if folder else pathlib.Path(work) / name
        if not folder:
            subprocess.run([lockstep, "cc", "-O2", "-rdc=true", str(source), "-o", str(made), "-lcudadevrt"], check=True)
        yield name, [lockstep, "run", str(made)]
    for line in (root / "kernels/families.def").read_text().splitlines():
        family = re.match(r"FAMILY\((\w+),", line)
        if family:
            yield "climb " + family[1], [lockstep, "climb", family[1]]


def main():
    options = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].strip())
    options.add_argument("build", nargs="?", default="build/release")
    options.add_argument("--programs")
    options.add_argument("--only", default="")
    options.add_argument("--markdown", action="store_true")
    options = options.parse_args()
    root = pathlib.Path(__file__).resolve().parent.parent
    build = pathlib.Path(options.build).resolve()
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for number, (name, command) in enumerate(programs(root, build, options.programs, work)):
            if not re.search(options.only, name):
                continue
            cache = os.path.join(work, "cache%d" % number)
            environment = dict(os.environ, LOCKSTEP_WORKERS="2", XDG_CACHE_HOME=cache)
            rows.append((name, *run(command, environment, root)))
            if not options.markdown:
                show(rows[-1], "%-24s %9.2f %9.2f %9.2f %7.1f %%")
    rows.append(("together", *(sum(r[k] for r in rows) for k in (1, 2, 3))))
    if options.markdown:
        print("| program | on the clock, s | processors, s | of these compiling, s | part |")
        print("| --- | ---: | ---: | ---: | ---: |")
        for row in rows:
            show(row, "| %s | %.2f | %.2f | %.2f | %.1f %% |")
    else:
        show(rows[-1], "%-24s %9.2f %9.2f %9.2f %7.1f %%")


def show(row, form):
    name, clock, used, tier = row
    print(form % (name, clock, used, tier, 100 * tier / used), flush=True)


main()
