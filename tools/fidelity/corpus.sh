#!/usr/bin/env bash
# corpus.sh LOCKSTEP PROGRAMS OUT [OPTION... KIND...] - models the corpus with ptxas and without, and puts the tables beside the recording:
# tests/hw/h200/corpus-modelled.csv and corpus-modelled-ptx.csv. The options are those of model-corpus.sh, which does the work in
# OUT/ptxas and OUT/ptx; called again with the same OUT it goes on. TOTAL is how many seconds both may take together (no limit): what
# was not done by then is not in the tables, and the document says how many there are. GPU names another recording and
# GPU file (h100). Behind it: write.sh.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -ge 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
lockstep=$1 programs=$2 out=$3
shift 3
gpu=${GPU:-h200}
folder=$here/../../tests/hw/$gpu
[ -e "$folder/corpus.csv" ] || { echo "there is no $folder/corpus.csv"; exit 2; }
command -v "${LOCKSTEP_PTXAS-ptxas}" >/dev/null || { echo "there is no ptxas"; exit 2; }
export LOCKSTEP_GPU=$gpu
mkdir -p "$out"
status=0 started=$SECONDS limit=${TOTAL:-}

# way NAME TABLE SECONDS OPTION...
way() {
    local name=$1 table=$2 seconds=$3
    shift 3
    TOTAL=$seconds "$here/model-corpus.sh" "$lockstep" "$programs" "$out/$name" "$@" || status=1
    cp "$out/$name/modelled.csv" "$folder/$table.csv"
}
way ptxas corpus-modelled "${limit:+$((limit / 2))}" "$@"
LOCKSTEP_PTXAS='' way ptx corpus-modelled-ptx "${limit:+$((limit - (SECONDS - started)))}" "$@"
exit $status
