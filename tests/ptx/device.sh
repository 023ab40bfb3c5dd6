#!/bin/sh
# device.sh OUTDIR - runs every test program through NVIDIA's driver and records what it gives: OUTDIR/results.txt (for
# runner --check) and OUTDIR/log.txt (what differs from the reference). Needs a C compiler, python3 and a GPU of at
# least sm_90.
set -u
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: device.sh OUTDIR}
lib=${2:-libcuda.so.1}
mkdir -p "$out/parts"
runner=$out/runner
${CC:-gcc} -std=gnu11 -D_GNU_SOURCE -O2 -frounding-math -fno-strict-aliasing -ffp-contract=off -o "$runner" \
  "$here"/runner.c "$here"/suite.c "$here"/judge.c "$here"/ref_*.c -ldl -lm || exit 1
rm -f "$out"/parts/*
python3 "$here/make.py" "$out/programs" || exit 1
# The references take the time: a few files at once. sm_100 programs need another GPU.
ls "$out"/programs/*.ptx "$here"/*.ptx | grep -v /sm_100 | xargs -P "${JOBS:-8}" -I{} sh -c '
  name=$(basename "$1" .ptx)
  timeout 150 "$2" --lib "$4" --modes gpu --record "$3/parts/$name.txt" "$1" > "$3/parts/$name.log" 2>&1
  echo "$name: status $?" >> "$3/parts/$name.log"' sh {} "$runner" "$out" "$lib"
cat "$out"/parts/*.log > "$out/log.txt"
{ nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -1 | sed 's/^/# /'
  cat "$out"/parts/*.txt; } > "$out/results.txt"
rm -rf "$out/parts" "$out/programs" "$runner"
grep -E ' tests (passed|FAILED|not run)' "$out/log.txt"
echo "$(grep -c . "$out/results.txt") recorded, $(grep -c 'are wrong' "$out/log.txt") unlike the reference; see $out/log.txt"
