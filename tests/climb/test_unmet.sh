#!/bin/sh
# test_unmet.sh LOCKSTEP PTX-DIR - a kernel that does not do what its head says makes the run fail, and says where.
#
# The kernel of one rung is put in place of another: setColReadCol's right results with 32 words a bank, where
# setRowReadRow claims one.
set -u
lockstep=$1 ptx=$2
failed=0
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
sed 's/setColReadCol/setRowReadRow/g' "$ptx/banks-setColReadCol-32x32.ptx" >"$out/banks-setRowReadRow-32x32.ptx"
"$lockstep" climb banks/setRowReadRow --ptx "$out" >"$out/said" 2>&1
status=$?
if [ $status != 1 ]; then
    echo "exit status $status, expected 1"
    failed=1
fi
line='kernels/banks/setRowReadRow.cu:[0-9]*: setRowReadRow: l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum is 992, expected == 0 '
if ! grep -q "^$line" "$out/said"; then
    echo "the unmet expectation is not named:"
    cat "$out/said"
    failed=1
fi
exit $failed
