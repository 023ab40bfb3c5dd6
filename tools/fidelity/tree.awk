# tree.awk - one line of a run's table (--page raw --csv): how many launches there are, then the metrics of all of them, as CSV.
#
#     awk -v kernel=NAME -v metrics=a,b,c -f ncu.awk -f tree.awk CASE.csv
#
# A run has one launch, NAME's, and those that kernels made. Sums are added up, as the GPU's profiler has a kernel and what it
# launches in one row; the rest is of the first, whose time is that of all. A metric that is not there is an empty field. Status 1: NAME is not first.

BEGIN { nm = split(metrics, metric, ",") }
!/^"/ { next }
!named { columns($0, at); named = 1; next }
!units { units = 1; next }
{
    fields($0, f)
    if (!n++ && f[at["Kernel Name"]] != kernel)
        exit wrong = 1
    for (i = 1; i <= nm; i++) {
        value = metric[i] in at ? f[at[metric[i]]] : ""
        if (value !~ /^[-+0-9]/)
            continue
        if (n == 1)
            sum[i] = number(value)
        else if (metric[i] ~ /\.sum$/ && metric[i] !~ /time_duration/)
            sum[i] += number(value)
    }
}
END {
    if (wrong || !n)
        exit 1
    printf "%d", n
    for (i = 1; i <= nm; i++)
        printf i in sum ? ",%.10g" : ",", sum[i]
    printf "\n"
}
