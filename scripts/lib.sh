# lib.sh - what the scripts share; sourced, not run. Sets `root` and goes there.

root=$(cd "$(dirname "${BASH_SOURCE[1]}")/.." && pwd)
cd "$root"

say() { printf '== %s\n' "$*"; }

die()
{
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

jobs=$(nproc 2>/dev/null || echo 2)

# build PRESET [cmake options]: configures and builds it, or says which of the two failed.
build()
{
    local preset=$1
    shift
    say "configuring and building build/$preset"
    cmake --preset "$preset" "$@" || die "CMake could not configure the '$preset' preset (its message is above)"
    cmake --build --preset "$preset" --parallel "$jobs" || die "the '$preset' preset did not build (messages above)"
}
