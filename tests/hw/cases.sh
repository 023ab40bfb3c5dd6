# cases.sh - for scripts beside it that have ncu count the launches of a program: . "$here/cases.sh"

# Which GPU, driver and tools.
machine()
{
    echo "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(nvcc --version |
        sed -n 's/.*release \([0-9.]*\).*/CUDA \1/p'), ncu $(ncu --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')"
}

# profile METRICS PROGRAM ARGUMENT... - a line a launch: the case that the program prints for it, and what ncu says of it, with cold
# caches. LAUNCHES: a regular expression of the kernels' names (all). CASES: what a case's line looks like (it begins with a digit).
profile()
{
    local metrics=$1 table cases
    table=$(mktemp) cases=$(mktemp)
    shift
    timeout -k 5 "${LIMIT:-120}" ncu --csv --page raw --print-units base --print-kernel-base function --clock-control none --cache-control all \
        --kernel-name "regex:${LAUNCHES:-.}" --metrics "$metrics" --log-file "$table" "$@" | grep -E "${CASES:-^[0-9]}" >"$cases"
    awk -v metrics="$metrics" -f "$here/../../tools/fidelity/ncu.awk" -f "$here/../../tools/fidelity/launches.awk" "$table" |
        sed 's/^"[^"]*","[^"]*",[^,]*,//' | paste -d, "$cases" -
    rm -f "$table" "$cases"
}
