#!/usr/bin/env bash
# test-ladders.sh CHECK - plants comparisons of rungs' names in a small tree and demands that the check finds each at its
# line, and that it passes the tree without them.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/kernels/reduce "$tree"/src/lab
failures=0

expect() # WHAT STATUS PATTERN
{
    local out status=0
    out=$("$check" "$tree" 2>&1) || status=$?
    if [ "$status" != "$2" ] || ! grep -qF -- "$3" <<<"$out"; then
        echo "FAIL $1: status $status, wanted $2 and '$3' in:"
        echo "$out"
        failures=$((failures + 1))
    fi
}

clean()
{
    echo 'l = plan_launch(p, r->kernel, r->columns->per_thread, s->bx);' >"$tree/kernels/reduce/host.c"
    echo 'return o->rung->columns->task == TOTAL;' >"$tree/kernels/reduce/reference.c"
    echo 'if (strcmp(metric, name) == 0 && f->rungs[i].broken) print(r->name);' >"$tree/src/lab/lab.c"
}

clean
expect 'a clean tree' 0 '2 files of families and 1 of the laboratory'
printf '\nreturn strstr(kernel, "Shfl") != NULL;\n' >"$tree/kernels/reduce/reference.c"
expect 'text compared in a family' 1 'kernels/reduce/reference.c:2: '
clean
echo 'if (r->name[0])' >"$tree/kernels/reduce/host.c"
expect "a rung's name read in a family" 1 'kernels/reduce/host.c:1: '
clean
printf '\n\nif (!strncmp(r->kernel, "reduce", 6))\n' >"$tree/src/lab/lab.c"
expect 'a kernel compared in the laboratory' 1 'src/lab/lab.c:3: '
rm -rf "$tree/kernels"
expect 'no ladders' 2 'no kernels/'
[ "$failures" = 0 ]
