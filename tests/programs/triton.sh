#!/usr/bin/env bash
# triton.sh LOCKSTEP VENV - kernels written in Triton (triton/kernels.py), compiled by Triton from PyPI and run on Lockstep: each against
# numpy, then under `lockstep check`, which must find nothing, then under `lockstep profile`, which must name them and their lines in
# Python. VENV is made if there is none. Needs the network once, gcc and Python's headers; so neither scripts/test.sh nor .ci/run has
# it (tests/programs/triton/replay.py is there, with what Triton made). Exit status 1 if something failed.
set -u
lockstep=$(realpath "$1") venv=$2 version=3.9.0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/triton
for name in $(compgen -e LOCKSTEP_; compgen -e TRITON_); do unset "$name"; done
if [ ! -x "$venv/bin/python" ]; then
    { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "triton==$version" numpy; } ||
        { echo 'Triton cannot be fetched from PyPI'; exit 1; }
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TRITON_CACHE_DIR=$work/cache PYTHONWARNINGS=ignore PYTHONDONTWRITEBYTECODE=1
cd "$here" || exit 1
status=0
fail() { echo "FAILED: $1"; tail -20 "$work/said"; status=1; }

"$lockstep" run "$venv/bin/python" kernels.py >"$work/said" 2>&1 || fail 'lockstep run'
cat "$work/said"
"$lockstep" check "$venv/bin/python" kernels.py >"$work/said" 2>&1 || fail 'lockstep check'
grep -q 'ERROR SUMMARY: 0 errors' "$work/said" || fail 'lockstep check finds something'
"$lockstep" profile "$venv/bin/python" kernels.py >"$work/said" 2>&1 || fail 'lockstep profile'
for kernel in $(grep -A1 '@triton.jit' kernels.py | sed -n 's/^def \(.*\)(.*/\1/p'); do
    grep -q "^  $kernel (" "$work/said" || fail "the profile does not name $kernel"
done
grep -q 'kernels.py:[1-9]' "$work/said" || fail 'the profile names no line of Python'
[ $status = 0 ] && echo "triton.sh: all well ($(grep -c 'Section: Launch Statistics' "$work/said") launches profiled)"
exit $status
