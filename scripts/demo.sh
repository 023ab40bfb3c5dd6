#!/usr/bin/env bash
# demo.sh - from a bare machine to the ladders: installs what is missing, builds, runs `lockstep climb`.
# Arguments go to climb: scripts/demo.sh reduce --n 65536
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

scripts/setup.sh
build release
say "build/release/bin/lockstep climb $*"
status=0
build/release/bin/lockstep climb "$@" || status=$?
[ "$status" = 0 ] || die "lockstep climb ended with status $status"
