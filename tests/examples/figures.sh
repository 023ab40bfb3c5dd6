#!/usr/bin/env bash
# figures.sh LOCKSTEP EXAMPLES [PROGRAMS] - runs every `lockstep profile` command of the README.md in EXAMPLES and compares what
# it prints with the table below it: a row a launch, the kernel's name, then a column a metric in the command's order.
# PROGRAMS is a folder with the programs; without it they are compiled by `lockstep cc`.
set -u
lockstep=$(realpath "$1") examples=$(realpath "$2")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset LOCKSTEP_SESSION LOCKSTEP_GPU LOCKSTEP_KERNEL

# "strided 4 4" for "| strided<4> | 4 | 4 | text |": as many values as metrics, without the commas of thousands.
rows() # COMMAND'S LINE NUMBER, METRICS
{
    awk -v from="$1" -v metrics="$2" '
        NR <= from || (!seen && !/^\|/) { next }
        !/^\|/ { exit }
        { seen++ }
        seen > 2 {
            gsub(",", "")
            n = split($0, cell, " *[|] *")
            sub("<.*", "", cell[2])
            line = cell[2]
            for (i = 0; i < metrics; i++)
                line = line " " cell[3 + i]
            print line
        }' "$examples/README.md"
}

# The same of CSV: the kernel is column 5, metrics are behind the 11th. ncu leaves out template arguments of a function.
launches()
{
    sed -n '3,$p' | sed 's/^"//; s/"$//' | awk -F'","' '{
        name = $5
        sub("[(<].*", "", name)
        sub("^void ", "", name)
        line = name
        for (i = 12; i <= NF; i++) { gsub(",", "", $i); line = line " " $i }
        print line
    }'
}

status=0 commands=0
while IFS=: read -r number command; do
    read -r _ _ _ metrics program arguments <<<"$command"
    name=$(basename "$program")
    folder=${3:-$work}
    if [ -z "${3:-}" ]; then
        "$lockstep" cc "$examples/$name.cu" -o "$work/$name" || { status=1; continue; }
    fi
    commands=$((commands + 1))
    count=$(($(tr -cd , <<<"$metrics" | wc -c) + 1))
    rows "$number" "$count" >"$work/want"
    (cd "$folder" && "$lockstep" profile -q --csv --page raw --log-file "$work/csv" --metrics "$metrics" "$program" \
        $arguments) >"$work/log" 2>&1 || { echo "$name failed:"; cat "$work/log"; status=1; }
    launches <"$work/csv" >"$work/got"
    diff -u --label "README.md:$number" --label "$name" "$work/want" "$work/got" || status=1
done < <(grep -n '^ *lockstep profile --metrics' "$examples/README.md")
[ "$commands" -gt 0 ] || { echo "README.md has no commands"; status=1; }
echo "$commands commands compared"
exit "$status"
