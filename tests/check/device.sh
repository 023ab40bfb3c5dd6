#!/usr/bin/env bash
# device.sh OUT [JOBS] - every program of this folder under compute-sanitizer, on a machine with an NVIDIA GPU and nvcc.
#
# Writes to the folder OUT: broken.csv, clean.csv and seeds.csv, a line a program and tool (program, tool, errors, warnings,
# first line of the first report, exit status; 124: it was stopped by its time limit); about.txt, what it ran on; and
# logs.tar.gz, the reports themselves. Some of the programs never end; each run has a limit.
set -u
out=$(realpath "$1") jobs=${2:-12}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/logs"
limit=20 # seconds a run

compile() { # SET FILE...
    local set=$1
    shift
    "$here/combine.sh" "$@" >"$work/$set.cu" &&
        nvcc -g -lineinfo -cudart shared -gencode arch=compute_90a,code=sm_90a -std=c++17 -I "$here" "$work/$set.cu" -lcuda -o "$work/$set" || echo "$set does not compile"
}
mapfile -t broken < <(ls "$here"/*.cu | grep -v '_clean\.cu$')
compile broken "${broken[@]}" &
compile clean "$here"/*_clean.cu &
compile seeds "$here"/seeds/*.cu &
wait

# The options of each of compute-sanitizer's tools; "unused" is the nearest that it has to writecheck.
options_of() {
    case $1 in
    memcheck) echo --tool memcheck --leak-check full ;;
    unused) echo --tool initcheck --track-unused-memory ;;
    *) echo --tool "$1" ;;
    esac
}

one() { # SET PROGRAM TOOL
    local log=$work/logs/$1-$2-$3.txt
    # shellcheck disable=SC2046
    timeout -k 2 "$limit" compute-sanitizer $(options_of "$3") "$work/$1" "$2" >"$log" 2>&1 </dev/null
    local code=$?
    awk -v program="$2" -v tool="$3" -v code="$code" '
        function number(text, before) { return match(text, "[0-9]+ " before) ? substr(text, RSTART) + 0 : 0 }
        /^========= / {
            text = substr($0, 11)
            if (text ~ /^ERROR SUMMARY/) errors = number(text, "error")
            else if (text ~ /^RACECHECK SUMMARY/) { errors = number(text, "error"); warnings = number(text, "warning") }
            else if (text !~ /^COMPUTE-SANITIZER|SUMMARY|^Target application returned|^ / && first == "") first = text
        }
        END {
            gsub(/0x[0-9a-f]+/, "0x?", first)
            gsub(/"/, "\"\"", first)
            printf "%s,%s,%d,%d,\"%s\",%d\n", program, tool, errors, warnings, first, code
        }' "$log" >"$log.csv"
}
export -f one options_of
export work limit

list() { # SET FILE...: "SET PROGRAM TOOL", a line a run
    local set=$1 file tool
    shift
    for file; do
        for tool in memcheck racecheck initcheck synccheck; do
            echo "$set $(basename "$file" .cu) $tool"
        done
        grep -q '^// TOOL: writecheck' "$file" && echo "$set $(basename "$file" .cu) unused"
    done
}
{
    list broken "${broken[@]}"
    list clean "$here"/*_clean.cu
    list seeds "$here"/seeds/*.cu
} | xargs -P "$jobs" -L 1 bash -c 'one "$@"' one

for set in broken clean seeds; do
    {
        echo program,tool,errors,warnings,first,exit
        cat "$work/logs/$set"-*.txt.csv
    } >"$out/$set.csv"
done
rm -f "$work"/logs/*.csv
tar -C "$work" -czf "$out/logs.tar.gz" logs
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | tail -1
    compute-sanitizer --version | tail -1
} >"$out/about.txt" 2>&1
wc -l "$out"/*.csv
