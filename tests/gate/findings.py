#!/usr/bin/env python3
"""findings.py LOCKSTEP CHECK_TESTS: findings that a baseline of `lockstep check` has do not fail, and others do."""
import json
import os
import subprocess
import sys
import tempfile

lockstep, programs = (os.path.abspath(p) for p in sys.argv[1:3])
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in ("LOCKSTEP_LLVM", "LOCKSTEP_TIER")]:
    del os.environ[name]
failed = []


def run(*words, status=0, says=(), silent=()):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode != status:
        failed.append(f"{' '.join(words[1:])}: status {done.returncode}, expected {status}\n{done.stdout}")
    for text in says:
        if text not in done.stdout:
            failed.append(f"{' '.join(words[1:])}: does not say '{text}'\n{done.stdout}")
    for text in silent:
        if text in done.stdout:
            failed.append(f"{' '.join(words[1:])}: says '{text}'\n{done.stdout}")


def check(*words, **how):
    run(lockstep, "check", "--tool", "all", "--error-exitcode", "9", *words, **how)


def read(path):
    with open(path) as f:
        return f.read()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def build(name, change=lambda text: text):
    write(f"{name}.cu", change(read(f"{programs}/{name}.cu")))
    run(lockstep, "cc", "-arch=sm_90", "-lineinfo", "-g", "-I" + programs, f"{name}.cu", "-o", name)


def check_known(name):
    """Found, known, known where its line has moved."""
    build(name)
    check("--save-baseline", f"{name}.known", f"./{name}", status=9)
    if "\nfinding " not in read(f"{name}.known"):
        failed.append(f"{name}: nothing was saved")
    check("--baseline", f"{name}.known", "--json=j.json", f"./{name}", says=["Left out: "], silent=["Not found any more"])
    if json.loads(read("j.json"))["findings"]:
        failed.append(f"{name}: JSON has findings that are known")
    build(name, lambda text: "// a line more\n\n" + text)
    check("--baseline", f"{name}.known", f"./{name}", silent=["Not found any more"])


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name in ("shared_read_after_write", "leak", "uninitialized_global"):
        check_known(name)
    # a finding that is not in the baseline fails, and what is gone is told
    check("--baseline", "shared_read_after_write.known", "./leak", status=9, says=["Not found any more: "], silent=["Left out"])
    # another line of the same file is another finding
    known = read("leak.known")
    write("leak.known", known.replace("cudaMalloc(&device", "cudaMalloc(&host"))
    check("--baseline", "leak.known", "./leak", status=9)
    for was, now, says in (("format 1", "format 2", ":2:"), ("finding leak", "finding lek", "no kind of findings 'lek'"),
                           ('"cudaMalloc"', "cudaMalloc", "is missing, in quotes"), ("format 1\n", "", "no line `format 1`"),
                           ("finding ", "found ", "no lines that begin with 'found'")):
        write("damaged.known", known.replace(was, now))
        check("--baseline", "damaged.known", "./leak", status=3, says=["damaged.known:", says])
    check("--baseline", "nothing.known", "./leak", status=3, says=["No such file"])
for text in failed:
    print(text)
sys.exit(1 if failed else 0)
