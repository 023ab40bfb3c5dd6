#!/usr/bin/env bash
# check-ladders.sh [ROOT] - proves that no code asks what a rung is called: what rungs differ in are columns of ladder.def.
# In a family's folder nothing compares text or reads a rung's name; in src/lab nothing compares a rung's name or kernel. Prints
# each violation as FILE:LINE and fails if there is one.
set -euo pipefail

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
cd "$root"
shopt -s nullglob
families=(kernels/*/*.[ch]) lab=(src/lab/*.[ch])
[ ${#families[@]} -gt 0 ] && [ ${#lab[@]} -gt 0 ] || { echo "check-ladders: no kernels/ or src/lab/ in $root" >&2; exit 2; }

compare='\b(str(n|case|ncase)?cmp|strstr|strr?chr|strs?pn|memcmp|fnmatch|regexec) *\('
bad=$(
    grep -nE "$compare|->name\b" /dev/null "${families[@]}" || true
    grep -nE "$compare[^;)]*\b(r|rung)->(name|kernel)\b" /dev/null "${lab[@]}" || true
)
if [ -n "$bad" ]; then
    sed -E 's/^([^:]*:[0-9]*):.*/\1: asks what a rung is called: make it a column of ladder.def/' <<<"$bad"
    exit 1
fi
echo "check-ladders: ${#families[@]} files of families and ${#lab[@]} of the laboratory ask no rung's name"
