#!/usr/bin/env python3
"""make.py [--check] FOLDER - writes the test programs that are generated into FOLDER: the files that made.txt names.
--check: ptxas, which must be in $PATH, assembles each.

A kernel's head says what the runner must know:

    // TEST: name op=add.sat.s32 in=s32,s32 out=s32

    op    the instruction, the name under which ref.c knows what it does
    in    the operands' types, one array each; type:lo-hi limits values to a range, type:nz excludes zero
    out   the destinations' types, one 8-byte word each, zero-extended
    err   approximations: ulp:N, rel:2^N, abs:2^N, the largest error that the PTX manual states
    ref   none: no reference, the result is recorded and compared with the record; nan: any NaN equals any other
"""
import argparse
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True # the sources' folder stays as it is
import gen
import gen_matrix
import gen_programs
import gen_sparse
import gen_video
import gen_wgmma

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "made.txt")


def assembles(path, text):
    arch = re.search(r"^\.target (\w+)", text, re.M).group(1)
    return subprocess.run(["ptxas", "-O1", "-arch=" + arch, path, "-o", os.devnull]).returncode == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder")
    args = parser.parse_args()
    made = {}
    for generator in (gen, gen_matrix, gen_programs, gen_sparse, gen_video, gen_wgmma):
        made.update(generator.programs())
    with open(LIST) as f:
        wanted = f.read().split()
    if sorted(made) != sorted(wanted):
        sys.exit("made.txt names other programs: %s" % " ".join(sorted(set(made) ^ set(wanted))))
    os.makedirs(args.folder, exist_ok=True)
    rejected = 0
    for name, text in made.items():
        path = os.path.join(args.folder, name + ".ptx")
        with open(path, "w") as out:
            out.write(text)
        rejected += args.check and not assembles(path, text)
    if rejected:
        sys.exit("ptxas rejects %d programs" % rejected)


if __name__ == "__main__":
    main()
