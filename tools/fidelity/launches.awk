# launches.awk - a line a launch from ncu's table (--page raw --csv): block, grid and kernel, then the metrics, as CSV.
#
#     awk -v metrics=a,b,c -f ncu.awk -f launches.awk KIND.ncu.csv
#
# A metric that ncu did not give is an empty field.

BEGIN { nm = split(metrics, metric, ",") }
!/^"/ { next } # ncu's own messages
!named { columns($0, at); named = 1; next }
!units { units = 1; next }
{
    fields($0, f)
    printf "\"%s\",\"%s\",%s", f[at["Grid Size"]], f[at["Block Size"]], f[at["Kernel Name"]]
    for (i = 1; i <= nm; i++) {
        value = metric[i] in at ? f[at[metric[i]]] : ""
        printf value ~ /^[-+0-9]/ ? ",%.10g" : ",", number(value)
    }
    printf "\n"
}
