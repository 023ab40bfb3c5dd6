# ncu.awk - functions for tables that `ncu --csv` and `lockstep --csv` print: -f ncu.awk -f OTHER.awk.

# Fields of a line in which every field is quoted; returns their number. Thousands separators are dropped by number().
function fields(line, to,    n) {
    sub(/^"/, "", line)
    sub(/"\r?$/, "", line)
    n = split(line, to, /","/)
    return n
}

function number(text) {
    gsub(/,/, "", text)
    return text + 0
}

function columns(line, to,    n, i, f) {
    n = fields(line, f)
    for (i = 1; i <= n; i++)
        to[f[i]] = i
}
