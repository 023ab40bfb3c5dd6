#!/usr/bin/env bash
# intervals.sh LOCKSTEP LS_INTERVALS PROGRAMS OUT - writes src/model/interval.def anew: models the half of the corpus that may be fitted
# on (model-corpus.sh) and compares it with tests/hw/h200/corpus.csv. What it worked with stays in OUT. SIZES are the sizes
# that are run ("0 1 2"; the largest takes long).
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
[ $# = 4 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
"$here/model-corpus.sh" "$1" "$3" "$4" --half FIT --sizes "${SIZES:-0 1 2}" || echo "going on with what there is"
"$2" "$root/tests/hw/h200/corpus.csv" "$4/modelled.csv" >"$4/interval.def" && cp "$4/interval.def" "$root/src/model/interval.def"
