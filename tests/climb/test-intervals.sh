#!/usr/bin/env bash
# test-intervals.sh LS_INTERVALS - the tool on made-up tables. Eleven long launches that memory limits take 0.90, 0.92, ... 1.10 of
# what is modelled, so the 10th percentile is 0.92 and the 90th 1.08; three others limited by atomics are too few for a class of
# their own. Without a ptxas all of them are modelled as half as long. Of a group's cases a is 1.0 and b 1.1 times the model at each of five sizes: their ratio is off by 1.1. A kind that is for
# tests has measured times a hundred times as long: nothing may depend on it.
tool=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
columns=gpu__time_duration.sum,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
columns+=,sm__throughput.avg.pct_of_peak_sustained_elapsed,lockstep__atomic_throughput.pct,launches
echo "kind,case,group,size,gpu__time_duration.sum" >"$work/measured"
echo "kind,case,group,size,$columns" >"$work/modelled"
# row KIND CASE GROUP SIZE MEASURED MODELLED PERCENTAGES [LAUNCHES]
row() {
    echo "$1,$2,$3,$4,$5" >>"$work/measured"
    echo "$1,$2,$3,$4,$6,$7,${8:-1}" >>"$work/modelled"
}
for k in 0 1 2 3 4 5 6 7 8 9 10; do
    row bits "c$k" "c$k" 2 $((90000 + 2000 * k)) 100000 80,10,0
    row sort "t$k" "t$k" 2 10000000 100000 80,10,0
done
for size in 0 1 2 3 4; do # sizes that there are not, to have ten pairs
    row graph a ab $size 2000 2000 10,60,0
    row graph b ab $size 2200 2000 10,60,0
    row tree a ab $size 2200 2000 10,60,0
    row tree b ab $size 2000 2000 10,60,0
done
for k in 1 2 3; do
    row image "m$k" "m$k" 1 10000 10000 10,20,70
done
row image gone gone 1 "" 10000 10,20,70
row image tree tree 2 9000000 100000 80,10,0 5 # launches kernels
awk -F, -v OFS=, 'NR > 1 { $5 /= 2 } 1' "$work/modelled" >"$work/estimated"
"$tool" "$work/measured" "$work/modelled" "$work/estimated" >"$work/out" || { echo "status $?"; exit 1; }
failed=0
has() { grep -qxF "$1" "$work/out" || { echo "no line '$1'"; failed=1; }; }
has "INTERVAL(MACHINE, LONG, MEMORY, 0.92, 1.08, 11)"
has "INTERVAL(ESTIMATED, LONG, MEMORY, 1.00, 2.16, 11)"
has "INTERVAL(MACHINE, SHORT, COMPUTE, 1.00, 1.10, 20)"
has "INTERVAL(MACHINE, SHORT, LATENCY, 1.00, 1.10, 20) /* of all limits */"
has "INTERVAL(MACHINE, LONG, ATOMICS, 0.92, 1.08, 11) /* of all limits */"
has "INTERVAL_RATIO(MACHINE, SAME, 1.10, 10)"
has "INTERVAL_RATIO(MACHINE, OTHER, 1.20, 0)"
grep -q "^INTERVAL(MACHINE, MIDDLE, ATOMICS, .*, 34) /\* of all launches \*/$" "$work/out" || { echo "too few of the middle"; failed=1; }
[ "$(grep -c "^INTERVAL(" "$work/out")" = 24 ] || { echo "not twelve classes each"; failed=1; }
head -1 "$work/measured" >"$work/none"
"$tool" "$work/none" "$work/modelled" "$work/estimated" >"$work/out" 2>"$work/err" && { echo "an empty table passed"; failed=1; }
"$tool" "$work/nothing" "$work/modelled" "$work/estimated" >/dev/null 2>"$work/err" && { echo "no file passed"; failed=1; }
grep -q "nothing is no table" "$work/err" || { cat "$work/err"; failed=1; }
[ $failed = 0 ] || cat "$work/out"
exit $failed
