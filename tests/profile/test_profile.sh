#!/bin/sh
# `lockstep profile` from end to end: test_profile.sh LOCKSTEP PROGRAM, in this folder. What the counters must be follows
# from kernels.cu: a warp that reads every S-th float touches 4 S sectors (up to 32), its store 4; a column of a tile of
# 32 x 32 words costs 32 wavefronts a load.
lockstep=$1 program=$2 ptx=kernels.ptx
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work" LOCKSTEP_PTXAS=0
unset LOCKSTEP_GPU LOCKSTEP_SESSION LOCKSTEP_KERNEL LOCKSTEP_TRACE LOCKSTEP_SEED LOCKSTEP_WORKERS
failed=0
# BLESS=1 writes the golden files anew: look at what changed.

fail() { echo "FAILED: $*"; failed=1; }

# profile WANTED-STATUS ARGUMENT...: runs it; stdout in $work/out, stderr in $work/err, with process ids as PID
profile() {
    want=$1; shift
    "$lockstep" profile "$@" >"$work/raw" 2>"$work/err"; got=$?
    sed "s/process [0-9]*/process PID/; s/^\[[0-9]*\]/[PID]/; s|(/.*/profile_program)|(program)|; s/^\"\([0-9][0-9]*\)\",\"[0-9]*\"/\"\1\",\"PID\"/" \
        "$work/raw" >"$work/out"
    [ $got = "$want" ] || { fail "status $got, not $want: $*"; cat "$work/err"; }
}
same() { [ -z "$BLESS" ] || cp "$work/out" "$1"; diff "$1" "$work/out" >"$work/diff" || { fail "$1"; cat "$work/diff"; }; }
has() { grep -qF -- "$1" "$work/out" || { fail "no '$1' in the output of $what"; cat "$work/out"; }; }
hasnt() { ! grep -qF -- "$1" "$work/out" || fail "'$1' in the output of $what"; }
says() { grep -qF -- "$1" "$work/err" || { fail "no '$1' on stderr of $what"; cat "$work/err"; }; }
rows() { n=$(grep -c "$1" "$work/out"); [ "$n" = "$2" ] || fail "$n rows like $1, not $2: $what"; }

loads=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
ratio=l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio
stores=l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
conflicts=smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum

what="metrics as text"
profile 0 --metrics $loads,$ratio,$stores,smsp__sass_data_bytes_mem_global_op_ld.sum "$program" $ptx strided:2 blocks:64 strided:4 stream scale
same golden/metrics.txt
what="the same as CSV"
profile 0 --csv --metrics $loads,$stores,launch__grid_size "$program" $ptx strided:2 blocks:64 strided:4 stream scale
same golden/metrics.csv
profile 0 -q --csv --page raw --print-kind --print-kernel-base function --metrics $loads,$stores,smsp__sass_data_bytes_mem_global_op_ld.sum \
    "$program" $ptx strided:2 blocks:64 strided:4 stream scale
same golden/raw.csv
profile 0 -q --csv --print-units base --print-kind --print-kernel-base mangled --metrics smsp__sass_data_bytes_mem_global_op_ld.sum "$program" $ptx blocks:64 strided:4
same golden/base.csv
if command -v python3 >/dev/null; then
    profile 0 --csv --page raw --log-file "$work/log" "$program" $ptx strided:2 column tiny
    python3 check_csv.py "$work/log" || fail "the raw page as CSV"
fi

what="units of CSV"
profile 0 -q --csv --metrics smsp__sass_data_bytes_mem_global_op_ld.sum "$program" $ptx blocks:64 strided:4
rows '"byte","8,192"$' 1
profile 0 -q --csv --print-units auto --metrics smsp__sass_data_bytes_mem_global_op_ld.sum "$program" $ptx blocks:64 strided:4
rows '"Kbyte","8.19"$' 1

what="a summary"
profile 0 -q --print-summary per-kernel --metrics $loads,launch__grid_size "$program" $ptx times:3 strided:2 blocks:2 strided:8 tiny
same golden/summary.txt

what="the details page"
profile 0 "$program" $ptx blocks:1024 strided:8 column
has "    Section: Launch Statistics"
has "Grid Size                                               1,024"
has "Static Shared Memory Per Block       Kbyte/block         4.10"
has "    Section: Occupancy"
has "    Section: Nearest Limit"
has "OPT   The nearest limit is"
has "kernels.cu:"
has "Kinds estimated:"
has "OPT   Shared memory serves one wavefront a clock: 1,056 wavefronts, of which 992 are bank conflicts (94%)." # of the second
has "Not known to Lockstep, and left out:"
profile 0 --section LaunchStats "$program" $ptx tiny
hasnt "Section: Occupancy"
hasnt "Nearest Limit"
profile 0 --set full "$program" $ptx column
has "Shared Load Wavefronts"
has "Section: Source Counters"
profile 0 --csv --section NearestLimit "$program" $ptx tiny
has '"Nearest Limit","","","","NearestLimit","OPT","The nearest limit is Latency'

what="the source page"
profile 0 -q --page source --csv "$program" $ptx strided:4 column
has '"Kernel Name","column(float *)"'
grep -q '^"15","    const float v = in\[i \* stride\];",.*,"1","16","4","12","0","0","0","4.0x the sectors"$' "$work/out" || fail "line 15"
grep -q '^"29","        sum += tile\[lane \* 32 + c\];",.*,"0","0","0","0","1,024","32","992","[0-9]*% of the time, 97% conflicts"$' "$work/out" || fail "line 29"
profile 0 -q --page source -k strided "$program" $ptx strided:4 column
has "! "
rows "<- 4.0x the sectors" 1
hasnt "  column("
profile 0 -q --page source --print-source ptx -k column "$program" $ptx column
has "ld.shared.f32"
(cd "$work" && "$lockstep" profile -q --page source "$program" "$OLDPWD/$ptx" tiny) >"$work/out"
has "the file was not found"
(cd "$work" && "$lockstep" profile -q --page source --source-folders "$OLDPWD" "$program" "$OLDPWD/$ptx" tiny) >"$work/out"
has "p[thread()] = thread();"
profile 2 --page source --print-source sass "$program" $ptx tiny
says "no machine code"

what="the model"
profile 0 -q --csv --metrics gpu__time_duration.sum,dram__bytes_read.sum "$program" $ptx strided:1
rows '"dram__bytes_read.sum","byte","2,816"' 1 # the warp's one line, from caches that were cold, 72 sectors of the launch, and three lines of code, as ptxas makes them
for memory in pinned registered; do
    profile 0 -q --csv --metrics gpu__time_duration.sum,dram__bytes_read.sum "$program" $ptx $memory strided:1
    rows '"dram__bytes_read.sum","byte","2,688"' 1 # the line is the host's
done
profile 0 -q --csv --model no --metrics gpu__time_duration.sum "$program" $ptx strided:1
rows '"gpu__time_duration.sum","[a-z]*","n/a"' 1

what="the clock"
clock=smsp__cycles_elapsed.avg.per_second
profile 0 -q --csv --gpu h100 --metrics $clock "$program" $ptx tiny
rows "\"$clock\",\"hz\",\"1,590,000,000\"" 1
profile 0 -q --csv --gpu h100 --clock-control none --metrics $clock "$program" $ptx tiny
rows "\"$clock\",\"hz\",\"1,980,000,000\"" 1
profile 0 -q --csv --print-units base --metrics gpu__time_duration.sum --gpu h100 "$program" $ptx column
base=$(sed -n 's/.*"ns","\([0-9,]*\)"$/\1/p' "$work/out" | tr -d ,)
profile 0 -q --csv --print-units base --metrics gpu__time_duration.sum --gpu h100 --clock-control none "$program" $ptx column
boost=$(sed -n 's/.*"ns","\([0-9,]*\)"$/\1/p' "$work/out" | tr -d ,)
[ "${base:-0}" -gt "${boost:-9999999}" ] || fail "$base ns at the base clock, $boost ns at the boost clock"
profile 0 -q --clock-control base --metrics $clock "$program" $ptx tiny
says "gpus/h200.json has no base clock: time is modelled at the boost clock, 1980 MHz"
profile 2 --clock-control reset "$program" $ptx tiny
says "--clock-control is base or none, not 'reset': there are no clocks here"

what="filters"
sizes="blocks:1 tiny blocks:2 strided:1 blocks:3 tiny stream blocks:4 tiny blocks:5 scale blocks:6 tiny"
sizes() { profile 0 -q --csv --metrics launch__grid_size "$@" "$program" $ptx $sizes
    got=$(sed 1d "$work/out" | sed 's/.*"\([0-9]*\)"$/\1/' | tr '\n' ' '); }
check() { [ "$got" = "$2 " ] || fail "filter $1: blocks '$got', not '$2'"; }
sizes; check none "1 2 3 4 5 6"
sizes -k tiny; check "-k tiny" "1 3 4 6"
sizes -k scale; check "-k scale" "5"
sizes -k regex:^s; check "-k regex" "2 5"
sizes -k "regex:float, 3" --kernel-name-base demangled; check demangled "5"
sizes -k _Z7stridedPKfPfi --kernel-name-base mangled; check mangled "2"
sizes -s 4; check "-s 4" "5 6"
sizes -c 2; check "-c 2" "1 2"
sizes -k tiny -s 1 -c 2; check "-k -s -c" "3 4"
sizes -k tiny --launch-skip-before-match 1 -c 1; check before-match "3"
sizes --kernel-id ::tiny:3; check kernel-id "4"
sizes --kernel-id :13::; check stream "4 5 6"
sizes --kernel-id :::1; check "kernel-id, the first of each" "1 2 5"
sizes --kernel-id ':::2|3'; check "kernel-id, several" "3 4"
sizes --kernel-id :1.*::1; check "kernel-id, in a stream" "4 5"
sizes -k strided --kernel-id ::tiny:1; check "kernel-id alone" "1"
sizes --kernel-id ::tiny: -s 1; check "kernel-id of a name, -s" "3 4 6"
profile 2 --kernel-id ::tiny:2 -s 1 "$program" $ptx tiny
says "--launch-skip does not go with"
what="launches are chosen when they are made"
late() { profile 0 -q --csv --metrics launch__grid_size "$@"
    got=$(sed 1d "$work/out" | sed 's/.*"\([0-9]*\)"$/\1/' | sort | tr '\n' ' '); }
for workers in 1 2; do
    late --workers $workers "$program" $ptx async times:50 column blocks:2 tiny stop blocks:3 tiny start blocks:4 tiny
    check "stop, $workers workers" "$(printf '1 %.0s' $(seq 50))2 4"
    late --workers $workers "$program" $ptx tiny stream async capture blocks:2 column blocks:3 tiny replay stop blocks:4 tiny
    check "stop behind a graph, $workers workers" "1 2 3"
    late --workers $workers -s 2 -c 2 "$program" $ptx blocks:5 tiny stream async capture blocks:2 column blocks:3 tiny replay blocks:4 tiny blocks:6 tiny
    check "-s -c with a graph, $workers workers" "3 4"
done
what="no match"
for filter in "-k nothing" "--kernel-id ::nothing:" "-s 1" "--launch-skip-before-match 1"; do
    profile 3 $filter -o "$work/none" "$program" $ptx tiny
    has "==WARNING== No kernels were profiled."
    says "lockstep profile: the program made no launch that the filters take"
done
[ ! -e "$work/none.lsrep" ] || fail "a report of nothing"
profile 7 -k nothing "$program" $ptx tiny exit:7
profile 3 -k nothing -i replayed.lsrep
has "==WARNING== The report has no such launches."
says "lockstep profile: replayed.lsrep holds no launch that the filters take"
profile 0 "$program" $ptx print
has "==WARNING== No kernels were profiled."
profile 0 --csv --metrics launch__grid_size --profile-from-start off "$program" $ptx tiny start blocks:7 tiny stop blocks:8 tiny
rows '^"0".*"7"$' 1
rows '^"[0-9]' 1

what="names that there are not"
profile 2 --metrics nonsense "$program" $ptx tiny
says "lockstep profile: there is no metric 'nonsense'"
hasnt "Connected"
profile 0 --metrics nonsense,$loads,gld_transactionz "$program" $ptx strided:1
says "there is no metric 'gld_transactionz'"
rows "^    nonsense  *(!) n/a$" 1
profile 2 --metrics l1tex__t_sectors_pipe_lsu_mem_global_op_lod.sum "$program" $ptx tiny
says "nearest: $loads"
profile 0 -q --csv --metrics gld_efficiency,regex:_conflicts_.*op_st,group:lockstep,l1tex__t_requests_pipe_lsu_mem_global_op_ld "$program" $ptx strided:4
rows '"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct","%","25"' 1
rows '"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum","","0"' 1
rows '"lockstep__barriers.sum","warp","0"' 1
rows '"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","request","1"' 1
profile 0 -q --csv --metrics smsp__warps_launched.avg "$program" $ptx blocks:528 tiny # of 132 x 4 schedulers
rows '"smsp__warps_launched.avg","warp","1"' 1

what="options"
profile 2
says "which program?"
profile 2 --nvtx x
says "--nvtx:"
profile 2 --call-stack x
says "--call-stack: host call stacks are not recorded"
profile 2 --range-replay-options=enable-greedy-sync x
says "--range-replay-options: launches are profiled, not ranges"
profile 2 -k tiny -k scale x
says "--kernel-name was given before"
profile 2 --page nonsense x
says "--page is details, raw, source or session, not 'nonsense'"
profile 2 --section Nonsense x
says "there is no section 'Nonsense'"
profile 0 -q --cache-control all --replay-mode application --target-processes all "$program" $ptx tiny
says "without effect here"
profile 127 /nonexistent/program
profile 3 -o "$work/none/x" sh -c "touch '$work/ran'"
says "cannot write $work/none/x.lsrep: No such file"
[ ! -e "$work/ran" ] || { echo "the program ran, and then its report could not be written"; failed=1; }
profile 3 --gpu nonsense "$program" $ptx tiny
says "nonsense"
profile 0 -q --gpu v100 --metrics launch__sm_count "$program" $ptx tiny
has "CC 7.0"
has "launch__sm_count          SM           80"
profile 0 --list-sections
rows "^MemoryWorkloadAnalysis  *Memory Workload Analysis  *yes$" 1
profile 0 --list-sets
profile 0 --query-metrics --query-metrics-mode all
has "$loads"

what="the end before the program's own"
profile 0 --csv --metrics launch__grid_size --kill yes -c 2 "$program" $ptx times:3 tiny hang
rows '^"[0-9]' 2
has "==PROF== Trying to shutdown target application"
profile 0 -q --csv --metrics launch__grid_size --kill yes -c 1 sh -c "\"$program\" $ptx tiny; \"$program\" $ptx tiny hang"
rows '^"[0-9]' 1
profile 0 -q --csv --metrics launch__grid_size --kill true -c 4 "$program" $ptx times:3 tiny
rows '^"[0-9]' 3
profile 2 --kill yes "$program" $ptx tiny
says "--kill yes ends the program when --launch-count"
profile 2 --kill maybe "$program" $ptx tiny
says "--kill is yes or no, not 'maybe'"
# A signal to the command ends the program, and what it did until then is printed.
interrupted() {
    signal=$1; want=$2; shift 2
    : >"$work/out" # what the last program printed must not be taken for this one's
    "$lockstep" profile "$@" "$program" $ptx times:10 tiny print hang >"$work/out" 2>"$work/err" & pid=$!
    for i in $(seq 100); do grep -q "on stdout" "$work/out" && break; sleep 0.05; done
    kill -$signal $pid; wait $pid; got=$?
    [ $got = $want ] || fail "status $got, not $want, after SIG$signal"
}
what="SIGTERM"
interrupted TERM 143 -q --csv --metrics launch__grid_size
rows '^"[0-9]' 10
interrupted HUP 129 -q -o "$work/cut"
profile 0 -i "$work/cut.lsrep" --csv --metrics launch__grid_size
rows '^"[0-9]' 10
what="a program that a signal ends"
for signal in 6 9 11; do
    ASAN_OPTIONS=${ASAN_OPTIONS:-}:handle_segv=0 \
        profile $((128 + signal)) --csv --metrics launch__grid_size "$program" $ptx times:3 tiny raise:$signal
    rows '^"[0-9]' 3
    has "==ERROR== The application returned an error code ($((128 + signal)))."
done
[ -z "$(ls "$work" | grep lockstep-)" ] || fail "a folder was left in $TMPDIR"

what="the program"
profile 7 --csv --metrics launch__grid_size "$program" $ptx print tiny exit:7
has "on stdout"
says "on stderr"
has "==ERROR== The application returned an error code (7)."
rows '^"0"' 1
profile 5 --csv --metrics launch__grid_size "$program" $ptx blocks:3 tiny fork blocks:4 tiny exit:5 # the child's too
rows '"3"$' 1
rows '"4"$' 1
rows 'Disconnected from process' 2
sh_program="\"$program\" $ptx tiny"
profile 0 --csv --metrics launch__grid_size sh -c "$sh_program; $sh_program"
rows '^"[01]"' 2
[ -z "$(ls "$work" | grep lockstep-)" ] || fail "a folder was left in $TMPDIR"

what="reports"
profile 0 -o "$work/r" "$program" $ptx strided:2 blocks:64 strided:4 stream scale
has "==PROF== Report: $work/r.lsrep"
hasnt "Section:"
[ -z "$(ls "$work" | grep lockstep-)" ] || fail "a folder was left in $TMPDIR"
profile 0 -i "$work/r.lsrep" --csv --metrics $loads,$stores,launch__grid_size
grep -v "^==PROF==" golden/metrics.csv >"$work/wanted"
same "$work/wanted"
profile 0 -i "$work/r.lsrep" --csv --metrics launch__grid_size -k scale
rows '^"2"' 1
rows '^"[0-9]' 1
what="a report that is cut off"
head -c -10 "$work/r.lsrep" >"$work/short.lsrep"
profile 0 -i "$work/short.lsrep" --csv --metrics launch__grid_size
rows '^"[0-9]' 2 # of three
says "short.lsrep:$(wc -l <"$work/r.lsrep"): error: the file is cut off in this line: launches are missing"
profile 0 --baseline "$work/short.lsrep" "$work/r.lsrep"
says "the file is cut off in this line"
what="reports"
profile 0 -i "$work/r.lsrep" --page source
has "<- 2.0x the sectors"
profile 0 -i "$work/r.lsrep" --page session
has "$program $ptx strided:2 blocks:64 strided:4 stream scale"
what="a baseline"
# The factors of intervals are measured anew now and then.
profile 0 --baseline replayed.lsrep replayed-new.lsrep
sed -E 's/[0-9]\.[0-9]+ to [0-9]\.[0-9]+/L.LL to H.HH/; s/of [0-9]+ measured/of N measured/' "$work/out" >"$work/fixed"
mv "$work/fixed" "$work/out"
same golden/baseline.txt
profile 0 --baseline replayed.lsrep --json -i replayed-new.lsrep
sed -E 's/("pairs_measured"|^      "(low|high)"): [0-9.]+/\1: N/' "$work/out" >"$work/fixed"
mv "$work/fixed" "$work/out"
same golden/baseline.json
profile 0 --baseline replayed.lsrep -k tiny replayed-new.lsrep
hasnt "column"
profile 0 -q --baseline "$work/r.lsrep" "$program" $ptx strided:2 blocks:64 strided:4 stream scale
has "strided(const float *, float *, int)              2"
[ "$(grep -c ' 1.00 *same$' "$work/out")" = 3 ] || { fail "the same program"; cat "$work/out"; }
profile 3 --baseline replayed.lsrep "$work/r.lsrep"
says "replayed.lsrep and $work/r.lsrep have no kernel in common: column, tiny, gone; strided, scale"
profile 3 --baseline nothing "$program" $ptx print tiny
says "cannot read nothing"
hasnt "on stdout"
profile 3 --baseline kernels.cu replayed.lsrep
says "kernels.cu is no report"
profile 2 --baseline replayed.lsrep
says "which program?"
profile 2 --baseline replayed.lsrep --csv replayed-new.lsrep
says "--baseline prints a comparison"
profile 2 --json replayed.lsrep
says "--json is for --baseline"
sed 's/"status":"ok"/"status":"CUDA_ERROR_ILLEGAL_ADDRESS"/' replayed-new.lsrep >"$work/ended.lsrep"
profile 0 --baseline replayed.lsrep -k column "$work/ended.lsrep"
has "WRN   The newer kernel ended with CUDA_ERROR_ILLEGAL_ADDRESS"
what="a session's folder as a baseline"
mkdir "$work/session" && sed 1d replayed.lsrep >"$work/session/1.rec"
profile 0 --baseline "$work/session" replayed-new.lsrep
has "column(float *)        1  24.10  12.05    0.50"
what="reports"
profile 2 -o "$work/r.lsrep" "$program" $ptx tiny
says "exists; --force-overwrite"
profile 0 -f -o "$work/r.lsrep" --page details --metrics $loads "$program" $ptx tiny
has "$loads"
profile 3 -i "$work/nothing"
profile 3 -i kernels.cu
says "is no report"

what="the replay"
profile 0 -q --csv --metrics 'regex:issue_stalled_.*_per_warp_active' "$program" $ptx column
rows '"%","[0-9.]*"$' 19
sum=$(sed -n 's/.*"%","\([0-9.]*\)"$/\1/p' "$work/out" | awk '{ sum += $1 } END { print (sum > 99.8 && sum < 100.2) }')
[ "$sum" = 1 ] || { fail "the reasons are not all of the time"; cat "$work/out"; }
profile 0 -q --csv --metrics smsp__average_warps_issue_stalled_selected_per_issue_active.ratio "$program" $ptx column
rows '"inst","1"$' 1
profile 0 -q --page source --csv -k column "$program" $ptx column
rows '^"25","        tile.row .*","[0-9]*","[0-9.]*","long_scoreboard",' 1
profile 0 -q --csv --model no --metrics smsp__warps_active.sum "$program" $ptx column
rows '"warp","n/a"$' 1
# replayed.lsrep is made up, with round numbers: of 10,000 cycles of warps line 29 has 6,300, 5,000 of them short_scoreboard.
what="what warps wait for"
profile 0 -i replayed.lsrep -k column --section SpeedOfLight --section WarpStateStats --section NearestLimit --print-details all
same golden/replayed.txt
profile 0 -i replayed.lsrep -k column --page source
same golden/replayed-source.txt
profile 0 -i replayed.lsrep -k column --page source --csv
rows '"150","30","long_scoreboard","400",.*"30% of the time"$' 1
rows '"315","63","short_scoreboard","500",.*"63% of the time, 97% conflicts"$' 1
profile 0 -i replayed.lsrep -k column --csv --section WarpStateStats --section NearestLimit
rows '"Warp State Statistics","","","","CPIStall","OPT","The largest stall reason is short_scoreboard' 1
profile 0 -i replayed.lsrep -k column --section WarpStateStats --apply-rules no
hasnt "largest stall"
profile 0 -q --page source --csv --model no -k strided "$program" $ptx strided:4
rows '"    const float v = in\[i \* stride\];","n/a","n/a","",' 1
profile 0 -q --section SpeedOfLight "$program" $ptx strided:4
rows '^    Time  [0-9.]* us, [0-9.]* to [0-9.]*: ' 1

what="many launches"
profile 0 --model no -o "$work/many" "$program" $ptx times:2000 tiny
lines=$(wc -l <"$work/many.lsrep"); bytes=$(wc -c <"$work/many.lsrep")
[ "$lines" = 2001 ] || fail "$lines lines of 2,000 launches"
[ "$bytes" -lt 4000000 ] || fail "$bytes bytes for 2,000 launches"
profile 0 -i "$work/many.lsrep" --csv --metrics launch__grid_size
rows '^"[0-9]' 2000

[ $failed = 0 ] && echo "test_profile: all well"
exit $failed
