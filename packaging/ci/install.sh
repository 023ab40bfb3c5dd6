#!/bin/sh
# install.sh PACKAGE: Lockstep's .deb, a file or an address (https://...), and clang, on Debian or Ubuntu; as root or with sudo.
set -eu
[ $# = 1 ] || { echo 'usage: install.sh PACKAGE' >&2; exit 2; }
as_root=
[ "$(id -u)" = 0 ] || as_root=sudo
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends "$@"; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder" # apt reads it as a user of its own
apt update
case $1 in
*://*)
    command -v curl >/dev/null || apt install curl ca-certificates
    curl -fsSL -o "$folder/lockstep.deb" "$1"
    ;;
*) cp "$1" "$folder/lockstep.deb" ;;
esac
apt install "$folder/lockstep.deb" clang-19
lockstep --version
