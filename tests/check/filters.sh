#!/usr/bin/env bash
# filters.sh LOCKSTEP PROGRAM KERNEL - filters of launches on a program that is right and has that kernel: with filters that take
# none of its launches `lockstep check` says so and ends with 3, not with "0 errors" and 0.
set -u
lockstep=$1 program=$2 kernel=$3 failed=0
for name in $(compgen -e LOCKSTEP_); do unset "$name"; done
none='the filters took none of the program'

# expect STATUS SAID? OPTION...
expect() {
    local want=$1 said=$2 text code
    shift 2
    text=$("$lockstep" check --error-exitcode 99 "$@" "$program" 2>&1)
    code=$?
    { grep -q "$none" <<<"$text" && echo yes || echo no; } | grep -qx "$said" && [ $code = "$want" ] && return
    echo "FAILED: check $*: status $code, not $want"
    echo "$text"
    failed=1
}

expect 0 no
expect 0 no --kernel-name "kns=$kernel"
expect 3 yes --kernel-name "${kernel}x"
expect 3 yes --launch-skip 1000
expect 3 yes --kernel-name "kns=$kernel" --launch-skip 1000
exit $failed
