#!/bin/sh
# test_status.sh LOCKSTEP SPIN.PTX - a kernel that runs long is shown on the terminal, with its blocks, and the line is
# erased when it ends; without a terminal nothing is shown. `script` (util-linux) is the terminal.
set -u
lockstep=$1 ptx=$2
export LOCKSTEP_STATUS=0.1 LOCKSTEP_WORKERS=2
export seconds=1.5
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
command -v script >/dev/null || { echo "skipped: there is no script (util-linux)"; exit 77; }

bad() {
    echo "$*"
    failed=1
}

launch="'$lockstep' launch --timeout=\$seconds --grid=6 --arg=buf:4:zero '$ptx'"
esc=$(printf '\033')

script -qec "stty cols 200; $launch" "$work/typescript" >"$work/terminal" </dev/null
grep -q "spin_even: 3 of 6 blocks, [0-9]* s, about [0-9]* s left" "$work/terminal" ||
    bad "the kernel was not shown: $(cat -v "$work/terminal")"
grep -q "left.*$esc\[Klockstep: spin_even: CUDA_ERROR_LAUNCH_TIMEOUT" "$work/terminal" ||
    bad "the line was not erased before the message: $(cat -v "$work/terminal")"

# A narrow terminal: the name is cut, no line is longer.
script -qec "stty cols 40; $launch" "$work/typescript" >"$work/narrow" </dev/null
tr '\r\033' '\n\n' <"$work/narrow" | grep '^\[K.*of 6 blocks' | sed 's/^\[K//' >"$work/lines"
[ -s "$work/lines" ] || bad "nothing was shown on a narrow terminal"
awk 'length($0) > 39 { exit 1 }' "$work/lines" || bad "a line is wider than the terminal: $(cat "$work/lines")"

# Switched off, and not on a terminal.
seconds=0.5
LOCKSTEP_STATUS=0 script -qec "$launch" "$work/typescript" >"$work/off" </dev/null
grep -q "blocks," "$work/off" && bad "shown with LOCKSTEP_STATUS=0"
sh -c "$launch" >"$work/plain" 2>&1
grep -q "blocks," "$work/plain" && bad "shown without a terminal: $(cat -v "$work/plain")"
exit $failed
