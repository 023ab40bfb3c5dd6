#!/bin/sh
# test_what_if.sh LOCKSTEP - the tutorial's what-if pictures: other numbers and widths of banks. By hand, a warp of 32 lanes:
#   5 banks of 4 bytes: 32 words in a row are at most 7 a bank, 7 wavefronts; a column of a 32-wide tile is at banks
#   32 i mod 5 = 2 i mod 5, at most 7 again; so 32 warps have 32 * 6 = 192 conflicts either way.
#   32 banks of 8 bytes: a row is 16 double words, 1 wavefront; a column is at banks 16 i mod 32, which is two of them,
#   16 words each: 32 * 15 = 480 conflicts.
set -u
lockstep=$1
failed=0

# expect BANKS RUNG "LOAD_CONFLICTS LOAD_WAVEFRONTS STORE_CONFLICTS STORE_WAVEFRONTS"
expect() {
    got=$("$lockstep" climb "banks/$2" --banks "$1" --quick | awk -v rung="$2" '$1 == rung {print $8, $9, $10, $11; exit}')
    if [ "$got" != "$3" ]; then
        echo "--banks $1, $2: '$got', expected '$3'"
        failed=1
    fi
}

expect 32x4 setRowReadCol "992 1024 0 32"
expect 5x4 setRowReadRow "192 224 192 224"
expect 5x4 setRowReadCol "192 224 192 224"
expect 32x8 setRowReadRow "0 32 0 32"
expect 32x8 setRowReadCol "480 512 0 32"
# No GPU with such banks was measured.
"$lockstep" climb banks/setRowReadCol --banks 32x8 --quick | grep -q 'took' && { echo "--banks 32x8: a recorded time"; failed=1; }
exit $failed
