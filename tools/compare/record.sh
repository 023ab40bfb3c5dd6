#!/usr/bin/env bash
# record.sh OUT - on a machine with an NVIDIA GPU, nvcc and Nsight Compute: each program of programs.txt, compiled by nvcc for that
# GPU, under ncu. Writes OUT/<program>.csv, as ncu prints it (--csv --page raw, base units, caches flushed before each pass, clocks
# left alone). tests/hw/<gpu>/programs/ has copies; compare.py puts Lockstep's beside them.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=$1
arch=${2:-sm_90}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
metrics=$(paste -sd, "$here/metrics.txt")
status=0
grep -v '^#' "$here/programs.txt" | while read -r program arguments; do
    if ! nvcc -arch="$arch" -o "$work/$program" "$here/../../examples/$program.cu" 2>"$work/log"; then
        echo "$program: does not compile: $(head -1 "$work/log")"
        continue
    fi
    # shellcheck disable=SC2086
    if ! timeout 120 ncu --csv --page raw --print-units base --clock-control none --cache-control all --metrics "$metrics" \
        --log-file "$out/$program.csv" "$work/$program" $arguments >"$work/said" 2>&1; then
        echo "$program: $(tail -1 "$work/said")"
        status=1
    fi
done
exit $status
