#!/bin/sh
# mutate.sh CC ARCHIVES - proves that the meter's tests would notice a wrong counting rule.
#
# Each rule in src/meter and src/model that says MUTANT(n, right, wrong) is built once with -DLS_MUTATE=n, and at least one of the tests
# below must then fail. Without a mutation all must pass. ARCHIVES are the built ls_ir, ls_ptx and ls_base, in this order;
# CTest gives them.
set -u
[ $# -ge 2 ] || { echo "usage: mutate.sh CC ARCHIVES" >&2; exit 2; }
cc=$1
shift
libs=$*
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 2
flags="-std=gnu11 -O1 -w -D_GNU_SOURCE -Isrc -Iinclude"
tests="test_sectors test_count test_occupancy test_meter test_estimate test_banks"

# Tests and files without mutants are compiled once.
for t in $tests; do
    $cc $flags -c "tests/unit/meter/$t.c" -o "$work/$t.o" || exit 2
done
$cc $flags -c tests/hw/bank_probe.c -o "$work/bank_probe.o" || exit 2
sources=$(find src/meter src/model -name '*.c')
mutated=$(grep -l 'MUTANT(' $sources)
# The object of a source: two folders may have files of one name.
object() { echo "$work/right_$(echo "$1" | tr / _ | sed 's/c$/o/')"; }
for f in $sources; do
    $cc $flags -c "$f" -o "$(object "$f")" || exit 2
done

# build_and_run OBJECTS: links each test with those objects; 0 when all pass.
build_and_run() {
    for t in $tests; do
        extra=
        [ "$t" = test_banks ] && extra="$work/bank_probe.o"
        $cc "$work/$t.o" $extra "$@" $libs -lcmocka -ljansson -lelf -lxxhash -lm -lpthread -o "$work/$t" || exit 2
        timeout 60 "$work/$t" > "$work/log" 2>&1 || { caught=$t; return 1; }
    done
    return 0
}

if ! build_and_run "$work"/right_*.o; then
    echo "mutate: $caught fails without any mutation:"
    cat "$work/log"
    exit 1
fi

survivors=0 count=0
for f in $mutated; do
    others=$(ls "$work"/right_*.o | grep -vxF "$(object "$f")")
    for n in $(grep -o 'MUTANT([0-9]*' "$f" | cut -d'(' -f2 | sort -n -u); do
        count=$((count + 1))
        $cc $flags -DLS_MUTATE="$n" -c "$f" -o "$work/wrong.o" || exit 2
        if build_and_run "$work/wrong.o" $others; then
            echo "mutate: $f: mutation $n survives: no test fails"
            survivors=$((survivors + 1))
        else
            echo "mutate: $f: mutation $n is caught by $caught"
        fi
    done
done
echo "mutate: $count mutations, $survivors survive"
[ "$count" -ge 30 ] && [ "$survivors" -eq 0 ]
