#!/usr/bin/env bash
# test.sh - from a bare machine to a verdict: installs what is missing, builds, runs every test but the slow ones
# (docs/testing.md), in at most ten minutes on two cores. Arguments go to ctest instead: scripts/test.sh -R exec
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

scripts/setup.sh
build release
say 'checking that directories use only earlier ones'
tools/check-layers.sh
say 'running the tests'
[ $# -gt 0 ] || set -- --label-exclude '^slow$'
ctest --preset release --parallel "$jobs" "$@" || die 'some tests failed (their output is above)'
