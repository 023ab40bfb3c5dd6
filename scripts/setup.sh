#!/usr/bin/env bash
# setup.sh - installs what Lockstep's build needs and this machine lacks (Debian 12 or later, Ubuntu 24.04 or later).
#
#     scripts/setup.sh         what demo.sh and test.sh need
#     scripts/setup.sh --ci    and what the fuzzers and tools/check-format.sh need
#     scripts/setup.sh --peers and PoCL, with which bench/peers.sh compares
#
# As root or through sudo. Asks nothing, does nothing when nothing is missing, and looks for commands and libraries
# rather than packages, so a machine that has them from elsewhere is left alone. docs/dependencies.md says what each
# is for.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

ci=no peers=no
for argument; do
    case $argument in
    --ci) ci=yes ;;
    --peers) peers=yes ;;
    *) die "unknown argument '$argument'; usage: scripts/setup.sh [--ci] [--peers]" ;;
    esac
done

# clang compiles the kernels to PTX. 19 is what we test with; any from 16 on knows the GPUs that we compile for.
clang_versions='19 20 21 22 18 17 16'

have() { command -v "$1" >/dev/null 2>&1; }
have_library() { have pkg-config && pkg-config --exists "$1"; }
have_libc() { [ -e /usr/include/stdio.h ]; }

clang_found()
{
    local v
    for v in $clang_versions; do
        if have "clang-$v"; then
            echo "$v"
            return
        fi
    done
}

have_fuzzer()
{
    local v dir
    v=$(clang_found)
    [ -n "$v" ] || return 1
    dir=$("clang-$v" -print-resource-dir) || return 1
    [ -n "$(find "$dir" -name 'libclang_rt.fuzzer*.a' -print -quit 2>/dev/null)" ]
}

# Prints the packages whose content is missing, one a line; clang and its runtime as the words `clang`, `clang-rt`.
missing()
{
    have gcc || echo gcc
    have_libc || echo libc6-dev
    have cmake || echo cmake
    have ninja || echo ninja-build
    have pkg-config || echo pkg-config
    have python3 || echo python3
    have_library cmocka || echo libcmocka-dev
    have_library jansson || echo libjansson-dev
    have_library libzstd || echo libzstd-dev
    have_library liblz4 || echo liblz4-dev
    have_library libxxhash || echo libxxhash-dev
    have_library libelf || echo libelf-dev
    have_library libdw || echo libdw-dev
    have_library libedit || echo libedit-dev
    [ -n "$(clang_found)" ] || echo clang
    if [ "$ci" = yes ]; then
        have_fuzzer || echo clang-rt
        have clang-format-19 || echo clang-format-19
    fi
    if [ "$peers" = yes ]; then
        [ -e /usr/include/CL/cl.h ] || echo opencl-c-headers
        have_library OpenCL || echo ocl-icd-opencl-dev
        [ -e /etc/OpenCL/vendors/pocl.icd ] || echo pocl-opencl-icd
    fi
}

can_be_had() { apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { ok = 1 } END { exit !ok }'; }

# The newest clang that this distribution offers, 19 first.
clang_offered()
{
    local v
    for v in $clang_versions; do
        if can_be_had "clang-$v"; then
            echo "$v"
            return
        fi
    done
}

# Turns the words of missing() into package names.
packages()
{
    local p v
    v=$(clang_found)
    [ -n "$v" ] || v=$(clang_offered)
    for p in $1; do
        case $p in
        clang) echo "clang-${v:-19}" ;;
        clang-rt) echo "libclang-rt-${v:-19}-dev" ;;
        *) echo "$p" ;;
        esac
    done
}

# as_root COMMAND...: runs it as root.
as_root()
{
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 "$@"; }

check_cmake()
{
    local version
    version=$(cmake --version | sed -n '1s/[^0-9]*//p')
    printf '3.25\n%s\n' "$version" | sort -V -C ||
        die "CMake $version is too old: 3.25 or later is needed (Debian 12 and Ubuntu 24.04 have it)"
}

lacking=$(missing)
if [ -z "$lacking" ]; then
    check_cmake
    say 'nothing to install'
    exit 0
fi
list=$(echo $lacking)

name=$(. /etc/os-release 2>/dev/null && echo "${PRETTY_NAME:-$ID}") || name=unknown
have apt-get || die "this system ($name) has no apt-get; install these and run the script again: $list" \
    '(docs/dependencies.md has what each is)'
if [ "$(id -u)" != 0 ] && ! have sudo; then
    die "these packages are missing: $list. Installing them needs root, and there is no sudo here; run as root:" \
        "scripts/setup.sh"
fi

say "missing: $list"
apt update || die 'apt-get update failed: is there a network, and are the package sources right? (messages above)'

wanted=$(packages "$lacking")
for p in $wanted; do
    can_be_had "$p" ||
        die "the package '$p' is not in the package sources of this system ($name);" \
            'if apt-get update complained above, that is why; on Ubuntu, is the "universe" component switched on?'
done
# ca-certificates, documentation and other recommendations are not needed.
apt install -y --no-install-recommends $wanted ||
    die "apt-get could not install: $(echo $wanted) (messages above)"

lacking=$(missing)
[ -z "$lacking" ] || die "still missing after the installation: $(echo $lacking)"
check_cmake
say "installed: $(echo $wanted)"
