# known.sh - to be sourced: which metrics this machine's ncu knows.

# known METRICS - those of them that this ncu knows for this GPU; the others are named on standard error. The sums that it patches
# into machine code and the launch's own numbers are in no list.
known() {
    local list
    list=$("${NCU:-ncu}" --query-metrics 2>/dev/null | awk '{ print $1 }')
    for metric in ${1//,/ }; do
        if [ -z "$list" ] || [[ $metric == launch__* || $metric == smsp__sass_* ]] || grep -qx "${metric%%.*}" <<<"$list"; then
            echo "$metric"
        else
            echo "this ncu has no $metric" >&2
        fi
    done | paste -sd,
}
