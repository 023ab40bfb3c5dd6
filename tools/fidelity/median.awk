# median.awk - memory.csv with each rung's time replaced by the median of the runs that there are of it.
#
#     awk -f median.awk memory.csv time2.csv time3.csv
#
# The time is the last field of time*.csv and the first metric of memory.csv: the field behind `launches`, both behind the two
# quoted ones, the grid and the block.

function key(line,    f) {
    split(line, f, ",")
    return f[1] "," f[2]
}

function middle(a, b, c, n,    least, most) {
    if (n == 1) return a
    if (n == 2) return (a + b) / 2
    least = a < b ? (a < c ? a : c) : (b < c ? b : c)
    most = a > b ? (a > c ? a : c) : (b > c ? b : c)
    return a + b + c - least - most
}

FNR == 1 { file++ }
file == 1 { row[++rows] = $0; next }
{
    n = split($0, f, ",")
    k = key($0)
    time[k, ++runs[k]] = f[n]
}

END {
    print row[1]
    for (r = 2; r <= rows; r++) {
        # front: everything to the comma behind `launches`
        match(row[r], /^[^"]*"[^"]*","[^"]*",[0-9]+,/)
        front = substr(row[r], 1, RLENGTH)
        rest = substr(row[r], RLENGTH + 1)
        match(rest, /^[^,]*/)
        first = substr(rest, 1, RLENGTH)
        k = key(row[r])
        printf "%s%.10g%s\n", front, middle(first, time[k, 1], time[k, 2], 1 + runs[k]), substr(rest, RLENGTH + 1)
    }
}
