#!/usr/bin/env bash
# kinds.sh FINDINGS - every kind of finding has a program that shows it, and a clean twin of that program.
cd "$(dirname "$0")" || exit 1
status=0
for kind in $(sed -n 's/^FINDING([A-Z_]*, "\([a-z-]*\)".*/\1/p' "$1"); do
    name=${kind//-/_}
    grep -q "^// EXPECT: $kind\b" "$name.cu" "products/$name.cu" 2>/dev/null || { echo "$kind: no $name.cu that expects it" && status=1; }
done
for broken in *.cu products/*.cu; do
    case $broken in *_clean.cu) continue ;; esac
    grep -q '^// EXPECT: ' "$broken" || { echo "$broken expects nothing" && status=1; }
    [ -e "${broken%.cu}_clean.cu" ] || { echo "$broken has no clean twin" && status=1; }
done
exit $status
