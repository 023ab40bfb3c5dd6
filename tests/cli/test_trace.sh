#!/bin/sh
# test_trace.sh LOCKSTEP FOLDER - `lockstep trace`: shapes, the same trace twice, overlap of two streams, the program's own exit
# code, and files. FOLDER has trace_subject, which ends with 7.
set -u
lockstep=$1 subject=$2/trace_subject
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

bad() {
    echo "$*"
    failed=1
}

"$lockstep" trace --csv "$subject" >"$work/a.csv" 2>"$work/err"
[ $? = 7 ] || bad "the program's exit code was lost: $(cat "$work/err")"
"$lockstep" trace --csv "$subject" >"$work/b.csv"
cmp -s "$work/a.csv" "$work/b.csv" || bad "two runs gave two traces"

# Header, units, then six copies and kernels and a fill; each with 19 fields.
awk -F, 'NR > 2 { rows++ } NF != 19 { print "line " NR " has " NF " fields"; bad = 1 }
         END { if (rows != 7) { print rows " rows"; bad = 1 } exit bad }' "$work/a.csv" || bad "the shape of the CSV is wrong"

# The second stream's copy in runs while the first stream's data is worked on and goes back.
awk -F, '/HtoD/ { n++; start[n] = $1; end[n] = $1 + $2 } /DtoH/ && !out { out = $1 }
         END { exit !(n == 2 && start[2] >= end[1] && out < end[2]) }' "$work/a.csv" || bad "the streams do not overlap"

# 262144 bytes at the link's rate and the copy's latency (gpus/h200.json): 2 us + 262144 / 55.5 GB/s.
took=$(awk -F, '/HtoD/ { print $2; exit }' "$work/a.csv")
[ "$took" = 6.723 ] || bad "a copy of 262144 bytes takes $took us, not 6.723"

"$lockstep" trace -o "$work/trace.json" --log-file "$work/log" "$subject" >"$work/out"
[ -s "$work/out" ] && bad "--log-file left something on stdout"
grep -q 'SrcMemType' "$work/log" || bad "no table in the log file"
grep -q 'twice' "$work/log" || bad "the kernel is not named"
grep -q '"traceEvents":\[' "$work/trace.json" || bad "the Chrome trace has no events"
grep -q '"cat":"kernel"' "$work/trace.json" || bad "the Chrome trace has no kernel"

"$lockstep" trace --print-summary "$subject" | grep -q 'GPU activities:.* 2 ' || bad "no summary"
"$lockstep" trace --print-api-trace "$subject" | grep -q 'cuLaunchKernel' || bad "no calls"
"$lockstep" trace --csv --print-summary "$subject" >/dev/null 2>&1 && bad "--csv --print-summary was taken"
"$lockstep" trace -o "$work/no/such" "$subject" >/dev/null 2>&1 && bad "a file that cannot be written was no error"
for file in "$work/no/such" "$work" /dev/full; do
    "$lockstep" trace -o "$file" sh -c "touch '$work/ran'; $subject" >/dev/null 2>"$work/err" && bad "trace -o $file was no error"
    grep -qE "(cannot write $file: |/dev/full could not be written)" "$work/err" || bad "trace -o $file says $(cat "$work/err")"
    [ "$file" = /dev/full ] || [ ! -e "$work/ran" ] || bad "the program ran, and then $file could not be written"
done
"$lockstep" trace ./nosuch 2>/dev/null
[ $? = 127 ] || bad "a program that is not there: not 127"
exit $failed
