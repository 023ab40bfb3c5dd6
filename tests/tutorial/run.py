#!/usr/bin/env python3
"""run.py [--write] BIN DOCUMENT - runs a document's commands and compares what they print with what it says.

BIN is the folder of `lockstep`. In the document, in this order:

    ```cuda NAME       a file, written as it stands
    ```diff NAME       a change to it: "+", "-" and " " lines; what it takes away must be there once
    ```console         "$ " commands, each followed by its output; of the commands of one block all share a folder and a shell's rules

A comment `<!-- show: REGEX -->` before a console block says which lines of the outputs it shows; others in a row become
"...". Without it all are shown. --write puts in what is printed now. The folder's own path is left out of outputs. The exit
status is 1 when something differs, 77 (skipped) without clang-19.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:^<!-- show: (?P<show>[^\n]*) -->\n)?^```(?P<kind>cuda|diff|console)(?: (?P<name>\S+))?\n(?P<body>.*?)^```$",
                   re.MULTILINE | re.DOTALL)


def changed(text, diff, name):
    """The text with the change made."""
    lines = [line for line in diff.splitlines() if line.strip() != "..."]
    old = "".join(line[1:] + "\n" for line in lines if line[:1] in " -")
    new = "".join(line[1:] + "\n" for line in lines if line[:1] in " +")
    if text.count(old) != 1:
        sys.exit(f"{name}: what the change takes away is there {text.count(old)} times:\n{old}")
    return text.replace(old, new)


def shown(output, pattern):
    if not pattern:
        return output
    kept = []
    for line in output:
        if re.search(pattern, line):
            kept.append(line)
        elif kept[-1:] != ["..."]:
            kept.append("...")
    return kept


def session(body, pattern, folder, environment):
    """The block with what its commands print."""
    out = []
    for command in (line[2:] for line in body.splitlines() if line.startswith("$ ")):
        run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, timeout=120)
        lines = [line.rstrip() for line in run.stdout.replace(folder + "/", "").splitlines()
                 if "libasan" not in line]  # what the linker thinks of a sanitizer's library
        out += ["$ " + command] + shown(lines, pattern)
    return "".join(line + "\n" for line in out)


def main():
    write = sys.argv[1] == "--write"
    binaries, document = sys.argv[1 + write:]
    if not shutil.which("clang-19"):
        print("skipped: there is no clang-19, and the lines of PTX are its")
        return 77
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LOCKSTEP_")}
    environment |= {"PATH": os.path.abspath(binaries) + ":" + environment["PATH"], "LOCKSTEP_WORKERS": "1", "LOCKSTEP_PTXAS": "0",
                    "LC_ALL": "C"}
    text = open(document, encoding="utf-8").read()
    with tempfile.TemporaryDirectory() as made:
        folder = os.path.realpath(made)

        def now(block):
            kind, name, body = block["kind"], block["name"], block["body"]
            path = os.path.join(folder, name or "")
            if kind == "console":
                return block[0].replace(body, session(body, block["show"], folder, environment)) if body else block[0]
            old = open(path, encoding="utf-8").read() if kind == "diff" else None
            with open(path, "w", encoding="utf-8") as f:
                f.write(changed(old, body, name) if kind == "diff" else body)
            return block[0]

        commands = len(re.findall(r"^\$ ", text, re.MULTILINE))
        result = BLOCK.sub(now, text)
    if not commands:
        sys.exit(f"{document} has no commands")
    if write:
        with open(document, "w", encoding="utf-8") as f:
            f.write(result)
    elif result != text:
        sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), result.splitlines(True), document, "printed now"))
        return 1
    print(f"{commands} commands {'written' if write else 'compared'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
