#!/bin/sh
# `lockstep calibrate` on Lockstep's own device: test_calibrate.sh LOCKSTEP FOLDER. What comes out must be the model's own
# numbers, and the GPU file must be one.
lockstep=$1
folder=$2/calibrate
mkdir -p "$folder" || exit 1
failed=0
fail() {
    echo "FAILED: $1"
    failed=1
}
# row NAME LEAST MOST: the row is there, its value between the two
row() {
    awk -F, -v name="$1" -v least="$2" -v most="$3" \
        '$2 == name { seen = 1; good = $3 >= least && $3 <= most; value = $3 } END { if (!good) print "it is " value; exit !(seen && good) }' \
        "$folder/all.csv" || fail "$1 is not from $2 to $3"
}

"$lockstep" calibrate --gpu h200 -o "$folder/made.json" --id made --csv "$folder/all.csv" >"$folder/all.txt" 2>&1 ||
    fail "the status is $?: $(cat "$folder/all.txt")"
grep -q "these are the model's own numbers" "$folder/all.txt" || fail "it does not say whose numbers these are"
grep -q "not measured" "$folder/all.txt" && fail "$(sed -n '/not measured/,$p' "$folder/all.txt")"
for experiment in $("$lockstep" calibrate --list | cut -d' ' -f1); do
    grep -q "^$experiment," "$folder/all.csv" || fail "$experiment left no row"
done
row sm_clock 1950 2010
row latency_ffma 4 4.5
row latency_dfma 8 8.6
row latency_shared_load32 23 24
row latency_shared_load32_32_ways 53 56
row latency_l1 32 34
row latency_l2 280 283
row latency_dram 676 696
row latency_mma_f16_f32 33 34
row chase_l1_16_KiB 32 34

# The file is a GPU file: another run can be that GPU.
"$lockstep" calibrate --gpu "$folder/made.json" --only clock >"$folder/again.txt" 2>&1 ||
    fail "the file is refused: $(cat "$folder/again.txt")"
grep -q '"id": "made"' "$folder/made.json" || fail "the file has not the id"
grep -q '"latency_fp32".*model of an NVIDIA H200 makes of: chain of FFMA", "mark": "recalled"' "$folder/made.json" ||
    fail "a number of the model does not say so"

said=$("$lockstep" calibrate --only clocks 2>&1) && fail "an unknown experiment is taken"
case $said in *"no experiment 'clocks'"*) ;; *) fail "it does not say which experiment is unknown: $said" ;; esac
said=$("$lockstep" calibrate --only clock --seconds 0 2>&1)
[ $? = 1 ] || fail "the status is not 1 when something was not measured"
case $said in *"clock: not begun: the time is over"*) ;; *) fail "it does not say what was not measured: $said" ;; esac
said=$("$lockstep" calibrate --only clock -o /nonexistent/x.json 2>&1) && fail "a file that cannot be written is not told"
case $said in *"/nonexistent/x.json: No such file or directory"*) ;; *) fail "it does not say why there is no file: $said" ;; esac
[ "$("$lockstep" calibrate --only clock,print | grep -c '^[a-z][a-z]*$')" = 2 ] || fail "--only does not choose"
if [ ! -e /dev/nvidiactl ] && [ ! -e /dev/dxg ]; then
    said=$("$lockstep" calibrate --on gpu 2>&1)
    [ $? = 3 ] || fail "without a GPU the status is not 3"
    case $said in *"no NVIDIA driver was found"*) ;; *) fail "it does not say that there is no driver: $said" ;; esac
fi
[ $failed = 0 ] && echo "test_calibrate: all well"
exit $failed
