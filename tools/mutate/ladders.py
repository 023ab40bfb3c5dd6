#!/usr/bin/env python3
"""ladders.py - breaks the ladders' kernels in one place at a time, and asks who notices: the verifier or `lockstep check`.

    ladders.py make CLANG OUT [FAMILY...]       OUT/<mutant>/<family>-<rung>[-WxH].ptx and OUT/mutants.csv
    ladders.py run LOCKSTEP OUT [-j N]          OUT/results.csv: a line a mutant
    ladders.py report OUT/results.csv           docs/mutation.md on stdout

A mutant is a rung with one barrier taken out (__syncthreads, __syncwarp, a barrier of the grid, __threadfence) or one
bound shifted by one (< and <=, > and >= change places). The verifier is `lockstep climb`: results against the CPU reference
at awkward sizes too, without the counters' expectations. What neither finds is explained in explained.txt, or stands in the
report as unexplained.
"""
import concurrent.futures
import csv
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DEFAULT_TILES = {"32x32", "32x16", "128x1", "16x16", "32x1"}  # the blocks that rungs take unless told otherwise
FLAGS = ("-x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -O3 -gline-tables-only -S -w "
         "--cuda-path=/nonexistent --cuda-feature=+ptx80 -fdebug-compilation-dir=.").split()
BARRIER = re.compile(r"\b(__syncthreads|__syncwarp|__threadfence|__threadfence_block|ls_grid_sync)\s*\([^()]*\)\s*;")
BOUND = re.compile(r"(?<=[\w\)\] ])(<=|>=|<|>)(?= ?[\w\(\-])")
SHIFTED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
FIELDS = ["family", "rung", "line", "kind", "before", "after", "built", "verdict", "kinds"]


# ---- making ----

def families():
    with open(os.path.join(ROOT, "kernels", "families.def")) as f:
        return dict(re.findall(r'^FAMILY\((\w+), "([^"]*)"\)', f.read(), re.M))


def rungs(family):
    with open(os.path.join(ROOT, "kernels", family, "ladder.def")) as f:
        return re.findall(r"^RUNG\((\w+),", f.read(), re.M)


def code_of(line):
    """The line without its comment; nothing of lines that are no statements."""
    return "" if line.lstrip().startswith(("#", "//", "*", "/*")) else line.split("//")[0]


def in_condition(code, at):
    """Whether the place is in the brackets of if, for, while or in front of a `?`: a bound, not a template or a shift."""
    if code[at - 1:at] == "<" or code[at + 1:at + 2] in "<>" and code[at + 1:at + 2]:
        return False
    return bool(re.search(r"\b(if|for|while)\s*\(", code[:at]) or "?" in code[at:] or "&&" in code or "||" in code or
                re.match(r"\s*(const )?bool\b", code))


def mutants_of(text):
    """(line number, kind, before, after, the whole text with the change)"""
    lines = text.split("\n")
    head = True  # the comment at the top
    for n, line in enumerate(lines):
        head = head and "*/" not in line
        code = code_of(line)
        if head or not code.strip():
            continue
        places = [(m.start(), m.end(), "barrier", ";") for m in BARRIER.finditer(code)]
        places += [(m.start(), m.end(), "bound", SHIFTED[m.group(1)]) for m in BOUND.finditer(code)
                   if in_condition(code, m.start())]
        for start, end, kind, put in places:
            changed = line[:start] + put + line[end:]
            yield n + 1, kind, line.strip(), changed.strip(), "\n".join(lines[:n] + [changed] + lines[n + 1:])


def copy_headers(out):
    """To where the mutants' sources lie, so that their #include lines hold."""
    kernels = os.path.join(ROOT, "kernels")
    for path in glob.glob(kernels + "/*.cuh") + glob.glob(kernels + "/*/*.h"):
        to = os.path.join(out, "kernels", os.path.relpath(path, kernels))
        os.makedirs(os.path.dirname(to), exist_ok=True)
        shutil.copy(path, to)


def compile_mutant(clang, out, number, family, rung, text, tiles):
    """What is wrong with it; "" when it is built."""
    folder, source = os.path.join(out, number), os.path.join(out, "kernels", family, number + ".cu")
    os.makedirs(folder, exist_ok=True)
    os.makedirs(os.path.dirname(source), exist_ok=True)
    with open(source, "w") as f:
        f.write(text)
    for tile in tiles:
        x, _, y = tile.partition("x")
        defines = ["-DBDIMX=" + x, "-DBDIMY=" + y] if tile else []
        ptx = os.path.join(folder, "%s-%s%s.ptx" % (family, rung, "-" + tile if tile else ""))
        done = subprocess.run([clang, *FLAGS, *defines, source, "-o", ptx], capture_output=True, text=True)
        if done.returncode:
            return done.stderr.splitlines()[0] if done.stderr else "does not compile"
    return ""


def make(clang, out, wanted):
    rows, work = [], []
    for family, tiles in families().items():
        if wanted and family not in wanted:
            continue
        for rung in rungs(family):
            with open(os.path.join(ROOT, "kernels", family, rung + ".cu")) as f:
                text = f.read()
            sizes = [t for t in tiles.split() if t in DEFAULT_TILES] if re.search(r"\bBDIM[XY]\b", text) else [""]
            for line, kind, before, after, changed in mutants_of(text):
                rows.append([family, rung, line, kind, before, after])
                work.append((out, "%04d" % len(rows), family, rung, changed, sizes))
    copy_headers(out)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        built = list(pool.map(lambda w: compile_mutant(clang, *w), work))
    with open(os.path.join(out, "mutants.csv"), "w", newline="") as f:
        writer = csv.writer(f)
        writer.writerow(FIELDS[:7])
        writer.writerows(row + [why or "yes"] for row, why in zip(rows, built))
    print("%d mutants, %d do not compile" % (len(rows), sum(1 for why in built if why)))


# ---- running ----

def verdict(lockstep, folder, name):
    """The verifier's word: right, WRONG, FAULT, ... or `timeout`."""
    try:
        done = subprocess.run([lockstep, "climb", "--json", "--ptx", folder, name], capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, LOCKSTEP_TIMEOUT="20", LOCKSTEP_WORKERS="1"))
        found = json.loads(done.stdout)
        return re.search(r'"result": ?"([^"]+)"', json.dumps(found)).group(1)
    except subprocess.TimeoutExpired:
        return "timeout"
    except (ValueError, AttributeError):
        return "failed"


def kinds(lockstep, folder, name):
    """What `lockstep check` finds: names of kinds, warnings in brackets."""
    with tempfile.NamedTemporaryFile(suffix=".json") as f:
        try:
            subprocess.run([lockstep, "check", "--tool", "all", "--json=" + f.name, "--timeout", "20", lockstep, "climb",
                            "--ptx", folder, name], capture_output=True, timeout=300)
            found = json.load(open(f.name))["findings"]
        except subprocess.TimeoutExpired:
            return "timeout"
        except ValueError:
            return "failed"
    names = {k["kind"] if k["severity"] == "error" else "(%s)" % k["kind"] for k in found}
    return " ".join(sorted(names))


def run(lockstep, out, jobs):
    with open(os.path.join(out, "mutants.csv"), newline="") as f:
        rows = list(csv.DictReader(f))

    def one(numbered):
        n, row = numbered
        folder, name = os.path.join(out, "%04d" % n), row["family"] + "/" + row["rung"]
        if row["built"] == "yes":
            row["verdict"] = verdict(lockstep, folder, name)
            row["kinds"] = kinds(lockstep, folder, name)
        return row

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(one, enumerate(rows, 1)))
    with open(os.path.join(out, "results.csv"), "w", newline="") as f:
        writer = csv.DictWriter(f, FIELDS)
        writer.writeheader()
        writer.writerows(done)


# ---- the report ----

def explanations():
    """Lines of `family/rung[:line]`, before, after, reason, with tabs between; `*` stands for anything."""
    with open(os.path.join(HERE, "explained.txt")) as f:
        return [line.rstrip("\n").split("\t") for line in f if line.strip() and not line.startswith("#")]


def reason_of(row, reasons):
    """The first line that fits; the places of one rung come before those of a family."""
    rung = row["family"] + "/" + row["rung"]
    names = {rung + ":" + row["line"], rung, row["family"] + "/*", "*"}
    for name, before, after, reason in reasons:
        if name in names and before in ("*", row["before"]) and after in ("*", row["after"]):
            return reason
    return None


def report(path):
    with open(path, newline="") as f:
        rows = [r for r in csv.DictReader(f) if r["built"] == "yes"]
    for r in rows:
        r["by_verifier"] = r["verdict"] != "right"
        r["by_check"] = any(not k.startswith("(") for k in r["kinds"].split())
    print(open(os.path.join(HERE, "report.md")).read().rstrip() + "\n")
    print("| mutants | all | check finds | verifier finds | only check | only verifier | nobody |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for title, kind in (("a barrier or fence taken out", "barrier"), ("a bound shifted by one", "bound"), ("all", None)):
        some = [r for r in rows if kind in (None, r["kind"])]
        count = lambda test: sum(1 for r in some if test(r))
        print("| %s | %d | %d | %d | %d | %d | %d |" % (
            title, len(some), count(lambda r: r["by_check"]), count(lambda r: r["by_verifier"]),
            count(lambda r: r["by_check"] and not r["by_verifier"]), count(lambda r: r["by_verifier"] and not r["by_check"]),
            count(lambda r: not r["by_verifier"] and not r["by_check"])))
    totals = {}
    for r in rows:
        for k in r["kinds"].split():
            totals[k] = totals.get(k, 0) + 1
    print("\n| finding | mutants in which it was found |\n| --- | --- |")
    for k, n in sorted(totals.items(), key=lambda kn: -kn[1]):
        print("| %s | %d |" % (k.strip("()") + (" (warning)" if k.startswith("(") else ""), n))
    reasons, lost = explanations(), [r for r in rows if not r["by_verifier"] and not r["by_check"]]
    print("\n## What nobody finds\n\n| rung | line | change | why |\n| --- | --- | --- | --- |")
    for r in lost:
        print("| %s/%s | %s | `%s` to `%s` | %s |" % (r["family"], r["rung"], r["line"], r["before"].replace("|", "\\|"),
                                                   r["after"].replace("|", "\\|"),
                                                   reason_of(r, reasons) or "**not explained**"))


def main():
    words = sys.argv[1:]
    if len(words) >= 3 and words[0] == "make":
        make(words[1], os.path.abspath(words[2]), words[3:])
    elif len(words) >= 3 and words[0] == "run":
        jobs = int(words[4]) if words[3:4] == ["-j"] else os.cpu_count()
        run(os.path.abspath(words[1]), os.path.abspath(words[2]), jobs)
    elif len(words) == 2 and words[0] == "report":
        report(words[1])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
