#!/bin/sh
# test_sampled.sh LOCKSTEP PROGRAM - of launches that are alike the 1st, 2nd, 4th, 8th, 16th are modelled, and those between have what
# the last of these has; the same with any number of workers.
set -u
lockstep=$1 program=$2
failed=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
unset LOCKSTEP_MODEL_LAUNCHES

# profile NAME WORDS...: a report file NAME, one launch a line.
profile() {
    name=$1
    shift
    "$lockstep" profile --quiet -o "$out/$name" -f "$@" >"$out/said" 2>&1 || { cat "$out/said"; failed=1; }
    tail -n +2 "$out/$name.lsrep" >"$out/$name"
}
# The launch whose modelled values each has, "-" for its own, "!" for none.
whose() {
    sed 's/.*"unlike":true.*/!/; s/.*"modelled_as":\([0-9]*\).*/\1/; s/^{.*/-/' "$out/$1" | tr '\n' ' '
}
expect() {
    got=$(whose "$1")
    if [ "$got" != "$2 " ]; then
        echo "$1: '$got', expected '$2 '"
        failed=1
    fi
}
profile same "$program" same 20
expect same "- - 2 - 4 4 4 - 8 8 8 8 8 8 8 - 16 16 16 16"
profile step "$program" step 12
expect step "- - - - 3 4 - - 7 8 7 8"
profile grows "$program" grows 6
expect grows "- - ! - - -"
profile all --model-launches all "$program" same 5
expect all "- - - - -"

# A launch that follows has every modelled number of the one before it, and its own place in the session.
value() { sed -n "$2p" "$out/$1" | sed 's/.*"values":\(\[[^]]*\]\).*/\1/'; }
[ "$(value same 3)" = "$(value same 2)" ] || { echo "launch 3 is not as launch 2"; failed=1; }
value same 3 | grep -q '[1-9]' || { echo "launch 3 has no values"; failed=1; }
[ "$(value grows 3 | grep -o null | wc -l)" -gt "$(value grows 4 | grep -o null | wc -l)" ] ||
    { echo "the launch that is unlike has modelled values"; failed=1; }
sed -n 3p "$out/same" | grep -q '"lines_as"' || { echo "launch 3 has lines of its own"; failed=1; }

# Whatever the number of workers is.
for workers in 1 2 4; do
    profile workers$workers --workers $workers "$program" same 20
    sed 's/"seconds":[^,]*,//; s/"pid":[0-9]*//' "$out/workers$workers" >"$out/plain$workers"
done
cmp "$out/plain1" "$out/plain2" && cmp "$out/plain1" "$out/plain4" || failed=1

"$lockstep" profile --quiet --set basic --print-details all "$program" same 3 >"$out/page" 2>&1 || failed=1
[ "$(grep -c 'Model  *modelled as launch 1, which did the same work' "$out/page")" = 1 ] || { cat "$out/page"; failed=1; }
"$lockstep" profile --quiet --set basic "$program" grows 3 >"$out/page" 2>&1 || failed=1
grep -q 'Model  *not modelled: it did other work' "$out/page" || { cat "$out/page"; failed=1; }
"$lockstep" profile --model-launches some "$program" same 1 >"$out/page" 2>&1 && { echo "--model-launches some passed"; failed=1; }
exit $failed
