#!/bin/sh
# test_draw.sh LOCKSTEP [--small] - sweeps, pictures and plots: what must be in them. --small: for a build with sanitizers,
# without the plot of the usual size.
set -u
lockstep=$1 small=${2:-}
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

"$lockstep" climb transpose/transposeSmem --sweep block=8x8,32x32 --size 128x128 >"$out/sweep" || failed=1
check sweep '^  8x8 on 128x128 .*right'
check sweep '^  32x32 on 128x128 .*right'
check sweep '^  best: 8x8 on 128x128; worst: 32x32 on 128x128: shared load conflicts 15,872 -> 512'
"$lockstep" climb transpose/transposeSmem --sweep block=8x8,16x16,32x32 --size 128x128 --no-time >"$out/least" || failed=1
check least '^  best: 8x8 on 128x128; worst: 32x32 on 128x128: shared load conflicts 15,872 -> 512'
"$lockstep" climb reduce/reduceSmem --sweep n=1k,2k --block 128 >"$out/sizes" || failed=1
check sizes '^  128x1 on 2048 .*right'

"$lockstep" climb banks/setRowReadCol --picture >"$out/picture" || failed=1
check picture 'setRowReadCol.cu:[0-9]*: ld.shared, 4 bytes a lane, 32 lanes: 32 words in the fullest bank'
check picture 'st.shared, 4 bytes a lane, 32 lanes: 1 word in the fullest bank'
check picture 'st.global, 4 bytes a lane, 32 lanes: 4 sectors'
"$lockstep" climb banks/setRowReadCol --picture="$out/picture.svg" >/dev/null || failed=1
check picture.svg '^<svg '
check picture.svg '^</svg>'

"$lockstep" climb transpose --size 128x128 --quick --plot >"$out/plot" || failed=1
check plot "^  transposeSmem .*#.* us'"
check plot '^transpose: modelled time; | at least this, by what stands behind$'
if [ -z "$small" ]; then
    "$lockstep" climb transpose --quick --plot >"$out/usual" || failed=1
    check usual '^transpose: .*; o an H200 took (recorded)$'
    # Not fourteen bars of one length: a GPU takes twice as long where a warp stores 32 sectors as where it stores 4.
    check usual '^  naiveGmem  *#*|#* *o#* '
    check usual '^  transposeSmemPad  *#*|#*  *o '
    if [ "$(grep '^  transpose\|^  naive\|^  copy' "$out/usual" | grep -o '[0-9.]* us' | sort -u | wc -l)" -lt 5 ]; then
        echo "the bars are alike:"
        cat "$out/usual"
        failed=1
    fi
fi
"$lockstep" climb transpose --size 128x128 --quick --plot --no-time >"$out/bound" || failed=1
check bound '^transpose: at least this time with these counters (modelled), and what limits it'
if command -v gnuplot >/dev/null; then
    "$lockstep" climb transpose --size 128x128 --quick --plot="$out/plot.svg" >/dev/null || failed=1
    check plot.svg '^<svg'
    check plot.svg 'transposeSmemPad'
else
    "$lockstep" climb banks --quick --plot="$out/plot.svg" >/dev/null 2>"$out/missing" && failed=1
    check missing 'gnuplot is not installed'
fi

# expect STATUS TEXT ARGUMENT...
expect() {
    status=$1 text=$2
    shift 2
    "$lockstep" "$@" >"$out/said" 2>&1 </dev/null
    got=$?
    [ "$got" = "$status" ] || { echo "lockstep $*: exit status $got, expected $status"; failed=1; }
    check said "$text"
}
expect 2 'it needs KEY=VALUE' climb reduce --sweep block
expect 2 'a value does not fit its key' climb reduce --sweep block=big
expect 2 'a value does not fit its key' climb reduce --sweep colour=3
expect 2 'name FAMILY/RUNG' climb banks --picture=x.svg
expect 2 'not with --on gpu' climb banks --picture --on gpu
expect 3 'the picture cannot be written' climb banks/setRowReadCol --picture="$out/no/such/folder.svg"
exit $failed
