#!/usr/bin/env bash
# packages.sh - makes the .deb and proves it in bare roots: debootstrap, apt, an example compiled, run, checked, profiled and gated,
# and nothing left behind by a purge (tests/packaging/inside.sh).
#
#     scripts/packages.sh                    Debian 12 and 13
#     scripts/packages.sh bookworm noble     these: bookworm, trixie, noble (Ubuntu 24.04)
#
# The package must have been built on the oldest of them, so this runs on Debian 12. As root, with a network and debootstrap; mounts are in a
# namespace of their own (unshare) and gone afterwards. The bare roots are kept in build/roots.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ "$(id -u)" = 0 ] || die 'making roots needs root'
command -v debootstrap >/dev/null || die 'there is no debootstrap: apt-get install debootstrap'
[ $# -gt 0 ] || set -- bookworm trixie
roots=$root/build/roots
mkdir -p "$roots"

# in_root FOLDER COMMAND...: in that root, with /proc and some devices, in a namespace of mounts.
in_root()
{
    unshare --mount bash -c 'mount -t proc proc "$1/proc" && mount --bind /dev "$1/dev" && cp /etc/resolv.conf "$1/etc/resolv.conf" &&
        exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$@"' - "$@"
}

# Ubuntu's keys come from Debian 13, which has a package of them.
ubuntu_keys()
{
    [ ! -e "$roots/ubuntu.gpg" ] || return 0
    bare trixie
    rm -rf "$roots/keys" && mkdir "$roots/keys" && tar -xf "$roots/trixie.tar" -C "$roots/keys"
    in_root "$roots/keys" sh -c 'apt-get -q update && apt-get -q -y install ubuntu-keyring' >"$roots/keys.log" 2>&1 ||
        die "Ubuntu's keys could not be had ($roots/keys.log)"
    cp "$roots/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg" "$roots/ubuntu.gpg"
    rm -rf "$roots/keys"
}

# bare SUITE: build/roots/SUITE.tar, a root with what every system has and nothing else.
bare()
{
    local suite=$1
    [ ! -e "$roots/$suite.tar" ] || return 0
    say "a bare root of $suite"
    rm -rf "${roots:?}/$suite"
    case $suite in
    noble)
        ubuntu_keys
        debootstrap --variant=minbase --components=main,universe --keyring="$roots/ubuntu.gpg" noble "$roots/noble" \
            http://archive.ubuntu.com/ubuntu /usr/share/debootstrap/scripts/gutsy >"$roots/noble.log" 2>&1
        echo 'deb http://archive.ubuntu.com/ubuntu noble-updates main universe' >>"$roots/noble/etc/apt/sources.list"
        ;;
    *) debootstrap --variant=minbase "$suite" "$roots/$suite" http://deb.debian.org/debian >"$roots/$suite.log" 2>&1 ;;
    esac || die "debootstrap could not make $suite ($roots/$suite.log)"
    tar -cf "$roots/$suite.tar.part" -C "$roots/$suite" .
    mv "$roots/$suite.tar.part" "$roots/$suite.tar"
    rm -rf "${roots:?}/$suite"
}

cpack --preset release >"$roots/cpack.log" 2>&1 || { cat "$roots/cpack.log"; die 'cpack failed: has build/release been built?'; }
packages=(build/release/dist/*.deb)
[ ${#packages[@]} = 1 ] || die "there are several packages in build/release/dist: ${packages[*]}"
for suite; do
    bare "$suite"
    say "$suite: ${packages[0]}"
    rm -rf "$roots/work" && mkdir "$roots/work"
    tar -xf "$roots/$suite.tar" -C "$roots/work"
    mkdir "$roots/work/work"
    cp "${packages[0]}" "$roots/work/work/lockstep.deb"
    cp examples/checkSmemSquare.cu examples/common.h tests/packaging/inside.sh "$roots/work/work"
    cp -r packaging/ci tests/check/check.h "$roots/work/work"
    cp tests/check/shared_write_after_read.cu "$roots/work/work/race.cu"
    in_root "$roots/work" /work/inside.sh || die "the package failed in $suite"
    rm -rf "$roots/work"
done
say "the package works in: $*"
