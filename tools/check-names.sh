#!/usr/bin/env bash
# check-names.sh [ROOT] - proves that every file that a comment or a document names exists: sources, tables, scripts and
# documents, by path or by the end of one ("op.h", "exec/frame.c", "docs/model.md"). Prints each name that does not as
# FILE:LINE and fails if there is one. Files of users (.cu) are examples and are not looked for; the names of files
# that are not in the repository stand below.
set -euo pipefail

root=${1:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
[ -f "$root/README.md" ] || { echo "check-names: no README.md in $root" >&2; exit 2; }

others='cuda_fp4.h cuda_fp6.h __clang_cuda_runtime_wrapper.h' # headers of the toolkit and of clang
made='embedded.inc table.inc body.inc'                                # what the build makes

cd "$root"
find . \( -name '.?*' -o -name build -o -name golden \) -prune -o -type f -print | sed 's|^\./||' | sort |
    awk -v known="$others $made" '
BEGIN {
    n = split(known, word, " ")
    for (i = 1; i <= n; i++) exists[word[i]] = 1
    name = "[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*[.](c|h|def|inc|sh|py|md)"
}
{
    file[NR] = $0
    for (at = $0; ; at = substr(at, slash + 1)) {
        exists[at] = 1
        slash = index(at, "/")
        if (!slash) break
    }
}
# The words of a text that are names of files. A name that is part of a larger word (a pattern, a placeholder) is none.
function look(text,   before, after, found) {
    while (match(text, name)) {
        found = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : " "
        after = substr(text, RSTART + RLENGTH, 1)
        text = substr(text, RSTART + RLENGTH)
        if (before ~ /[][<>$*{}%\/~]/ || after ~ /[A-Za-z0-9_*\/-]/ || found ~ /^[.-]/) continue
        looked++
        if (!(found in exists)) {
            printf "%s:%d: there is no %s\n", path, line, found
            bad++
        }
    }
}
# The first line of a file may begin with its name.
function head(text) {
    if (match(text, "^(/[*]|//|#) " name " - ")) {
        sub(/^[^ ]* /, "", text)
        sub(/ .*/, "", text)
        if (substr("/" path, length(path) + 1 - length(text)) != "/" text) {
            printf "%s:%d: the file calls itself %s\n", path, line, text
            bad++
        }
    }
}
# What of a line of C is in a comment.
function comment(text,   out, p) {
    out = ""
    while (text != "") {
        if (inside) {
            p = index(text, "*/")
            out = out " " (p ? substr(text, 1, p - 1) : text)
            if (!p) return out
            inside = 0
            text = substr(text, p + 2)
        } else {
            p = match(text, /\/[*\/]/)
            if (!p) return out
            if (substr(text, p, 2) == "//") return out " " substr(text, p + 2)
            inside = 1
            text = substr(text, p + 2)
        }
    }
    return out
}
END {
    for (i = 1; i <= NR; i++) {
        path = file[i]
        kind = path
        sub(/^.*[.]/, "", kind)
        if (kind !~ /^(c|h|cu|cuh|def|inc|md|sh|py|cmake|txt)$/ || path ~ /^tests\/tools\//) continue
        if (kind == "txt" && path !~ /CMakeLists[.]txt$/) continue
        inside = 0
        for (line = 1; (getline text <path) > 0; line++) {
            if (line <= 2) head(text)
            if (kind == "md") look(text)
            else if (kind ~ /^(sh|py|cmake|txt)$/) { if (sub(/^(.*[ \t])?# /, " ", text)) look(text) }
            else if (inside || text ~ /\/[*\/]/) look(comment(text))
        }
        close(path)
    }
    if (bad) exit 1
    print looked + 0 " names of files, all there"
}'
