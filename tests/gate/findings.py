#!/usr/bin/env python3
"""findings.py LOCKSTEP CHECK_TESTS: findings that a baseline of `lockstep check` has do not fail, and others do."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

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


FRAME = "<frame><func>%s</func><module>%s</module></frame>"
RECORDS = (  # a record's inside, whether it takes out the leak of leak.cu: made in sum_of, called by main
    ("<kind>Leak</kind>", True),
    ("<kind>Leak</kind><what><size>12</size></what>", True),
    ("<kind>Leak</kind><what><size>13</size></what>", False),
    ("<kind>Precise</kind>", False),
    ("<kind>leak</kind>", True),
    ("<kind>Leak</kind><hostStack><saveLocation>error</saveLocation>" + FRAME % ("sum_of(int const*, int)", "leak") +
     FRAME % ("main", "/elsewhere/leak") + "</hostStack>", True),
    ("<kind>Leak</kind><hostStack>" + FRAME % ("cudaMalloc", "libcudart.so.13") + FRAME % ("sum_.*", ".*") +
     "</hostStack>", True),
    ("<kind>Leak</kind><hostStack>" + FRAME % ("main", "leak") + FRAME % ("sum_of", "leak") + "</hostStack>", False),
    ("<kind>Leak</kind><hostStack><!-- a comment --><frame><func>ma<![CDATA[i]]>&#110;</func></frame></hostStack>", True),
    ("<kind>Leak</kind><where><func>sum_of</func></where>", False),
)
BROKEN = (
    ("", "does not begin with an element"),
    ("<record></record>", "not <ComputeSanitizerOutput>"),
    ("<ComputeSanitizerOutput>\n<record>", ":2: error: the file ends in the middle"),
    ("<ComputeSanitizerOutput>\n</record>", ":2: error: this ends another element"),
    ("<a>" * 100, "nested too deep"),
    ("<ComputeSanitizerOutput><!-- ", "ends in the middle"),
)


def check_records():
    for inside, fits in RECORDS:
        write("r.xml", f"<?xml version='1.0'?>\n<ComputeSanitizerOutput>\n<record>{inside}</record>\n"
                       "</ComputeSanitizerOutput>\n")
        how = {"says": ["Suppressed: 1 by r.xml"]} if fits else {"status": 9, "silent": ["Suppressed"]}
        run(lockstep, "check", "--tool", "leakcheck", "--error-exitcode", "9", "--suppressions", "r.xml", "./leak", **how)
    write("r.xml", "<ComputeSanitizerOutput><record><kind>Syscall</kind></record></ComputeSanitizerOutput>")
    check("--suppressions", "r.xml", "./leak", status=9, says=["r.xml:1: warning: a record of kind 'Syscall'"])
    for text, says in BROKEN:
        write("r.xml", text)
        check("--suppressions", "r.xml", "./leak", status=3, says=["r.xml", says])


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
    write("damaged.known", "\x7fELF\nhello\n" * 9)
    check("--baseline", "damaged.known", "./leak", status=3, says=["damaged.known: error: this is no baseline"], silent=["hello"])
    check("--baseline", ".", "./leak", status=3, says=["Is a directory"])
    check("--baseline", "nothing.known", "./leak", status=3, says=["No such file"])
    # compute-sanitizer's XML: what is written is suppressed; records by hand
    for name in ("shared_read_after_write", "leak", "uninitialized_global"):
        check("--xml", "--save", "s.xml", f"./{name}", status=9)
        xml.etree.ElementTree.parse("s.xml")
        check("--suppressions", "s.xml", f"./{name}", says=["Suppressed: "])
    check_records()
for text in failed:
    print(text)
sys.exit(1 if failed else 0)
