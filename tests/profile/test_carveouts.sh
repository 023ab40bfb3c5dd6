#!/bin/sh
# test_carveouts.sh LOCKSTEP PROGRAM - each launch has the carve-out that was asked for when it was launched, whatever is asked for later.
set -u
lockstep=$1 program=$2
metric=launch__shared_mem_config_size
for workers in 1 2 4; do
    got=$("$lockstep" profile --quiet --gpu h200 --workers $workers --csv --page raw --print-units base --metrics $metric "$program" |
        sed -n 's/^"[0-9].*"\([0-9,]*\)"$/\1/p' | tr -d , | tr '\n' ' ')
    expected="32768 135168 32768 233472 167936 32768 "
    [ "$got" = "$expected" ] || { echo "$workers workers: '$got', expected '$expected'"; exit 1; }
done
