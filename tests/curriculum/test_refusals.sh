#!/usr/bin/env bash
# test_refusals.sh LS_CURRICULUM - the program must not believe a row: each of these is wrong in one way and must be named.
set -u
tool=$1
cd "$(dirname "$0")/../.." || exit 1 # where examples/ is
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# try STATUS MESSAGE FILE [CHAPTER]: the exit status, and a piece of what is said
try() {
    "$tool" "$tmp/$3" ${4:+"$tmp/$4"} >"$tmp/out" 2>"$tmp/err"
    local status=$?
    if [ $status != "$1" ] || ! grep -qF -- "$2" "$tmp/err"; then
        echo "FAILED: status $status, not $1, or not '$2' in:"
        cat "$tmp/err"
        failed=1
    fi
}

# row RUN CHECK VERDICT
row() {
    printf 'tutorial: T1: t\n\nat: here\nrun: %s\nsays: something\n%s\nverdict: %s\n' "$1" "$2" "$3"
}

row 'climb banks/setRowReadCol' 'check: sld_conflicts == 992' holds >"$tmp/good"
"$tool" "$tmp/good" >"$tmp/out" || { echo "FAILED: a good row"; failed=1; }
grep -qF '| `sld_conflicts == 992` | something | 992 | holds |' "$tmp/out" || { cat "$tmp/out"; failed=1; }

row 'climb banks/setRowReadCol' 'check: sld_conflicts == 991' holds >"$tmp/a"
try 1 "here: climb banks/setRowReadCol: 'sld_conflicts == 991' does not hold: 992 against 991" a
row 'climb banks/setRowReadCol' 'check: sld_conflicts <= 991' holds >"$tmp/a"
try 1 "does not hold" a
row 'climb banks/setRowReadCol' 'check: no_such == 992' holds >"$tmp/a"
try 1 "unknown name" a
row 'climb banks/setRowReadCol' 'check: l1tex__no_such.sum == 992' holds >"$tmp/a"
try 1 "no such counter" a
row 'climb banks/setRowReadCol' 'check: was_sld_conflicts == 992' holds >"$tmp/a"
try 1 "needs an 'against'" a
row 'climb banks/setRowReadCol' 'check: sld_conflicts' holds >"$tmp/a"
try 2 "no ==, <= or >=" a
row 'climb banks/noSuchRung' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "there is no such rung" a
row 'climb nosuch/setRowReadCol' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "there is no such family" a
row 'climb banks/setRowReadCol --blok 32x32' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "no such option" a
row 'climb banks/setRowReadCol --block 32y32' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "not such a value" a
row 'climb banks/setRowReadCol --sweep blok=1' 'shows: a sweep' holds >"$tmp/a"
try 2 "not a sweep" a
row 'fly banks' 'shows: wings' holds >"$tmp/a"
try 2 "no such command" a
row 'climb banks/setRowReadCol' 'shows: nothing measured' holds >"$tmp/a"
try 2 "it can be measured and has no check" a
row 'climb banks' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "one rung at one shape" a
row 'climb banks/setRowReadCol' 'check: sld_conflicts == 992' perhaps >"$tmp/a"
try 2 "a verdict is" a
row 'climb banks/setRowReadCol' 'check: sld_conflicts == 992' 'wrong: ' >"$tmp/a"
try 2 "a verdict is" a
row 'climb banks/setRowReadCol --block 64x64' 'check: sld_conflicts == 992' holds >"$tmp/a"
try 1 "here: climb banks/setRowReadCol --block 64x64: " a
row 'climb banks/setRowReadCol' 'refused: 1024 threads' holds >"$tmp/a"
try 1 "it is not refused" a
grep -v says: "$tmp/good" >"$tmp/a"
try 2 "a row needs" a

debug='debug --batch -ex "break saxpy.cu:10 if i == 300" -ex run -ex "print i" ./saxpy'
row "$debug" 'check: sld_conflicts == 992' holds >"$tmp/a"
try 2 "a check needs a command of one rung" a
row "$debug" 'shows: something' holds >"$tmp/a"
try 2 "'prints' is for commands that run a program, and they need it" a
row 'climb banks/setRowReadCol' 'prints: i = 300' holds >"$tmp/a"
try 2 "it can be measured and has no check" a
row 'climb banks --list' 'prints: i = 300' holds >"$tmp/a"
try 2 "'prints' is for commands that run a program" a
if [ -z "${NO_PROGRAMS:-}" ]; then
    row "$debug" 'prints: i = 300' holds >"$tmp/a"
    "$tool" "$tmp/a" >"$tmp/out" || { echo "FAILED: a session that is right"; failed=1; }
    row "$debug" 'prints: i = 301' holds >"$tmp/a"
    try 1 "./saxpy: it prints something else" a
    row "${debug/saxpy.cu/no.cu}" 'prints: i = 300' holds >"$tmp/a"
    try 1 "it prints something else" a
    row "${debug/.\/saxpy/.\/noSuchProgram}" 'prints: i = 300' holds >"$tmp/a"
    try 1 "it could not be run" a

    session() {
        printf '```console\n$ lockstep cc -G examples/saxpy.cu -o s\n$ lockstep debug ./s\n%s\n```\n' "$1" >"$tmp/c.md"
    }
    session $'(lockstep) break saxpy\nBreakpoint 1 (saxpy) pending.'
    "$tool" "$tmp/good" "$tmp/c.md" >"$tmp/out" || { echo "FAILED: a session of a chapter"; failed=1; }
    session $'(lockstep) break saxpy\nBreakpoint 2 (saxpy) pending.'
    try 1 "c.md:3: lockstep debug ./s: it prints something else: line 2 is 'Breakpoint 1 (saxpy) pending.'" good c.md
    session $'(lockstep) break saxpy'
    try 1 "it prints something else: line 2 is 'Breakpoint 1 (saxpy) pending.'" good c.md
    session $'(lockstep) break saxpy\nBreakpoint 1 (saxpy) pending.\nBreakpoint 1 (saxpy) pending.'
    try 1 "line 3 is '(nothing)'" good c.md
    printf '```console\n$ lockstep run ./neverMade\n```\n' >"$tmp/c.md"
    try 1 "c.md:2: lockstep run ./neverMade: it prints something else" good c.md
fi

chapter() { printf '```console\n$ lockstep %s\n# expect: %s\n```\n' "$1" "$2" >"$tmp/c.md"; }
chapter 'climb banks/setRowReadCol' 'sld_conflicts == 991'
try 1 "c.md:2: lockstep climb banks/setRowReadCol: 'sld_conflicts == 991' does not hold" good c.md
chapter 'climb banks/noSuchRung' 'sld_conflicts == 992'
try 2 "there is no such rung" good c.md
chapter 'climb banks' 'sld_conflicts == 992'
try 2 "an expectation needs a command" good c.md
printf '# expect: sld_conflicts == 992\n' >"$tmp/c.md"
try 2 "outside a fenced block" good c.md

exit $failed
