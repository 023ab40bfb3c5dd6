#!/usr/bin/env bash
# quiet.sh LOCKSTEP OPTION... -- COMMAND... - runs `LOCKSTEP check OPTION...` on a command that is known to be right, and expects
# that nothing is found, no warning either.
# quiet.sh LOCKSTEP OPTION... -- --compile NAME cc WORD... --run [ARGUMENT...] - the same after making the program.
set -u
lockstep=$1 options=()
shift
while [ "$1" != -- ]; do options+=("$1"); shift; done
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for name in $(compgen -e LOCKSTEP_); do unset "$name"; done
if [ "$1" = --compile ]; then
    program=$work/$2 words=()
    shift 2
    while [ "$1" != --run ]; do words+=("$1"); shift; done
    shift
    "$lockstep" "${words[@]}" -o "$program" || { echo "it does not compile: ${words[*]}"; exit 1; }
    set -- "$program" "$@"
fi
"$lockstep" check "${options[@]}" --strict --error-exitcode 99 --log-file "$work/report" "$@" >"$work/printed" 2>&1
code=$?
[ "$code" = 0 ] && grep -q 'ERROR SUMMARY: 0 errors' "$work/report" && exit 0
echo "exit status $code"
cat "$work/report"
echo '---- printed'
tail -20 "$work/printed"
exit 1
