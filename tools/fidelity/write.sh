#!/usr/bin/env bash
# write.sh LS_FIDELITY - writes docs/fidelity.md, and the line of README.md about modelled times, from the recordings and what is modelled.
# write.sh --tables LS_FIDELITY - the same of the document's section about the corpus and that line alone: nothing is run.
# write.sh --check LS_FIDELITY - status 1 if the section about the corpus or that line is not what the tables give.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 2
[ $# -ge 1 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# The line goes on until the next of the list, or an empty one.
readme_line() { awk '/^\* \*\*Modelled times\*\*/ { on = 1; print; next } /^\*|^$/ { on = 0 } on' README.md; }
section() { awk '/^## / { on = /^## Time on kernels that nothing was fitted on$/ } on' "$1"; }

if [ "$1" = --check ]; then
    "$2" --line >"$work/line" && "$2" --corpus >"$work/corpus" || exit 1
    diff <(readme_line) "$work/line" || { echo "README.md is not what tools/fidelity/write.sh writes"; exit 1; }
    diff <(section docs/fidelity.md) <(section "$work/corpus"; echo) ||
        { echo "docs/fidelity.md is not what tools/fidelity/write.sh writes"; exit 1; }
    exit 0
fi
if [ "$1" = --tables ]; then
    shift
    "$1" --corpus | sed 1d >"$work/corpus" && [ "${PIPESTATUS[0]}" = 0 ] || exit 1
    awk -v corpus="$work/corpus" '
        /^## / {
            on = /^## Time on kernels that nothing was fitted on$/
            if (on) { while ((getline text <corpus) > 0) print text; print "" }
        }
        !on' docs/fidelity.md >"$work/fidelity.md"
else
    "$1" >"$work/fidelity.md" || exit 1
fi
"$1" --line >"$work/line" || exit 1
cp "$work/fidelity.md" docs/fidelity.md
awk -v line="$work/line" '
    /^\* \*\*Modelled times\*\*/ { on = 1; while ((getline text <line) > 0) print text; next }
    /^\*|^$/ { on = 0 }
    !on' README.md >"$work/README.md" && cat "$work/README.md" >README.md
