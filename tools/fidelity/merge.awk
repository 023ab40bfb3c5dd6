# merge.awk - one row a rung from climb's table (which rungs ran, with how many launches) and ncu's (one row a launch).
#
#     awk -v header=1 -v metrics=a,b,c -f ncu.awk -f merge.awk FAMILY.climb.csv FAMILY.ncu.csv
#
# Launches come in the same order in both. Sums are added up over a rung's launches; the rest, the grid and the block are
# those of the launch of the rung's own kernel, or of the first.

FNR == 1 { file++; rows = 0 }
!/^"/ { next } # ncu's own messages
{ rows++ }
rows == 1 { if (file == 1) columns($0, climb); else columns($0, ncu); next }
rows == 2 { next } # units

file == 1 {
    fields($0, f)
    if (f[climb["Result"]] != "right") {
        printf "%s/%s: %s\n", f[climb["Family"]], f[climb["Rung"]], f[climb["Result"]] > "/dev/stderr"
        if (f[climb["Result"]] == "n/a") next # it launched nothing
    }
    nrungs++
    rung[nrungs] = f[climb["Rung"]]
    family = f[climb["Family"]]
    kernel[nrungs] = f[climb["Kernel Name"]]
    launches[nrungs] = number(f[climb["lockstep__launches.sum"]])
    # The profiler's patches slow a kernel down, so its own clock reads more than is plausible: no fault of its counters.
    good[nrungs] = f[climb["Result"]] == "right" || family == "latency"
    next
}

{
    n++
    fields($0, f)
    name[n] = f[ncu["Kernel Name"]]
    grid[n] = f[ncu["Grid Size"]]
    block[n] = f[ncu["Block Size"]]
    for (m in ncu)
        value[n, m] = f[ncu[m]]
}

END {
    nm = split(metrics, metric, ",")
    if (header) {
        printf "family,rung,grid,block,launches"
        for (i = 1; i <= nm; i++)
            printf ",%s", metric[i]
        printf "\n"
    }
    at = 0
    for (r = 1; r <= nrungs; r++) {
        main = at + 1
        for (k = at + launches[r]; k > at; k--)
            if (name[k] == kernel[r] || index(name[k], kernel[r] "(") == 1)
                main = k
        if (good[r] && launches[r] > 0 && at + launches[r] <= n) {
            printf "%s,%s,\"%s\",\"%s\",%d", family, rung[r], grid[main], block[main], launches[r]
            for (i = 1; i <= nm; i++) {
                v = number(value[main, metric[i]])
                if (metric[i] ~ /\.sum$/) {
                    v = 0
                    for (k = at + 1; k <= at + launches[r]; k++)
                        v += number(value[k, metric[i]])
                }
                printf ",%.10g", v
            }
            printf "\n"
        }
        at += launches[r]
    }
    if (at != n) {
        printf "%s: climb says %d launches, ncu saw %d\n", family, at, n > "/dev/stderr"
        exit 1
    }
}
