#!/usr/bin/env python3
"""test-costs.py BUILD [CTEST OPTION...] - the processor time of every test that ctest would run with these options (-R, -L, -LE
...), in seconds, the dearest first, and the sum. Tests run one after the other, with their environment and in an order in which
fixtures come before what needs them. Processor time says more than ctest's seconds where a machine has other work as well.

A line a test: seconds of processor time, seconds by the clock, how it ended, its name."""
import json
import os
import resource
import subprocess
import sys
import time


def properties(test):
    return {p["name"]: p["value"] for p in test.get("properties", [])}


def in_order(tests):
    """What sets a fixture up stands first; among these, what needs no fixture itself."""
    def rank(test):
        p = properties(test)
        return ("FIXTURES_SETUP" not in p, "FIXTURES_REQUIRED" in p)
    return sorted(tests, key=rank)


def run(test):
    p = properties(test)
    environment = dict(os.environ)
    environment.update(word.split("=", 1) for word in p.get("ENVIRONMENT", []))
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        status = subprocess.run(test["command"], cwd=p.get("WORKING_DIRECTORY"), env=environment, timeout=p.get("TIMEOUT", 300),
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
    except subprocess.TimeoutExpired:
        status = "timeout"
    after, end = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    skipped = str(status) == str(p.get("SKIP_RETURN_CODE"))
    how = "passed" if status == 0 else "skipped" if skipped else "FAILED"
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, end - start, how


def main():
    build, options = sys.argv[1], sys.argv[2:]
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", *options], stdout=subprocess.PIPE, check=True)
    tests = in_order([t for t in json.loads(listed.stdout)["tests"] if t.get("command")])
    rows = [(*run(test), test["name"]) for test in tests]
    for seconds, clock, how, name in sorted(rows, reverse=True):
        print("%8.2f %8.2f %s %s" % (seconds, clock, how, name))
    print("%8.2f %8.2f of %d tests" % (sum(r[0] for r in rows), sum(r[1] for r in rows), len(rows)))
    return any(r[2] == "FAILED" for r in rows)


if __name__ == "__main__":
    sys.exit(main())
