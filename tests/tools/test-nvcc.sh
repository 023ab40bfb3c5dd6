#!/usr/bin/env bash
# test-nvcc.sh NVCC.SH - cmake/nvcc.sh: what another build folder made of the same files by the same command is copied; what differs
# in a file, in a file that it includes, in an option, or is not there, is made.
set -u
script=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
cd "$work" || exit 1

# A compiler that says when it is asked.
cat >compiler <<'END'
#!/bin/sh
echo made >>"$LOG"
for word; do out=$word; done
cat "$1" >"$out"
END
chmod +x compiler
export LOG=$work/log

for checkout in one two; do
    mkdir -p "$checkout/src" "$checkout/build/bin"
    echo 'int main() {}' >"$checkout/src/x.cu"
    echo '// common' >"$checkout/src/x.h"
done

make() # CHECKOUT FROM OPTION...
{
    local at=$work/$1 from=$2
    shift 2
    : >"$LOG"
    "$script" "$at/build/bin/x" "$from" "$at" "$at/build" "" "$at/src/x.cu" "$at/src/x.h" -- \
        "$work/compiler" "$at/src/x.cu" "-I$at/src" "$@" -o "$at/build/bin/x" || { echo 'it ended with an error'; status=1; }
}
expect() # WHAT made|copied
{
    local got=copied
    [ ! -s "$LOG" ] || got=made
    [ "$got" = "$2" ] || { echo "$1: $got, not $2"; status=1; }
    cmp -s "$work/two/src/x.cu" "$work/two/build/bin/x" || { echo "$1: the program is another one"; status=1; }
}

make two "$work/one/build"; expect 'there is none' made
make one ''
make two "$work/one/build"; expect 'the same' copied
make two ''; expect 'no other folder' made
make two "$work/one/build" -O0; expect 'another option' made
echo '// another' >two/src/x.h
make two "$work/one/build"; expect 'another header' made
cp one/src/x.h two/src/x.h
echo 'int main() { return 1; }' >two/src/x.cu
make two "$work/one/build"; expect 'another source' made
cp two/src/x.cu one/src/x.cu # changed there, but not made yet
make two "$work/one/build"; expect 'an old program' made
make one ''
rm one/build/bin/x.made
make two "$work/one/build"; expect 'nothing says of what it was made' made

# What fails leaves no program that would be taken for whole.
echo 'exit 1' >"$work/compiler"
"$script" "$work/two/build/bin/x" '' "$work/two" "$work/two/build" "" two/src/x.cu -- "$work/compiler" 2>/dev/null &&
    { echo 'an error was lost'; status=1; }
[ ! -e two/build/bin/x.made ] || { echo 'a failure is noted as made'; status=1; }
exit "$status"
