#!/bin/sh
# test_run.sh LOCKSTEP FOLDER - `lockstep run`: what it starts keeps its exit code, signal, input, output and arguments, gets
# our libraries, and what cannot work is refused with one message. FOLDER has the programs run_*.
set -u
lockstep=$1 programs=$2
failed=0
umask 077
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

bad() {
    echo "$*"
    failed=1
}

# expect STATUS TEXT ARGUMENT...: `lockstep run ARGUMENT...` ends with STATUS and says TEXT.
expect() {
    status=$1 text=$2
    shift 2
    said=$("$lockstep" run "$@" 2>&1 </dev/null)
    got=$?
    [ "$got" = "$status" ] || bad "run $*: exit status $got, expected $status; said '$said'"
    case $said in
    *"$text"*) ;;
    *) bad "run $*: said '$said', expected '$text' in it" ;;
    esac
}

expect 0 "" "$programs/run_subject" exit 0
expect 42 "" "$programs/run_subject" exit 42
expect 134 "" sh -c "\"$programs/run_subject\" signal 6; exit \$?"
expect 0 "[$programs/run_subject][-g][--gpu][a b][]" "$programs/run_subject" -g --gpu "a b" ""
expect 0 "Lockstep's driver
a runtime
not preloaded" "$programs/run_subject" driver
expect 0 "Lockstep's driver
a runtime
preloaded" "$programs/run_rpath" driver

# The process itself is the program: a signal ends it as one.
"$lockstep" run "$programs/run_subject" signal 9 >"$work/out" 2>&1
[ $? = 137 ] || bad "SIGKILL did not end the program as a signal"

printf 'one\ntwo' | "$lockstep" run "$programs/run_subject" cat >"$work/out"
[ "$(cat "$work/out")" = "one
two" ] || bad "stdin did not reach the program"

# Scripts, with and without #!, found along PATH too.
printf '#!/bin/sh\necho script "$1"; exit 5\n' >"$work/first"
printf 'echo plain "$1"; exit 6\n' >"$work/second"
chmod +x "$work/first" "$work/second"
expect 5 "script x" "$work/first" x
expect 6 "plain y" "$work/second" y
PATH=$work:$PATH
expect 5 "script z" first z

# What cannot work: one message, and what to do.
expect 127 "there is no program './no such'" "./no such"
expect 127 "there is no program 'nosuchprogram'" nosuchprogram
expect 126 "is a folder" "$work"
expect 126 "is not executable" "$programs/../CMakeCache.txt"
expect 126 "has NVIDIA's runtime library linked into it" "$programs/run_static"
expect 126 "nvcc -cudart shared" "$programs/run_static"
expect 0 "" --no-check "$programs/run_static"
expect 126 "Lockstep runs PTX: rebuild" "$programs/run_no_ptx"
expect 0 "" "$programs/run_no_kernels"
expect 2 "which program?"
expect 2 "unrecognized option" --fast "$programs/run_subject"
cd "$programs" || exit 1
expect 127 "there is one in this folder: ./run_subject" run_subject

# Options are the environment of the program.
expect 0 "a100 weak 3 2" --gpu a100 --memory weak --seed 3 --workers 2 sh -c \
    'echo "$LOCKSTEP_GPU $LOCKSTEP_MEMORY $LOCKSTEP_SEED $LOCKSTEP_WORKERS"'

exit $failed
