#!/usr/bin/env bash
# cutlass.sh LOCKSTEP FOLDER - CUTLASS's examples for Hopper, unmodified, as nvcc compiles them for sm_90a, at small sizes: each must say
# itself that it passed. They come from PyPI (nvidia-cutlass) into FOLDER. nvcc takes one to four minutes and up to 4 GB for each, so neither
# scripts/test.sh nor .ci/run has it. A line an example; exit status 1 if one failed.
set -u
lockstep=$(realpath "$1") folder=$2
version=4.2.0.0
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'there is no nvcc: nothing to do'; exit 0; }
mkdir -p "$folder" && cd "$folder" || exit 1
for name in $(compgen -e LOCKSTEP_); do unset "$name"; done
if [ ! -d cutlass_library ]; then
    python3 -m pip download --quiet --no-deps "nvidia-cutlass==$version" && python3 -m zipfile -e nvidia_cutlass-*.whl . ||
        { echo 'nvidia-cutlass cannot be fetched from PyPI'; exit 1; }
fi
from=$PWD/cutlass_library/source

each() { # EXAMPLE ARGUMENT...
    local source program start=$SECONDS
    source=$(echo "$from"/examples/*/"$1.cu")
    program=$1
    shift
    if [ ! -x "$program" ] &&
        ! "$nvcc" -w -std=c++17 -cudart shared -gencode arch=compute_90a,code=compute_90a --expt-relaxed-constexpr \
            -I"$from/include" -I"$from/tools/util/include" -I"$from/examples/common" -I"$(dirname "$source")" \
            -o "$program" "$source" -lcuda >"$program.printed" 2>&1; then
        echo "FAILED: $program does not compile"
        return 1
    fi
    local made=$((SECONDS - start))
    start=$SECONDS
    timeout 300 "$lockstep" run "./$program" "$@" >"$program.printed" 2>&1
    if [ $? = 0 ] && grep -q Passed "$program.printed" && ! grep -qi 'failed' "$program.printed"; then
        echo "passed: $program $* (nvcc $made s, run $((SECONDS - start)) s)"
    else
        echo "FAILED: $program $*"
        tail -5 "$program.printed" | cut -c1-300
        return 1
    fi
}

rm -f failed
while read -r name arguments; do
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
    { each "$name" $arguments || touch failed; } </dev/null &
done <<'END'
48_hopper_warp_specialized_gemm --m=300 --n=200 --k=136 --iterations=0
49_collective_builder --m=256 --n=256 --k=128
50_hopper_gemm_with_epilogue_swizzle --m=256 --n=256 --k=128
54_hopper_fp8_warp_specialized_gemm --m=256 --n=256 --k=128 --iterations=0
57_hopper_grouped_gemm --m=128 --n=128 --k=128 --groups=3 --iterations=1
61_hopper_gemm_with_topk_and_softmax --m=256 --n=8 --k=64 --iterations=0
62_hopper_sparse_gemm --m=256 --n=256 --k=256 --iterations=0
67_hopper_fp8_warp_specialized_gemm_with_blockwise_scaling --m=256 --n=256 --k=256 --iterations=0
67_hopper_fp8_warp_specialized_gemm_with_groupwise_scaling --m=256 --n=256 --k=256 --iterations=0
END
wait
[ ! -e failed ]
