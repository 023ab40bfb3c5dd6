#!/bin/sh
# inside.sh: run in a bare root by scripts/packages.sh, where the package is /work/lockstep.deb and an example lies beside it.
# Installs it with clang, and compiles, runs, checks, profiles and gates the example; then removes all of it again.
set -eu
cd /work
export DEBIAN_FRONTEND=noninteractive HOME=/work/home XDG_CACHE_HOME=/work/home/cache
mkdir -p "$HOME"

# What is on the system, but for what the package manager itself writes down.
list() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /work -o -path /tmp -o -path /var/lib/dpkg \
    -o -path /var/lib/apt -o -path /var/cache -o -path /var/log \) -prune -o -print | sort; }
now() { date +%s; }

apt-get -q update >update.log 2>&1 || { cat update.log; exit 1; }
apt-get -q -y --no-install-recommends install clang-19 >clang.log 2>&1 || { cat clang.log; exit 1; }
list >before
start=$(now)
/work/ci/install.sh ./lockstep.deb >install.log 2>&1 || { cat install.log; exit 1; }
echo "installed after $(($(now) - start)) s: $(lockstep --version | tr '\n' ';')"
lockstep cc -lineinfo checkSmemSquare.cu -o square
lockstep run ./square >ran
lockstep check --tool all --error-exitcode 9 ./square >checked
grep 'ERROR SUMMARY: 0 errors' checked
lockstep profile -k setColReadCol --metrics l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum ./square >profiled
grep ' 992' profiled
lockstep gate record -o square.gate -- ./square >/dev/null
lockstep gate check square.gate
# The steps of the Action and of GitLab's template: a clean program passes, one with a race fails, and so does another's baseline.
ci=/usr/share/lockstep/ci
lockstep cc -g -lineinfo race.cu -o race
$ci/check.sh ./square >/dev/null
! $ci/check.sh ./race >/dev/null || { echo 'check.sh passes a race'; exit 1; }
grep -q '"ruleId"' lockstep-out/findings.sarif
$ci/gate.sh square.gate >/dev/null
! $ci/gate.sh square.gate ./race >/dev/null || { echo 'gate.sh passes another program'; exit 1; }
test -s lockstep-out/gate.md && test -s lockstep-out/gate.xml
echo "the steps of CI pass and fail as they are to"
if lockstep --help | grep -q '^  report '; then
    lockstep report -o square.html ./square && test -s square.html && echo 'a report was written'
fi
! dpkg -V lockstep | grep . || { echo 'files of the package have changed'; exit 1; }
test "$(($(now) - start))" -lt 60 || { echo 'it took a minute or more'; exit 1; }
echo "all of it after $(($(now) - start)) s"

apt-get -q -y purge lockstep >purge.log 2>&1 || { cat purge.log; exit 1; }
apt-get -q -y --purge autoremove >>purge.log 2>&1
list >after
if ! diff before after; then
    echo 'purge left something, or took too much'
    exit 1
fi
echo 'purge left nothing'
