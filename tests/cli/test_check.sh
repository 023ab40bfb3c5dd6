#!/bin/sh
# test_check.sh LOCKSTEP FOLDER - `lockstep check`: its report in each form, its options, what it refuses, and its exit status.
# check/records.chk was written by hand, so nothing here needs a driver; FOLDER has check_subject, which writes records as the
# driver does. BLESS=1 writes the golden files anew: look at what changed.
set -u
lockstep=$1 programs=$2
cd "$(dirname "$0")/check" || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work"
for v in $(env | sed -n 's/^\(LOCKSTEP_[A-Z_]*\)=.*/\1/p') CUDA_LAUNCH_BLOCKING; do unset "$v"; done
failed=0

fail() { echo "FAILED: $what: $*"; failed=1; }

# check WANTED-STATUS ARGUMENT...: stdout in $work/out, stderr in $work/err
check() {
    want=$1; shift
    what="lockstep check $*"
    "$lockstep" check "$@" >"$work/out" 2>"$work/err"; got=$?
    [ $got = "$want" ] || { fail "status $got, not $want"; cat "$work/err"; }
}
same() { [ -z "${BLESS:-}" ] || cp "$work/out" "$1"; diff "$1" "$work/out" >"$work/diff" || { fail "$1"; cat "$work/diff"; }; }
has() { grep -qF -- "$1" "${2:-$work/out}" || { fail "no '$1'"; cat "${2:-$work/out}"; }; }
hasnt() { ! grep -qF -- "$1" "${2:-$work/out}" || fail "'$1'"; }
says() { has "$1" "$work/err"; }
lines() { n=$(grep -cF -- "$1" "$work/out"); [ "$n" = "$2" ] || fail "$n lines with '$1', not $2"; }

# ---- the report ----

check 0 --read records.chk
same text.txt
[ -s "$work/err" ] && fail "something on stderr"
check 0 --read records.chk --json
same findings.json
check 0 --read records.chk --sarif
if command -v python3 >/dev/null; then
    python3 check_sarif.py "$work/out" || fail "not as the standard has it"
fi
# The rules are findings.def's.
sed '/^     "rules": \[/,/^     \]/d; s/"ruleIndex": [0-9]*/"ruleIndex": N/; /"2.1.0"/!s/"version": "[0-9.]*"/"version": "V"/' \
    "$work/out" >"$work/sarif" && mv "$work/sarif" "$work/out"
same findings.sarif

# What the sums must be, by the records: 97 + 3; 127 + 10 by another process; two leaks of 64 bytes from one call; of the
# four races one is a warning, and three more findings are no races.
check 0 --read records.chk
has 'by thread (31,0,0) in block (3,0,0), and 99 more threads'
has '    137 times'
has 'LEAK SUMMARY: 128 bytes leaked in 2 allocations'
has 'RACECHECK SUMMARY: 4 hazards displayed (3 errors, 1 warning)'
has 'ERROR SUMMARY: 7 errors, 1 warning'
has 'and is 0 bytes after the 4096-byte allocation #3, made by cudaMalloc at vectors.cu:40'
has 'and copy by cudaMemcpyAsync in stream 13'
has 'and write by thread (2,0,0) in block (1,0,0) of launch 1 of sum in stream 13'
has '========= A call failed and nobody asked: Program hit'
hasnt "the block's shared memory" # the address says it
hasnt '__device_stub__'
hasnt 'libcudart'

# The caret stands under the column, also behind tabs.
caret() { awk -v line="$1 | " -v column="$2" '
    index($0, line) { source = substr($0, index($0, line) + length(line)); at = NR }
    NR == at + 1 && at { sub(/^[^|]*\| /, ""); exit !(length($0) == column && $0 ~ /^[ \t]*\^$/) }' "$work/out" ||
    fail "no caret at $1:$2"; }
caret 5 5
caret 13 41

# ---- options ----

check 0 --read records.chk --print-limit 1
lines 'What to do' 1
has '7 findings were not printed: --print-limit is 1'
has 'ERROR SUMMARY: 7 errors, 1 warning'
has 'RACECHECK SUMMARY: 0 hazards displayed'
check 0 --read records.chk --print-level error
hasnt 'Warning: Several'
check 0 --read records.chk --strict
has 'ERROR SUMMARY: 8 errors'
hasnt 'Warning: Several'
check 0 --read records.chk --tool racecheck
has 'RACECHECK SUMMARY: 4 hazards'
hasnt 'ERROR SUMMARY'
hasnt 'Invalid'
check 0 --read records.chk --tool memcheck,leakcheck
has 'ERROR SUMMARY: 3 errors'
hasnt 'RACECHECK'
check 0 --read records.chk --racecheck-detect-level error
hasnt 'Several threads'
check 0 --read records.chk --kernel-name-exclude kns=vectorAdd --kernel-name-exclude sum
has 'ERROR SUMMARY: 3 errors'
check 0 --read records.chk --kernel-name-exclude 'regex=^_Z3s|^_Z9{1,2}'
has 'ERROR SUMMARY: 3 errors'
check 0 --read records.chk --demangle simple --show-backtrace no --prefix '##'
has '##     at vectorAdd in vectors.cu:5:5'
hasnt 'Host'
hasnt 'Device Frame'
check 0 --read records.chk --demangle no --strip-paths no --backtrace-short no
has 'at _Z9vectorAddPKfS0_Pfi in vectors.cu:5:5'
has '/nowhere/vectors.cu:52'
has 'libcudart.so.13'
check 0 --read records.chk --num-callers-host 1
hasnt 'Host Frame: main [0x11f8]'
check 0 --read records.chk -q
hasnt 'SUMMARY'
hasnt 'LOCKSTEP CHECK'
check 0 --read records.chk --print-session-details
has 'Process 101: /nowhere/vectors on h200'
check 0 --read records.chk --log-file "$work/%%log%q{NOSUCH}" --json="$work/json" --sarif="$work/s.sarif"
[ -s "$work/out" ] && fail "something on stdout"
cmp -s "$work/%log" text.txt || fail "the log file"
cmp -s "$work/json" findings.json || fail "the JSON file"
grep -q '"2.1.0"' "$work/s.sarif" || fail "the SARIF file"
check 0 --list
has 'out-of-bounds'
lines ' memcheck ' "$(grep -c 'MEMCHECK,' ../../../src/check/core/findings.def)"

# ---- exit status ----

check 7 --read records.chk --error-exitcode 7
grep -v '"severity":"error"' records.chk | grep -v '"again"' >"$work/warnings"
check 0 --read "$work/warnings" --error-exitcode 7
check 7 --read "$work/warnings" --error-exitcode 7 --strict
check 7 --error-exitcode 7 "$programs/check_subject" 0
check 3 --error-exitcode 7 "$programs/check_subject" 3
has 'the program returned an error (exit status 3)'
check 137 sh -c "\"$programs/check_subject\" 0; kill -9 \$\$"
has 'the program returned an error (exit status 137: signal 9, Killed)'
check 3 --check-exit-code no "$programs/check_subject" 3
hasnt 'returned an error'
check 127 ./nosuch

# ---- a program ----

check 0 --leak-check full "$programs/check_subject" 0
[ "$(head -n 1 "$work/out")" = "the program's own output" ] || fail "the program's output"
[ "$(cat "$work/err")" = "and its errors" ] || fail "the program's errors"
line() { sed -n "/HERE: $1/=" ../check_subject.c; }
has "Host Frame: allocate at check_subject.c:$(line allocate) ["
has "Host Frame: main at check_subject.c:$(line main) ["
hasnt 'cudaWrapper'
hasnt 'libc.so'
check 0 --backtrace-short no "$programs/check_subject" 0
has "Host Frame: cudaWrapper at check_subject.c:$(line cudaWrapper) ["
has "Host Frame: allocate at check_subject.c:$(line allocate) ["
has 'in libc.so.6'
check 0 "$programs/check_fixed" 0
has "Host Frame: main at check_subject.c:$(line main) ["
check 0 "$programs/check_plain" 0
has 'Host Frame: allocate [0x'
hasnt 'check_subject.c'
if command -v objcopy >/dev/null; then # as clang compiles
    objcopy -R .debug_aranges "$programs/check_subject" "$work/no_table"
    check 0 "$work/no_table" 0
    has "Host Frame: main at check_subject.c:$(line main) ["
fi
check 0 --leak-check full "$programs/check_subject" 0 twice
has 'LEAK SUMMARY: 16 bytes leaked in 2 allocations'
check 0 --target-processes application-only --leak-check full "$programs/check_subject" 0 twice
has 'LEAK SUMMARY: 8 bytes leaked in 1 allocations'
check 0 --leak-check full "$programs/check_subject" 0 open
has 'did not end in order'
check 0 "$programs/check_subject" 0 cut
says 'the last line was cut off'
check 3 "$programs/check_subject" 0 broken
says '.chk:3: error: the finding has no "kind"'
says '.chk:4: error: this line is no JSON object'
has 'ERROR SUMMARY: 1 error'
check 3 "$programs/check_subject" 0 none
has 'the program did not start CUDA'
hasnt 'SUMMARY'
check 3 --save "$work/filtered.chk" "$programs/check_subject" 0 filtered
has 'the filters took none of the program'
check 5 "$programs/check_subject" 5 filtered
check 0 --read "$work/filtered.chk"
grep -q '"launches":0,"passed_over":2' "$work/filtered.chk" || fail "the saved report has no launches"
check 0 --require-cuda-init no "$programs/check_subject" 0 none
has 'ERROR SUMMARY: 0 errors'
[ -z "$(ls -d "$work"/lockstep-check-* 2>/dev/null)" ] || fail "a folder was left behind"

# What the driver is told.
check 0 "$programs/check_subject" 0 environment
for v in LOCKSTEP_CHECK=memcheck,poolcheck LOCKSTEP_CHECK_LEAKS=no LOCKSTEP_CHECK_API=explicit LOCKSTEP_CHECK_DESTROY=context \
    LOCKSTEP_WORKERS=1; do has "$v"; done
hasnt LOCKSTEP_MEMORY
hasnt LOCKSTEP_SCHEDULES
check 0 --tool memcheck --track-stream-ordered-races use-before-alloc "$programs/check_subject" 0 environment
has LOCKSTEP_CHECK=memcheck,poolcheck
check 0 --tool memcheck --track-stream-ordered-races no "$programs/check_subject" 0 environment
hasnt poolcheck
check 0 --tool all --schedules 4 --kernel-name kns=a,kne=b.c --kernel-regex 'regex=x{2,3}' -s 2 -c 1 --timeout 9 \
    --destroy-on-device-error kernel --report-api-errors all --force-blocking-launches "$programs/check_subject" 0 environment
for v in LOCKSTEP_CHECK=memcheck,racecheck,initcheck,synccheck,leakcheck,writecheck,poolcheck,errorcheck LOCKSTEP_CHECK_LEAKS=full \
    LOCKSTEP_CHECK_API=all LOCKSTEP_CHECK_DESTROY=kernel LOCKSTEP_SCHEDULES=4 LOCKSTEP_MEMORY=weak LOCKSTEP_TIMEOUT=9 \
    'LOCKSTEP_KERNEL=regex:a|^b\.c$|(x{2,3})' LOCKSTEP_KERNEL_BASE=mangled LOCKSTEP_LAUNCH_SKIP=2 LOCKSTEP_LAUNCH_COUNT=1 \
    CUDA_LAUNCH_BLOCKING=1; do has "$v"; done
check 0 --kernel-name sum --schedule seed=5 --workers 3 "$programs/check_subject" 0 environment
has 'LOCKSTEP_KERNEL=regex:^sum$'
hasnt LOCKSTEP_KERNEL_BASE
has LOCKSTEP_SEED=5
has LOCKSTEP_WORKERS=3
LOCKSTEP_WORKERS=2 check 0 --schedules 2 --memory strong "$programs/check_subject" 0 environment
has LOCKSTEP_WORKERS=2
has LOCKSTEP_MEMORY=strong

# ---- kept and read again ----

check 0 --save "$work/kept" --leak-check full "$programs/check_subject" 0 twice
grep -v "^the program's" "$work/out" >"$work/before"
check 0 --read "$work/kept"
cmp -s "$work/before" "$work/out" || { fail "kept and read again, it is another report"; diff "$work/before" "$work/out"; }
check 0 --read "$work/kept" --json
has "\"$programs/check_subject\","

# ---- what is refused ----

refused() { text=$1; shift; check 2 "$@"; says "$text"; }
refused "there is no tool 'memchek'; there are memcheck, racecheck" --tool memchek ./a
refused '--leak-check is full or no' --leak-check yes ./a
refused '--track-stream-ordered-races is all, use-before-alloc, use-after-free or no' --track-stream-ordered-races yes ./a
refused '--xml is for --save' --xml ./a
refused "--print-limit needs a number, not 'x'" --print-limit x ./a
refused "requires an argument" --print-limit
refused "which program? (or --read FILE)" --tool memcheck
refused "--launch-skip is for a program that runs" --read records.chk --launch-skip 1
refused "no program runs beside it" --read records.chk ./a
refused "'ksn=a' is not kns=PART" --kernel-name ksn=a ./a
refused "'(' is no regular expression" --kernel-name 'regex=(' ./a
refused '--schedule is seed=N' --schedule 5 ./a
refused '0 to 255' --error-exitcode 256 ./a
refused 'give one of them a file' --json --sarif ./a
refused 'is followed by' --log-file '%z' ./a
refused 'they are always checked' --check-warpgroup-mma no ./a
refused 'threads and blocks are counted from 0' --language fortran ./a
check 0 --check-bulk-copy yes --padding 16 --racecheck-report all "$programs/check_subject"
says 'without effect here: --padding, --racecheck-report'

check 3 --save "$work/no/such" "$programs/check_subject" 0
says "cannot write $work/no/such"
hasnt "the program's own output"
check 3 --read "$work/nosuch"
says 'nosuch: error: cannot read it: No such file or directory'
check 3 --read .
says 'cannot read it: Is a directory'
: >"$work/empty"
check 3 --read "$work/empty"
says 'it has no record of'
check 3 --read ../test_check.sh
says 'test_check.sh:1: error: this line is no JSON object'
lines error 0
echo '{"type":"report","version":1,"command":"./a"}' >"$work/foreign"
check 3 --read "$work/foreign"
says "foreign:1: error: this is no file of \`lockstep check\`: a record of type 'report' stands before"
echo '{"a":1}' >"$work/foreign"
check 3 --read "$work/foreign"
says 'foreign:1: error: this is no record of `lockstep check`: it has no "type"'
echo '{"type":"check-report","version":2}' >"$work/newer"
check 3 --read "$work/newer"
says 'the report is of version 2, and this Lockstep reads version 1'
head -n 1 records.chk >"$work/again"
echo '{"type":"again","id":4,"count":1}' >>"$work/again"
check 3 --read "$work/again"
says 'again:2: error: it counts finding 4 again, which no line before it has'
exit $failed
