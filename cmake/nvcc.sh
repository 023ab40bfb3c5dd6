#!/usr/bin/env bash
# nvcc.sh OUT FROM SOURCE BUILD LAUNCHER FILE... -- COMMAND... - runs the command, nvcc's, which makes OUT of the files. FROM is
# another build folder, or '': what stands there at the same place is copied instead, if it was made of the same files by the same
# command, as OUT.made says there. SOURCE and BUILD are this checkout and its build folder; their names do not count. LAUNCHER
# (ccache, or '') stands before the command.
set -euo pipefail
out=$1 from=$2 source=$3 build=$4 launcher=$5
shift 5
files=()
while [ "$1" != -- ]; do
    files+=("$1")
    shift
done
shift

# A line a word of the command, then a line a file: what it is, and its name.
recipe()
{
    { realpath "$(command -v "$1")"; printf '%s\n' "$@"; sha256sum "${files[@]}"; } |
        awk -v build="$build" -v source="$source" '
            function without(text, folder,   at) {
                while ((at = index(text, folder "/")))
                    text = substr(text, 1, at - 1) substr(text, at + length(folder) + 1)
                return text
            }
            { print without(without($0, build), source) }'
}

rm -f "$out" "$out.made"
recipe "$@" >"$out.recipe"
other=$from/${out#"$build"/}
if [ -n "$from" ] && [ -e "$other" ] && cmp -s "$other.made" "$out.recipe"; then
    cp "$other" "$out"
else
    $launcher "$@"
fi
mv "$out.recipe" "$out.made"
