#!/usr/bin/env bash
# run.sh LOCKSTEP PYTHON [MODULE...] - numba's own tests of its CUDA target on Lockstep, a line a module. PYTHON has the packages
# numba, numba-cuda, cuda-core, numpy, pytest and filecheck (pip install numba-cuda[cu13] pytest filecheck), and a CUDA toolkit is
# there for libNVVM (CUDA_HOME). See ../README.md for what passes.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lockstep=$1 python=$2
shift 2
[ $# -gt 0 ] || set -- array_args array atomics boolean blackscholes complex constmem cooperative_groups device_func fastmath \
    flow_control forall globals gufunc idiv intrinsics laplace localmem mandel math minmax montecarlo multithreads nondet \
    operator powi print random record_dtype recursion reduction sm sync transpose ufuncs userexc vectorize warp_ops stream_api
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
status=0
for module in "$@"; do
    PYTHONPATH=$here timeout 600 "$lockstep" run "$python" -m "numba.cuda.tests.cudapy.test_$module" >"$log" 2>&1
    code=$?
    echo "$module: $(grep -aE '^Ran ' "$log" | tail -1 | sed 's/ in .*//'), $(grep -aE '^(OK|FAILED)' "$log" | tail -1)"
    [ $code = 0 ] || { status=1; grep -aE '^(ERROR|FAIL):' "$log" | sed 's/^/    /'; }
done
exit $status
