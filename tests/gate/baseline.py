#!/usr/bin/env python3
"""baseline.py LOCKSTEP ROOT: what a baseline says and leaves alone: tolerances, strictness, new and vanished kernels, updates, several
processes, numbers of workers, and files that somebody damaged."""
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

lockstep, root = (os.path.abspath(p) for p in sys.argv[1:3])
for name in [n for n in os.environ if n.startswith("LOCKSTEP_") and n not in ("LOCKSTEP_LLVM", "LOCKSTEP_TIER")]:
    del os.environ[name]
failed = []

SOURCE = r"""
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
template <int BY> __global__ void scale(const float *in, float *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * BY;
}
#ifndef GONE
__global__ void gone(float *out) { out[threadIdx.x] = 1; }
#endif
#ifdef NEW
__global__ void fresh(float *out) { out[threadIdx.x] = 2; }
#endif
#ifndef W
#define W 2
#endif
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 1024;
    float *a, *b;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    cudaMemset(a, 0, n * 4);
    scale<W><<<4, 64>>>(a, b, n);
#ifndef GONE
    gone<<<1, 32>>>(b);
#endif
#ifdef NEW
    fresh<<<1, 32>>>(b);
#endif
    return cudaDeviceSynchronize() != cudaSuccess || (argc > 2 && atoi(argv[2]));
}
"""


def run(*words, status=0, says=(), silent=(), env=None):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **(env or {})})
    if done.returncode != status:
        failed.append(f"{' '.join(words[1:])}: status {done.returncode}, expected {status}\n{done.stdout}")
    for text in says:
        if text not in done.stdout:
            failed.append(f"{' '.join(words[1:])}: does not say '{text}'\n{done.stdout}")
    for text in silent:
        if text in done.stdout:
            failed.append(f"{' '.join(words[1:])}: says '{text}'\n{done.stdout}")
    return done.stdout


def gate(*words, **how):
    return run(lockstep, "gate", *words, **how)


def read(path):
    with open(path) as f:
        return f.read()


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def compile(name, *options):
    run(lockstep, "cc", "-arch=sm_90", "-lineinfo", *options, "x.cu", "-o", name)


def check_kernels():
    gate("record", "-o", "a.gate", "--", "./x")
    gate("check", "a.gate", says=["3 as in the baseline"])
    gate("check", "a.gate", "--", "./gone", status=1, says=["GONE    gone(float *)", "1 gone"], silent=["CHANGED"])
    gate("check", "a.gate", "--", "./new", status=1, says=["NEW     fresh(float *)", "1 new"], silent=["CHANGED"])
    # another template argument is told as such, and both names
    gate("check", "a.gate", "--", "./wide", status=1,
         says=["CHANGED void scale<3>(const float *, float *, int)", "[renamed]", "it was void scale<2>("])
    gate("check", "a.gate", "--gpu", "rtx5060ti", says=["is of GPU h200, and this is rtx5060ti"])


def check_numbers():
    # 1056 is an eighth of a block more than 1024: 3.1 % more requests
    gate("check", "a.gate", "--", "./x", "1056", status=1, says=["33", "CHANGED void scale<2>", "CHANGED copies fill"])
    options = [w for m in ("gld_requests", "smsp__sass_inst_executed_op_global_st.sum", "gld_sectors", "gst_sectors",
                           "gld_bytes", "gst_bytes", "copy_bytes") for w in ("--tolerance", f"{m}=4")]
    options[3] = "gst_requests=4%"
    gate("record", *options, "-o", "b.gate", "--", "./x")
    if "tolerance gst_requests 4" not in read("b.gate"):
        failed.append("the baseline does not have its tolerance")
    gate("check", "b.gate", "--", "./x", "1056", silent=["CHANGED", "same  "], says=["of 2 that count as the same"])
    gate("check", "b.gate", "--told", "--", "./x", "1056", silent=["CHANGED"], says=["same    void scale<2>"])
    gate("check", "b.gate", "--", "./x", "1088", status=1, says=["CHANGED void scale<2>"])
    # what is told by default fails when a tolerance is stated for it, and in a strict baseline
    told = gate("check", "a.gate", "--told", "--", "./code", says=["told "])
    if "PTX instructions" not in told:
        failed.append(f"other machine code is not told\n{told}")
    gate("record", "--strict", "-o", "c.gate", "--", "./x")
    gate("check", "c.gate", "--", "./code", status=1, says=["PTX instructions"])
    gate("record", "--tolerance", "ptx_inst=0", "-o", "c.gate", "--", "./x")
    gate("check", "c.gate", "--", "./code", status=1, says=["PTX instructions"])
    gate("record", "--tolerance", "gld_request=4", "--", "./x", status=2, says=["the nearest is 'gld_requests'"])
    gate("record", "--tolerance", "gld_requests=-4", "--", "./x", status=2, says=["a percentage"])


def check_update():
    gate("record", "-o", "u.gate", "--", "./x")
    gate("update", "u.gate", "--kernel", "nobody", status=2, says=["has a kernel 'nobody'"])
    gate("update", "u.gate", "--kernel", "fresh", "--", "./new", says=["1 changes accepted"])
    if "fresh(float *)" not in read("u.gate"):
        failed.append("the update has no new kernel")
    gate("check", "u.gate", "--", "./new", says=["4 as in the baseline"])
    gate("update", "u.gate", "--kernel", "gone(float *)", "--", "./gone")
    if 'kernel "gone(' in read("u.gate"):
        failed.append("the update has a kernel that is gone")
    gate("record", "--tolerance", "gld_bytes=1", "-o", "u.gate", "--", "./x")
    gate("update", "u.gate", "--", "./x", "2048")
    gate("check", "u.gate", "--", "./x", "2048")
    if "tolerance gld_bytes 1" not in read("u.gate"):
        failed.append("the update lost a tolerance")


def check_runs():
    """The same file, whatever the number of workers, the seed and a ptxas."""
    gate("record", "-o", "a.gate", "--", "./x")
    for options in (["--workers", "1"], ["--workers", "2"], ["--workers", "4"], ["--seed", "5"]):
        gate("record", *options, "-o", "w.gate", "--", "./x")
        if read("w.gate") != read("a.gate"):
            failed.append(f"{options}: another baseline")
    # a command that runs several programs, and -k
    gate("record", "-o", "s.gate", "--", "sh", "-c", "./x & ./new; wait")
    text = read("s.gate")
    if 'kernel "fresh(' not in text or "grid 1x1x1 block 32x1x1 launches 2" not in text:
        failed.append(f"two processes are not in one baseline\n{text}")
    gate("check", "s.gate")
    gate("record", "-k", "gone", "-o", "k.gate", "--", "./x")
    gate("check", "k.gate", "--", "./new", says=["1 as in the baseline"])
    gate("record", "--", "./x", "1024", "1", status=2, says=["failed (exit status 1)"])
    gate("record", "--check-exit-code", "no", "-o", "f.gate", "--", "./x", "1024", "1")
    gate("record", "-k", "nobody", "-o", "n.gate", "--", "./x", status=2, says=["no kernel of that name"])
    gate("check", "nothing.gate", status=2, says=["nothing.gate", "No such file"])
    gate("check", status=2, says=["which baseline?"])
    gate("chekc", "x", status=2, says=["record, check or update?"])


def check_moved_lines():
    """A line that moved is the same line; one that changed is named where it is now."""
    text = read("x.cu")
    gate("record", "-o", "a.gate", "--", "./x")
    write("x.cu", "\n\n// three lines more\n" + text.replace("in[i] * BY", "in[i] * BY + in[0]"))
    compile("moved")
    at = 1 + 3 + text[:text.index("out[i] = in")].count("\n")
    gate("check", "a.gate", "--json", "m.json", "--junit", "m.xml", "--sarif", "m.sarif", "--markdown", "m.md", "--",
         "./moved", status=1)
    write("x.cu", text)
    pairs = {p["kernel"]: p for p in json.loads(read("m.json"))["kernels"]}
    place = pairs["void scale<2>(const float *, float *, int)"]["causes"][0]["at"]
    if place["line"] != at or place["baseline"] == 0 or place["now"] <= place["baseline"]:
        failed.append(f"the line is not the one that changed: {place}, expected line {at}")
    sarif = json.loads(read("m.sarif"))["runs"][0]["results"]
    if len(sarif) != 1 or sarif[0]["locations"][0]["physicalLocation"]["region"]["startLine"] != at:
        failed.append(f"SARIF: {sarif}")
    suite = xml.etree.ElementTree.parse("m.xml").getroot()
    if (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase/failure"))) != ("3", "1", 1):
        failed.append("JUnit: " + read("m.xml"))
    table = [line for line in read("m.md").splitlines() if line.startswith("| void scale&lt;2>")]
    if len(table) != 1 or f"x.cu:{at}" not in table[0] or "reload" not in table[0]:
        failed.append("Markdown: " + read("m.md"))


DAMAGED = (
    ("format 1", "format 9", ":2:9: error: this is format 9"),
    ("format 1\n", "", "it has no line `format 1`"),
    ("gld_requests 32", "gld_requests x", "gld_requests needs a number"),
    ("gld_requests 32", "gld_reqests 32", "the nearest is 'gld_requests'"),
    ("gld_requests 32", "gld_requests -32", "not negative"),
    ('kernel "gone', "kernel gone", "the kernel's name is missing, in quotes"),
    ("grid 1x1x1", "grid 1x1", "grid needs three sizes"),
    ("grid 1x1x1 ", "", "the kernel has no grid"),
    ("model yes", "model perhaps", "model is yes or no"),
    ('gpu "h200"', 'gpu "h200', "no closing quote"),
    ("\ncopies ", "\ncopy ", "no lines that begin with 'copy'"),
)


def check_damaged():
    gate("record", "-o", "a.gate", "--", "./x")
    whole = read("a.gate")
    for was, now, says in DAMAGED:
        if was not in whole:
            failed.append(f"the baseline has no '{was}'\n{whole}")
        write("d.gate", whole.replace(was, now, 1))
        gate("check", "d.gate", status=2, says=[says, "d.gate:"])
    write("d.gate", '  line "x.cu" 3\n' + whole)
    gate("check", "d.gate", status=2, says=["d.gate:1:", "there is none above this one"])
    write("d.gate", "format 1\nhello\n")
    gate("check", "d.gate", status=2, says=["d.gate:2:1", "no lines that begin with 'hello'"])
    with open("d.gate", "wb") as f: # what is something else is told once
        f.write(b"\x7fELF\x01\nhello\n\xff\xfe\x00\n" * 50)
    said = gate("check", "d.gate", status=2, says=["d.gate: error: this is no baseline"])
    if said.count("error") != 1:
        failed.append(f"a file that is no baseline is told of as\n{said}")
    write("d.gate", "")
    gate("check", "d.gate", status=2, says=["d.gate: error: this is no baseline"])
    gate("check", ".", "--", "./x", status=2, says=[".: error: Is a directory"])
    gate("check", "none.gate", "--", "./x", status=2, says=["none.gate: error: No such file"])


def check_outputs():
    """What cannot be written is told before the program runs; what is no file is written to, and not replaced."""
    gate("record", "-o", "/dev/full", "--", "./x", status=2, says=["cannot write /dev/full: No space left"])
    if not stat.S_ISCHR(os.stat("/dev/full").st_mode):
        failed.append("/dev/full was replaced by a file")
    gate("record", "-o", "none/x.gate", "--", "./x", status=2, says=["cannot write none/x.gate: No such file"])
    gate("record", "-o", ".", "--", "./x", status=2, says=["cannot write .: Is a directory"])
    gate("record", "-o", "", "--", "./x", status=2, says=["--output needs the name of a file"])
    gate("record", "-o", "q.gate", "-k", "regex:(", "--", "./x", status=2, says=["--kernel-name: '(' is no regular expression"])
    gate("record", "-o", "q.gate", "--", "sh", "-c", "./x; kill -SEGV $$", status=2, says=["exit status 139: signal 11, Segmentation"])
    if os.path.exists("q.gate") or [n for n in os.listdir() if n.endswith(".new")]:
        failed.append(f"something was left: {os.listdir()}")


def check_document():
    """Every metric and every cause is in docs/gate.md."""
    document, folder = read(root + "/docs/gate.md"), root + "/src/report/gate/"
    metrics = re.findall(r"^GATE_(?:COUNT|FACT)\((\w+)", read(folder + "gate.def"), re.M)
    causes = re.findall(r'^    \{"([a-z0-9-]+)", \w+', read(folder + "gate_cause.c"), re.M)
    if len(metrics) < 40 or len(causes) < 20:
        failed.append(f"{len(metrics)} metrics and {len(causes)} causes were read")
    for name in metrics + [c for c in causes if c != "machine-code"]:
        if f"`{name}`" not in document:
            failed.append(f"docs/gate.md has no `{name}`")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    write("x.cu", SOURCE)
    compile("x")
    compile("gone", "-DGONE")
    compile("new", "-DNEW")
    compile("wide", "-DW=3")
    write("x.cu", SOURCE.replace("in[i] * BY", "in[i] * BY * in[i] + 1"))
    compile("code")
    write("x.cu", SOURCE)
    for check in (check_kernels, check_numbers, check_update, check_runs, check_moved_lines, check_damaged, check_outputs, check_document):
        check()
for text in failed:
    print(text)
sys.exit(1 if failed else 0)
