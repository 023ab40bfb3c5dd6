#!/usr/bin/env bash
# modes.sh TOOLS LIBCUDA KERNELS.ptx REFERENCE.so - runs the same random kernels in every mode of the engine. In each the
# memory must equal the reference, and each traced mode's record must equal the record of the first.
#
# A mode is a list of environment variables; they are documented in docs/README.md.
set -uo pipefail
[ $# = 4 ] || { echo "usage: modes.sh TOOLS LIBCUDA KERNELS.ptx REFERENCE.so" >&2; exit 2; }
tools=$1
shift
subject=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 passes=0

verdict() # STATUS WHAT
{
    if [ "$1" = 0 ]; then
        passes=$((passes + 1))
        echo "ok    $2"
    else
        failures=$((failures + 1))
        echo "FAIL  $2"
        cat "$work/log"
    fi
}

fast=('' LOCKSTEP_ISA=portable LOCKSTEP_ISA=x86-64-v3 LOCKSTEP_ISA=x86-64-v4 LOCKSTEP_WORKERS=1 LOCKSTEP_SEED=77
    LOCKSTEP_COLOUR=0 LOCKSTEP_ORACLE=1 'LOCKSTEP_POISON=1' LOCKSTEP_MEMORY=weak
    'LOCKSTEP_MEMORY=weak LOCKSTEP_SEED=77')
traced=(LOCKSTEP_WORKERS=1 LOCKSTEP_WORKERS=2 LOCKSTEP_WORKERS=5 LOCKSTEP_ISA=portable LOCKSTEP_ISA=x86-64-v3
    LOCKSTEP_ISA=x86-64-v4 LOCKSTEP_SEED=1 LOCKSTEP_SEED=77 'LOCKSTEP_SEED=5 LOCKSTEP_WORKERS=5'
    LOCKSTEP_COLOUR=0 LOCKSTEP_ORACLE=1 LOCKSTEP_MEMORY=weak
    'LOCKSTEP_MEMORY=weak LOCKSTEP_SEED=5 LOCKSTEP_WORKERS=5')

unset "${!LOCKSTEP_@}" 2>/dev/null
for mode in "${fast[@]}"; do
    env $mode "$tools/diff_run" "${subject[@]}" >"$work/log" 2>&1
    verdict $? "memory, fast, ${mode:-as it comes}"
done

# traced_modes MODE...: each mode's record equals the first one's.
traced_modes()
{
    local mode folder first=
    for mode in "$@"; do
        folder=$(mktemp -d "$work/session-XXXXXX")
        env $mode LOCKSTEP_SESSION="$folder" "$tools/diff_run" "${subject[@]}" >"$work/log" 2>&1
        verdict $? "memory, traced, $mode"
        if [ -z "$first" ]; then
            first=$folder
            continue
        fi
        # one lane at a time: the same memory, but every access is a request of its own
        [[ $mode = *LOCKSTEP_ORACLE=1* ]] && continue
        "$tools/diff_records" "$first" "$folder" >"$work/log" 2>&1
        verdict $? "counters, $mode"
    done
}

# ptxas, where there is one, takes longer than a run: two modes ask it.
traced_modes LOCKSTEP_WORKERS=1 'LOCKSTEP_SEED=5 LOCKSTEP_WORKERS=5'
export LOCKSTEP_PTXAS=0
traced_modes "${traced[@]}"

echo "$passes passed, $failures failed"
[ "$failures" = 0 ]
