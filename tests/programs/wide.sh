#!/usr/bin/env bash
# wide.sh LOCKSTEP FOLDER - the programs over CUB's and Thrust's algorithms with all of their types and sizes (-DWIDE), as
# nvcc and as `lockstep cc` compile them, under several numbers of workers, seeds and weak memory, and under two checks,
# which must find nothing. Takes some minutes on two cores, so it is no part of scripts/test.sh:
# .ci/run has it. Programs are made in FOLDER. Needs nvcc, whose toolkit has the libraries. A line a run; exit status 1
# if one failed.
set -u
lockstep=$(realpath "$1") folder=$2
sources=$(dirname "$(realpath "$0")")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo 'there is no nvcc: nothing to do'; exit 0; }
cccl=$(dirname "$(realpath "$nvcc")")/../include/cccl
mkdir -p "$folder" && cd "$folder" || exit 1
for name in $(compgen -e LOCKSTEP_); do unset "$name"; done

# try WHAT COMMAND...: silent but for one line, and what was printed if it failed.
try() {
    local what=$1 start=$SECONDS
    shift
    if "$@" >"$program.printed" 2>&1; then
        echo "passed: $what ($((SECONDS - start)) s)"
    else
        echo "FAILED: $what"
        tail -20 "$program.printed"
        failed=1
    fi
}

run() { # PROGRAM
    local workers seed memory
    while read -r workers seed memory; do
        try "$1, $workers workers, seed $seed, $memory memory" env LOCKSTEP_WORKERS="$workers" LOCKSTEP_SEED="$seed" \
            LOCKSTEP_MEMORY="$memory" timeout 600 "$lockstep" run "./$1"
    done <<'END'
2 0 strong
4 2 strong
2 1 weak
END
}

each() { # PROGRAM
    local program=$1 failed=0 tool
    try "nvcc: $program" "$nvcc" -w -DWIDE -cudart shared -gencode arch=compute_90,code=compute_90 \
        "$sources/$program.cu" -o "$program"
    run "$program"
    for tool in memcheck racecheck; do # the narrow programs run under all tools in the test suite
        try "$tool of $program" timeout 900 "$lockstep" check --tool $tool --error-exitcode 99 "./$program"
    done
    try "lockstep cc: $program" "$lockstep" cc -w -arch=sm_90 -I"$cccl" "$sources/$program.cu" -o "${program}_cc"
    try "${program}_cc" timeout 600 "$lockstep" run "./${program}_cc"
    return $failed
}

# As many at a time as there are processors: the compilers have one thread.
rm -f failed
# The longest first.
for program in cub_sort cub_scan cub_reduce thrust_algorithms; do
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
    { each $program || touch failed; } &
done
wait
[ ! -e failed ]
