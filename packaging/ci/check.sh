#!/bin/sh
# check.sh COMMAND: runs a shell command under `lockstep check`; fails when it does, or on an error. CI_LOCKSTEP_TOOLS (all),
# CI_LOCKSTEP_BASELINE (a file of known findings; none), CI_LOCKSTEP_OUT (lockstep-out): findings.sarif and findings.json.
set -eu
[ $# = 1 ] || { echo 'usage: check.sh COMMAND' >&2; exit 2; }
out=${CI_LOCKSTEP_OUT:-lockstep-out}
mkdir -p "$out"
status=0
lockstep check --tool "${CI_LOCKSTEP_TOOLS:-all}" --error-exitcode 1 ${CI_LOCKSTEP_BASELINE:+--baseline "$CI_LOCKSTEP_BASELINE"} \
    --save "$out/findings" sh -c "$1" || status=$?
[ ! -s "$out/findings" ] || lockstep check --read "$out/findings" --sarif="$out/findings.sarif" --json="$out/findings.json" \
    ${CI_LOCKSTEP_BASELINE:+--baseline "$CI_LOCKSTEP_BASELINE"} --quiet >/dev/null
exit $status
