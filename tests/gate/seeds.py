#!/usr/bin/env python3
"""seeds.py LOCKSTEP SEEDS.CU CLANG [NVCC]: every seeded regression of the program is found, with its line and its cause; the same
program by another compiler, or with less optimisation, is as the baseline says."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

lockstep, source = (os.path.abspath(p) for p in sys.argv[1:3])
clang, nvcc = sys.argv[3], sys.argv[4] if len(sys.argv) > 4 else None
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in ("LOCKSTEP_LLVM", "LOCKSTEP_TIER")]:
    del os.environ[name]
failed = []


def run(*words, status=0):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if status is not None and done.returncode != status:
        failed.append(f"{' '.join(words)}: status {done.returncode}, expected {status}\n{done.stdout}")
    return done


def expectations():
    """By kernel: its cause and the line that must be named."""
    wanted = {}
    with open(source) as f:
        for number, line in enumerate(f, 1):
            found = re.search(r"// GATE (\w+): ([a-z-]+)$", line)
            if found:
                wanted[found[1]] = (found[2], number)
    return wanted


def check_broken():
    run(lockstep, "gate", "check", "base.gate", "--json", "broken.json", "--", "./broken", status=1)
    with open("broken.json") as f:
        pairs = json.load(f)["kernels"]
    wanted, seen = expectations(), set()
    for p in pairs:
        name = re.sub(r"\(.*", "", p["kernel"])
        first = p["causes"][0] if p["causes"] else {"id": "none", "at": None}
        at = first["at"] or {"file": "", "line": 0}
        if p["verdict"] != "changed":
            if name in wanted or name == "DtoH":
                failed.append(f"{name}: {p['verdict']}, expected a change")
            continue
        seen.add(name)
        if name == "DtoH":
            if first["id"] != "copies":
                failed.append(f"DtoH: the cause is {first['id']}")
        elif name not in wanted:
            failed.append(f"{name}: changed, and it has no mark")
        elif (first["id"], at["line"]) != wanted[name] or os.path.basename(at["file"]) != os.path.basename(source):
            failed.append(f"{name}: {first['id']} at {at['file']}:{at['line']}, expected {wanted[name]}")
    for name in set(wanted) - seen:
        failed.append(f"{name}: not found")
    return len(seen)


# A compiler for `lockstep cc` whose device pass is another clang's, or optimises less.
WRAPPER = """#!/bin/bash
case "$*" in *--cuda-device-only*) ;; *) exec {clang} "$@" ;; esac
for word; do
    case "$word" in
    -O3) word={level} ;;
    --cuda-feature=*) word=--cuda-feature=+ptx78 ;;
    -target-sdk-version=*) word=-target-sdk-version=11.8 ;;
    -fuse-cuid=none) continue ;;
    esac
    words+=("$word")
done
exec {other} "${{words[@]}}"
"""
OTHERS = ("clang-16", "clang-17", "clang-18", "clang-20")


def check_other(cc, other, level):
    with open("wrapper", "w") as f:
        f.write(WRAPPER.format(clang=clang, other=other, level=level))
    os.chmod("wrapper", 0o755)
    os.environ["LOCKSTEP_CLANG"] = os.path.abspath("wrapper")
    run(*cc, "other")
    del os.environ["LOCKSTEP_CLANG"]
    run(lockstep, "gate", "check", "base.gate", "--", "./other")
    print(f"compared with {other} {level}")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    cc = [lockstep, "cc", "-arch=sm_90", "-lineinfo", source, "-o"]
    run(*cc, "good")
    run(*cc, "broken", "-DBROKEN")
    run(lockstep, "gate", "record", "-q", "-o", "base.gate", "--", "./good")
    run(lockstep, "gate", "check", "base.gate")
    found = check_broken()
    for version in OTHERS:
        if shutil.which(version):
            check_other(cc, version, "-O3")
    check_other(cc, clang, "-O1")
    if nvcc:
        run(nvcc, "-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90", "-lineinfo", source, "-o", "other")
        run(lockstep, "gate", "check", "base.gate", "--", "./other")
for text in failed:
    print(text)
print(f"{found} regressions seeded, {len(failed)} complaints")
if found < 20:
    sys.exit("too few regressions were found")
sys.exit(1 if failed else 0)
