#!/bin/sh
# `lockstep ptx` on instructions that have no body: test_ptx.sh LOCKSTEP, in this folder.
lockstep=$1
failed=0
said=$("$lockstep" ptx refused.ptx 2>&1)
[ $? = 1 ] || { echo "FAILED: the status is not 1"; failed=1; }
# lines N TEXT: N lines of what was said have TEXT
lines() {
    n=$(printf '%s\n' "$said" | grep -cF -- "$2")
    [ "$n" = "$1" ] || { echo "FAILED: $n lines, not $1, have: $2"; printf '%s\n' "$said"; failed=1; }
}
lines 1 'cannot run, line 9: `vadd.s32.s32.s32.sat %r2, %r1, %r1;`: '
lines 1 'cannot run, line 17: `vadd.s32.s32.s32.sat %r2, %r1, %r1;`: '
lines 1 'cannot run, line 18: `vsub.s32.s32.s32.sat %r3, %r1, %r1;`: '
lines 1 'cannot run: it may call helper, which cannot'
lines 4 'cannot run'
[ $failed = 0 ] && echo "test_ptx: all well"
exit $failed
