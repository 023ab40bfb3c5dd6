#!/usr/bin/env bash
# test_install.sh BUILD SOURCE CLANG: what `cmake --install` makes is moved, and then compiles, runs, checks, profiles and gates an
# example and climbs a ladder, with nothing from the build and nothing in the environment that would lead there.
set -euo pipefail
build=$1 source=$2 clang=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad() { echo "$*"; exit 1; }

cmake --install "$build" --prefix "$work/first" >"$work/install.log" || { cat "$work/install.log"; bad 'cmake --install failed'; }
mkdir "$work/elsewhere"
mv "$work/first" "$work/elsewhere/tree"
tree=$work/elsewhere/tree

# No file says where it was made, or where it was installed first.
for file in "$tree"/lib/lockstep/bin/* "$tree"/lib/lockstep/lib/*; do
    for path in "$build" "$source/src" "$work/first"; do
        ! strings -a "$file" | grep -F "$path" || bad "$file names $path"
    done
    ! readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -vF '[$ORIGIN]' || bad "$file has a path for libraries"
done
! grep -rlF -e "$build" -e "$work/first" "$tree" || bad 'files name a folder of the build'
[ "$(readlink "$tree/bin/lockstep")" = ../lib/lockstep/bin/lockstep ] || bad 'bin/lockstep is no relative link'

# A program of it, through the link, from another folder. LOCKSTEP_CLANG: a clang of another name than the command looks for.
cp "$source/examples/checkSmemSquare.cu" "$source/examples/common.h" "$work/elsewhere"
cd "$work/elsewhere"
lockstep()
{
    env -i PATH="$tree/bin:/usr/bin:/bin" HOME="$work" LOCKSTEP_CLANG="$clang" TMPDIR="$work" lockstep "$@" >"$work/said" 2>&1 ||
        { cat "$work/said"; bad "lockstep $* failed"; }
}
says() { grep -qF -- "$1" "$work/said" || { cat "$work/said"; bad "'$1' is not said"; }; }

lockstep --version
says "lockstep $(sed -n 's/^project(lockstep VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")"
lockstep cc -lineinfo checkSmemSquare.cu -o square
lockstep run ./square
cp "$work/said" "$work/ran"
lockstep check --tool all --error-exitcode 9 ./square
says 'ERROR SUMMARY: 0 errors'
lockstep profile -k setColReadCol --metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum ./square
says ' 992'
lockstep gate record -o square.gate -- ./square
lockstep gate check square.gate
lockstep climb --no-time shuffle
says ' right '
lockstep gpus
"$tree/bin/lockstep-ptxas" --version >/dev/null || bad 'lockstep-ptxas does not start'
[ -s "$tree/share/man/man1/lockstep-check.1" ] || bad "there are no manual pages"
