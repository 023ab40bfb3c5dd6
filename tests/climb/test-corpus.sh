#!/usr/bin/env bash
# test-corpus.sh LS_FIDELITY - the errors that ls_fidelity finds in a made-up corpus. Its rows for tests (sort): with ptxas a is 10 % off, b
# 20, c 30, d right, f 40, all of 5 us or more; e, of 4 us, is off by 0.5. d was not seen by the profiler and launches kernels.
# Without ptxas e and f are not modelled. Those that may be fitted on (bits) are right.
tool=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/hw/h200" "$work/tools/fidelity"
hw=$work/tests/hw/h200
stall=smsp__average_warps_issue_stalled
columns="gpu__time_duration.sum,lts__t_sectors.sum,dram__bytes_read.sum,dram__bytes_write.sum"
columns+=",sm__warps_active.avg.pct_of_peak_sustained_active,${stall}_selected_per_issue_active.ratio"
columns+=",${stall}_wait_per_issue_active.ratio,${stall}_long_scoreboard_per_issue_active.ratio,${stall}_barrier_per_issue_active.ratio"
cat >"$hw/corpus.csv" <<EOF
# made up
kind,case,group,size,event_first_ns,$columns
sort,a,g,0,,10000,100000,1000000,0,50,9,1,2,3
sort,b,g,0,,20000,100000,1000000,0,50,9,1,2,3
sort,c,g,1,,60000,1000,1000000,0,50,9,3,2,1
sort,d,g,1,61000,,100000,,,,,,,
sort,e,e,0,,4000,100000,1000000,0,50,9,3,2,1
sort,f,f,2,,80000,1000,1000,0,50,9,1,2,3
bits,a,a,0,,10000,100000,1000000,0,50,9,1,2,3
EOF
cat >"$hw/corpus-modelled.csv" <<EOF
kind,case,group,size,launches,$columns
sort,a,g,0,1,11000,110000,1000000,0,52,9,1,2,3
sort,b,g,0,1,16000,100000,1000000,0,50,9,1,3,2
sort,c,g,1,1,78000,900,1000000,0,40,9,1,2,3
sort,d,g,1,3,61000,100000,1000000,0,10,9,3,2,1
sort,e,e,0,1,4500,100000,1000000,0,50,9,3,2,1
sort,f,f,2,1,48000,1000,1000,0,50,9,1,2,3
bits,a,a,0,1,10000,100000,1000000,0,50,9,1,2,3
EOF
grep -v '^sort,[ef]' "$hw/corpus-modelled.csv" >"$hw/corpus-modelled-ptx.csv"
printf '# reasons\nsort/f for a reason\n' >"$work/tools/fidelity/corpus-reasons.txt"

failed=0
"$tool" --corpus "$work" >"$work/out" || { echo "status $?"; exit 1; }
has() { grep -qF -- "$1" "$work/out" || { echo "no '$1'"; failed=1; }; }
has 'Modelled: 6 of 6 launches with ptxas, 4 of 6 launches without ptxas (not: sort/e 0, sort/f 2); 1 were timed by events'
has '| all of 5 us and more | 5 and 4 of 5 | 20.0 % | 20.0 % | 40.0 % | 20.0 % | 15.0 % | 30.0 % |'
has '| under 5 us | 1 and 0 of 1 | 0.50 us | 0.50 us | 0.50 us | | | |'
has '| 50 us and more | 3 and 2 of 3 | 30.0 % | 23.3 % | 40.0 % | 30.0 % | 15.0 % | 30.0 % |'
has '| `lts__t_sectors.sum` | 4 | 2 |'
has '| `dram__bytes_read.sum` | 4 | 1 | 0.0 % |'
has '| `sm__warps_active.avg.pct_of_peak_sustained_active` | 5 | 0 | 0.0 points | 2.4 points | 10.0 points | 3 | 0 | 2.0 points | 4.0 points |'
has 'in the right order, with ptxas: 1 of 1 (100.0 %)'
has "the largest reason for stalls is the GPU's, with ptxas: 3 of 5 (60.0 %); or the GPU's second: 4 (80.0 %)"
has '| sort/f | 2 | 80.0 us | 48.0 us | 0.60 | for a reason |'
has '| sort/c | 1 | 60.0 us | 78.0 us | 1.30 | not looked into |'
has '| time, 5 us and more: median error | 8 % at most | 20.0 % | **not reached** | 20.0 % | **not reached** |'
has '| time, under 5 us: mean distance | 0.7 us at most | 0.50 us | reached | not measured | |'
[ "$(sed '/^### The kinds that were fitted on/,$d' "$work/out" | grep -c '^| bits')" = 0 ] || { echo "a fitted kind is among the others"; failed=1; }
"$tool" --corpus-fitted "$work" >"$work/out"
has '| all of 5 us and more | 1 | 0.0 % | 0.0 % | 0.0 % | 0.0 % | 0.0 % | 0.0 % |'
! grep -q '^| sort' "$work/out" || { echo "a kind for tests is printed"; failed=1; }
"$tool" --line "$work" >"$work/out"
has 'on 5 launches of 5 us and more of 1 kinds'
echo nonsense >>"$work/tools/fidelity/corpus-reasons.txt"
! "$tool" --line "$work" >"$work/out" 2>"$work/err" || { echo "a bad line passed"; failed=1; }
grep -q "is not 'kind/case reason'" "$work/err" || { cat "$work/err"; failed=1; }
[ $failed = 0 ] || cat "$work/out"
exit $failed
