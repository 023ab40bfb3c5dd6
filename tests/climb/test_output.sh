#!/bin/sh
# test_output.sh LOCKSTEP - the three forms of output: what must be in them, and that they say the same.
set -u
lockstep=$1
failed=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

check() {
    if ! grep -q -- "$2" "$out/$1"; then
        echo "$1: no line like '$2':"
        cat "$out/$1"
        failed=1
    fi
}

"$lockstep" climb banks >"$out/text" || failed=1
# The tutorial's numbers: 992 and 240, and 0 with padding.
check text '^setColReadCol  *right .* 992  *1024  *992  *1024 '
check text '^setRowReadColPad  *right .* 0  *32  *0  *32 '
check text '^rect_setColReadCol  *right .* 240  *256  *240  *256 '
check text '^rect_setRowReadColPad  *right .* 0  *16  *0  *16 '
if [ "$(awk '{ if (length($0) > 140) n++ } END { print n + 0 }' "$out/text")" != 0 ]; then
    echo "the table is wider than 140 columns"
    failed=1
fi

# Times: of what was recorded at the default sizes on an H200, and of nothing else.
check text '^time, us .* modelled .* at least  by  *H200 took$'
check text "^setRowReadCol  *[0-9.]*'  *[0-9.]* to  *[0-9.]*'  *[0-9.]*' [a-z0-9 ]*2.18\*$"
check text '^H200 took: .*NVIDIA H200, driver 580.159.04'
# without TEXT ARGUMENT...: climb's output has no such line.
without() {
    text=$1
    shift
    "$lockstep" climb "$@" >"$out/other" || failed=1
    if grep -q -- "$text" "$out/other"; then
        echo "climb $*: a line like '$text':"
        cat "$out/other"
        failed=1
    fi
}
without 'H200 took' banks --gpu v100 --quick
check other '^time, us .* modelled'
without 'H200 took' banks --block 16x16 --quick
without '^time, us' banks --no-time --quick

"$lockstep" climb banks/setColReadCol --csv >"$out/csv" || failed=1
check csv '^"Family","Rung","Kernel Name"'
check csv 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum'
check csv '^"banks","setColReadCol","setColReadCol",.*"992"'
if [ "$(wc -l <"$out/csv")" != 3 ]; then
    echo "names, units and one row are three lines"
    failed=1
fi

"$lockstep" climb banks/setColReadCol --json >"$out/json" || failed=1
check json '"rung": "setColReadCol"'
check json '"result": "right"'
check json '"kind": "counted"'
if command -v python3 >/dev/null; then
    python3 - "$out/json" <<'P' || failed=1
import json, sys
rung = json.load(open(sys.argv[1]))[0]["rungs"][0]
metric = rung["metrics"]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"]
assert metric["value"] == 992, metric
assert rung["unmet"] == [], rung
times = rung["microseconds"]
assert 0 < times["low"] <= times["modelled"] <= times["high"] and times["low"] < times["high"], times
assert times["by"] == "shared" and times["at_least"] > 0, times
assert times["recorded"]["gpu"] == "H200" and times["recorded"]["us"] > 0, times
assert abs(rung["metrics"]["gpu__time_duration.sum"]["value"] - 1e3 * times["modelled"]) < 1e-6, times
P
fi

# Progress belongs on terminals only.
"$lockstep" climb banks/setRowReadRow 2>"$out/err" >/dev/null || failed=1
if [ -s "$out/err" ]; then
    echo "stderr is not empty:"
    cat "$out/err"
    failed=1
fi
exit $failed
