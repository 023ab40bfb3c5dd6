#!/usr/bin/env bash
# intervals.sh LS_INTERVALS - writes src/model/interval.def anew, from the corpus as an H200 ran it and as it is modelled with ptxas and without
# (tests/hw/h200/corpus.csv, corpus-modelled.csv, corpus-modelled-ptx.csv), of which only the half counts that may be fitted on. Before it: corpus.sh. Behind it:
# build, and write.sh.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ $# = 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
"$1" "$root/tests/hw/h200/corpus.csv" "$root"/tests/hw/h200/corpus-modelled{,-ptx}.csv >"$work" && cat "$work" >"$root/src/model/interval.def"
