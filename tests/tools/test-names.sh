#!/usr/bin/env bash
# test-names.sh CHECK - plants names of files in a small tree and demands that the check finds those that do not exist, at
# their lines, and that it passes the tree without them.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{src/base,docs,build}
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
    printf '/* a.c - see a.h and base/a.h. */\nopen("gone.c"); /* src/base/a.c, but not */ puts("gone.h");\n' >"$tree/src/base/a.c"
    printf '/* a.h - one.\n * See docs/b.md. */\n' >"$tree/src/base/a.h"
    printf 'As `src/base/a.c` says; `<name>.c`, `test_*.c` and `my.cu` are yours.\n' >"$tree/docs/b.md"
    printf '# Read [b](docs/b.md).\n' >"$tree/README.md"
    printf '#!/bin/sh\n# run.sh - runs a.c\ncc gone.c # b.md\n' >"$tree/run.sh"
    echo '/* nobody.c */' >"$tree/build/made.c"
}

clean
expect 'a clean tree' 0 '11 names of files'
printf '/* a.c - as\n * gone.h says */\n' >"$tree/src/base/a.c"
expect 'a name in a comment of two lines' 1 'src/base/a.c:2: there is no gone.h'
printf '/* a.c - one */ int a; // and exec/a.h\n' >"$tree/src/base/a.c"
expect 'a path whose folder is wrong' 1 'src/base/a.c:1: there is no exec/a.h'
printf '/* b.c - one */\n' >"$tree/src/base/a.c"
expect 'a head with another name' 1 'src/base/a.c:1: there is no b.c'
printf '/* a.h - one */\n' >"$tree/src/base/a.c"
expect 'a head with the name of a neighbour' 1 'src/base/a.c:1: the file calls itself a.h'
clean
printf '\nSee `src/a.c`.\n' >"$tree/docs/b.md"
expect 'a name in a document' 1 'docs/b.md:2: there is no src/a.c'
clean
printf 'true # as c.sh does\n' >"$tree/run.sh"
expect 'a name in a script' 1 'run.sh:1: there is no c.sh'
rm "$tree/README.md"
expect 'no repository' 2 'no README.md'
[ "$failures" = 0 ]
