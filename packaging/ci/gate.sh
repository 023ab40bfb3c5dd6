#!/bin/sh
# gate.sh BASELINE [COMMAND]: compares what the kernels do with the baseline; fails when it differs. CI_LOCKSTEP_OUT (lockstep-out):
# gate.md for the pull request, gate.xml (JUnit's), gate.sarif. The table also goes where GitHub shows it.
set -eu
[ $# = 1 ] || [ $# = 2 ] || { echo 'usage: gate.sh BASELINE [COMMAND]' >&2; exit 2; }
out=${CI_LOCKSTEP_OUT:-lockstep-out}
mkdir -p "$out"
baseline=$1
shift
[ $# = 0 ] || set -- -- sh -c "$1"
status=0
lockstep gate check "$baseline" --markdown "$out/gate.md" --junit "$out/gate.xml" --sarif "$out/gate.sarif" "$@" || status=$?
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || [ ! -s "$out/gate.md" ] || cat "$out/gate.md" >>"$GITHUB_STEP_SUMMARY"
exit $status
