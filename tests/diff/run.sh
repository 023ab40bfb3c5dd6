#!/usr/bin/env bash
# run.sh SEED_FROM SEED_TO [LIBCUDA] - compiles and runs the random kernels of these seeds, 50 at a time, and shrinks each
# that differs: statement after statement is left out as long as the kernel still differs. LIBCUDA is our release build's
# unless given; NVIDIA's will do. LS_BUILD (build/release) is where the tools are.
set -uo pipefail
[ $# -ge 2 ] || { echo "usage: run.sh SEED_FROM SEED_TO [LIBCUDA]" >&2; exit 2; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${LS_BUILD:-$root/build/release}
libcuda=${3:-$build/lib/libcuda.so.1}
for clang in clang-19 clang-20 clang-21 clang-18 clang-17 clang-16; do
    command -v "$clang" >/dev/null && break
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -x "$build/tests/diff_gen" ] || { echo "run.sh: $build has no tests/diff_gen: build the release preset" >&2; exit 2; }

# compile NAME FROM TO [--skip ID]...
compile()
{
    local out=$work/$1
    shift
    "$build/tests/diff_gen" "$@" >"$out.inc" || return 1
    "$clang" -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-feature=+ptx80 -O3 -S -w -ffp-contract=off \
        -fno-math-errno -I"$root/kernels" -I"$here" "-DDIFF_BODY=\"$out.inc\"" "$here/diff_device.cuh" -o "$out.ptx" &
    gcc -shared -fPIC -std=gnu11 -w -O1 -ffp-contract=off -fwrapv -fno-strict-aliasing "-DDIFF_BODY=\"$out.inc\"" \
        "$here/diff_ref.c" -o "$out.so" -lm
    local gcc_status=$?
    wait $! && [ "$gcc_status" = 0 ]
}

differs() # NAME
{
    ! timeout 60 "$build/tests/diff_run" "$libcuda" "$work/$1.ptx" "$work/$1.so" >"$work/$1.log" 2>&1
}

# Leaves statements out, last to first, while the kernel still differs.
shrink() # SEED
{
    local seed=$1 id last skips=()
    compile small "$seed" "$seed" || return
    last=$(grep -oE '^/\* [0-9]+ \*/' "$work/small.inc" | grep -oE '[0-9]+' | sort -n | tail -1)
    for ((id = ${last:--1}; id >= 0; id--)); do
        # A statement inside one that is already left out has no text of its own.
        grep -q "/\* $id \*/" "$work/small.inc" || continue
        compile try "$seed" "$seed" "${skips[@]}" --skip "$id" 2>/dev/null || continue
        if differs try; then
            skips+=(--skip "$id")
            cp "$work/try.inc" "$work/small.inc"
        fi
    done
    compile small "$seed" "$seed" "${skips[@]}"
    differs small
    echo "---- seed $seed, shrunk (diff_gen $seed $seed ${skips[*]}):"
    grep -v 'left out' "$work/small.inc"
    cat "$work/small.log"
}

bad=0
for ((from = $1; from <= $2; from += 50)); do
    to=$((from + 49 < $2 ? from + 49 : $2))
    compile part "$from" "$to" || { echo "seeds $from to $to do not compile"; exit 1; }
    if differs part; then
        cat "$work/part.log"
        for seed in $(sed -n 's/^seed \([0-9]*\): .*/\1/p' "$work/part.log" | head -3); do
            shrink "$seed"
        done
        bad=1
    else
        echo "seeds $from to $to: $(tail -1 "$work/part.log")"
    fi
done
exit $bad
