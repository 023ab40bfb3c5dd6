#!/usr/bin/env bash
# run.sh LOCKSTEP EXPECT PROGRAM [ARGUMENT...]
# run.sh LOCKSTEP EXPECT --compile PROGRAM cc WORD... --run [ARGUMENT...]
#
# Runs a CUDA program on Lockstep and compares with its .expect file; in the second form after making it in a temporary
# folder with `LOCKSTEP cc WORD... -o PROGRAM`.
#
# An .expect file is what the program prints to stdout, word for word, below lines that begin with "# ":
#     # exit N          its exit code (0 unless said)
#     # stderr REGEX    a line of stderr that must be there (an extended regular expression); several may be
# `lockstep run` prepares for libraries that were built with sanitizers, and looks for no leaks of the program.
set -u
lockstep=$1 expect=$2
shift 2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_KERNEL
export LOCKSTEP_DEVICE_MEMORY=gpu # whatever this machine has
if [ "$1" = --compile ]; then
    program=$work/$2 words=()
    shift 2
    while [ "$1" != --run ]; do words+=("$1"); shift; done
    shift
    "$lockstep" "${words[@]}" -o "$program" || { echo "it does not compile: ${words[*]}"; exit 1; }
else
    program=$1
    shift
fi
folder=$(dirname "$program") program=./$(basename "$program")
(cd "$folder" && exec "$lockstep" run "$program" "$@") >"$work/stdout" 2>"$work/stderr"
code=$?

status=0
fail() { echo "$*"; status=1; }

want=$(sed -n 's/^# exit //p' "$expect")
[ "$code" = "${want:-0}" ] || fail "exit code $code, not ${want:-0}"
grep -v '^# ' "$expect" >"$work/want"
diff -u --label expected --label printed "$work/want" "$work/stdout" || status=1
while IFS= read -r pattern; do
    grep -Eq -- "$pattern" "$work/stderr" || fail "stderr has no line like: $pattern"
done < <(sed -n 's/^# stderr //p' "$expect")
[ "$status" = 0 ] || { echo '---- stderr'; cat "$work/stderr"; }
exit "$status"
