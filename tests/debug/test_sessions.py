#!/usr/bin/env python3
"""test_sessions.py [--bless] LOCKSTEP SOURCES [NVCC] - sessions of `lockstep debug`, compared with what was said once.

A session is a file of tests/debug/sessions: its head says which program (`# SOURCE FLAGS: ARGUMENTS`), and then stand the
lines that a user types, each behind the prompt, and below each what is answered. Addresses of memory are left out. --bless
writes what is answered now. With NVCC, a session with `nvcc` among its flags is run with a program of nvcc's, too."""
import difflib
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

PROMPT = "(lockstep) "


def read(path):
    lines = open(path).read().splitlines()
    head = re.fullmatch(r"# (\S+\.cu)((?: [^:]+)?):(.*)", lines[0])
    assert head, path + ": the first line says which program"
    return head.group(1), head.group(2).split(), head.group(3).split(), lines


def compiled(compiler, folder, source, flags, made={}):
    """The program, made once."""
    key = (compiler[0], source, *flags)
    if key not in made:
        made[key] = os.path.join(folder, "program%d" % len(made))
        subprocess.run([*compiler, "-cudart", "shared", "-arch=sm_90", *flags, source, "-o", made[key]], check=True)
    return made[key]


def steady(text):
    """Without addresses of memory and what else is another in each run."""
    text = re.sub(r"0x[0-9a-f]{12}\b", "0xADDRESS", text)
    text = re.sub(r"(sm_\d+>):\d+", r"\1:LINE", text)
    return re.sub(r"Process \d+", "Process N", text)


def answers(lockstep, program, arguments, lines, sources, as_json):
    words = [json.loads(line)["text"] if line.startswith('{"text":"' + PROMPT) else line for line in lines]
    words = [word[len(PROMPT):] for word in words if word.startswith(PROMPT)]
    command = [lockstep, "debug", "--batch"]
    command += ["--json"] * as_json
    for word in words:
        command += ["-ex", "echo " + PROMPT + word, "-ex", word]
    ran = subprocess.run([*command, program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=120)
    return steady(ran.stdout.replace(os.path.abspath(sources) + "/", "")).splitlines()


def interrupted(lockstep, program):
    """Ctrl-C stops a kernel that never ends, or the one that begins next."""
    lines = ["echo ready", "run", "info program", "bt", "kill"]
    command = [lockstep, "debug", "--batch", *[word for line in lines for word in ("-ex", line)], program, "hangs"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as p:
        said = p.stdout.readline()
        p.send_signal(signal.SIGINT)
        said += p.communicate(timeout=60)[0]
    wrong = [w for w in ("Interrupted.", "hangs (", "stands still: interrupt", "has been killed") if w not in said]
    if wrong:
        print("interrupted: " + ", ".join(wrong) + " is missing in:\n" + said)
    return len(wrong)


def detached(lockstep, program):
    """The program runs to its end by itself, and the command waits for it."""
    lines = ["break twice", "run", "detach", "bt", "detach"]
    command = [lockstep, "debug", "--batch", *[word for line in lines for word in ("-ex", line)], program, "parts"]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=60).stdout
    wrong = [w for w in ("runs on alone.", "parts: cudaSuccess, 8256", "No kernel is being run.",
                         "The program is not being run.") if w not in said]
    if wrong:
        print("detached: " + ", ".join(wrong) + " is missing in:\n" + said)
    return len(wrong)


def machine_code(lockstep, program, nvcc):
    """With a ptxas the machine code stands beside the PTX; without one, why it does not."""
    words = ["break shared_sum", "run", "disassemble /s shared_sum"]
    command = [lockstep, "debug", "--batch", *[word for line in words for word in ("-ex", line)], program, "shared_sum"]
    ptxas = os.path.join(os.path.dirname(os.path.realpath(nvcc)), "ptxas") if nvcc else "0"
    failed = 0
    for name in {"0", ptxas}:
        said = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=120,
                              env=dict(os.environ, LOCKSTEP_PTXAS=name)).stdout
        right = re.search(r"bar\.sync 0; +.*BAR", said) if name != "0" else "No ptxas says" in said
        if not right:
            print("machine code by %s is missing in:\n%s" % (name, said))
            failed += 1
    return failed


def main():
    bless = "--bless" in sys.argv
    words = [w for w in sys.argv[1:] if w != "--bless"]
    lockstep, sources = words[0], words[1]
    nvcc = words[2] if len(words) > 2 and words[2] else None
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(glob.glob(os.path.join(sources, "sessions", "*.txt"))):
            source, flags, arguments, lines = read(path)
            source = os.path.abspath(os.path.join(sources, source))
            compilers = [([lockstep, "cc"], "clang")]
            if nvcc and "nvcc" in flags:
                compilers.append(([nvcc], "nvcc"))
            as_json = "json" in flags
            flags = [f for f in flags if f not in ("nvcc", "json")]
            for compiler, name in compilers:
                program = compiled(compiler, folder, source, flags)
                got = [lines[0], *answers(lockstep, program, arguments, lines, sources, as_json)]
                if bless and name == "clang":
                    with open(path, "w") as f:
                        f.write("\n".join(got) + "\n")
                    lines = got
                    continue
                if got != lines:
                    failed += 1
                    print("\n".join(difflib.unified_diff(lines, got, path, "now, compiled by " + name, lineterm="")))
        subject = compiled([lockstep, "cc"], folder, os.path.abspath(os.path.join(sources, "subject.cu")), ["-G"])
        failed += interrupted(lockstep, subject) + detached(lockstep, subject) + machine_code(lockstep, subject, nvcc)
    print("%d failed" % failed)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
