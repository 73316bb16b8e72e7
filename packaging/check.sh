#!/usr/bin/env bash
# Installs the .deb and unpacks the tarball each in a bare Debian 12, uses them there, and takes them away again: nothing is
# left. Needs root, and the packages of `script/bootstrap package`.
#   packaging/check.sh DIST
set -euo pipefail
dist=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "check: a bare root needs root" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# inside ROOT COMMAND…: runs it there, with /proc, /dev and loopback of its own: there is no other network.
inside() {
  local in=$1
  shift
  unshare --mount --pid --fork --net --kill-child bash -c '
    mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; ip link set lo up 2>/dev/null || true
    exec chroot "$0" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"' "$in" "$@"
}
files() { (cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt \) -prune -o -print | sort); }

# One with the .deb: its dependencies are fetched before, so that the package alone is what comes and goes.
depends=$(dpkg-deb -f "$dist"/tapedeck_*_amd64.deb Depends | sed -E 's/ *\([^)]*\)//g; s/ //g')
mmdebstrap --quiet --variant=essential --include="$depends" bookworm "$work/deb-root"
cp "$dist"/tapedeck_*_amd64.deb "$work/deb-root/tmp/tapedeck.deb"
cp "$here/use.sh" "$work/deb-root/tmp/"
files "$work/deb-root" >"$work/before"
inside "$work/deb-root" dpkg --install /tmp/tapedeck.deb >/dev/null
inside "$work/deb-root" bash /tmp/use.sh tapedeck
[ -e "$work/deb-root/usr/share/bash-completion/completions/tapedeck" ]
inside "$work/deb-root" dpkg --purge tapedeck >/dev/null
files "$work/deb-root" | diff "$work/before" - || { echo "check: the package leaves something" >&2; exit 1; }
echo "check: the .deb is installed, used and purged"

# One with nothing but the tarball, not even OpenSSL's folders.
mmdebstrap --quiet --variant=essential bookworm "$work/tar-root"
cp "$here/use.sh" "$work/tar-root/tmp/"
files "$work/tar-root" >"$work/before"
tar -xzf "$dist"/tapedeck-*-linux-x86_64.tar.gz -C "$work/tar-root/opt"
program=$(cd "$work/tar-root" && echo opt/tapedeck-*-linux-x86_64/tapedeck)
inside "$work/tar-root" ldd "/$program" | sed -E 's/ \(0x[0-9a-f]+\)//; s/^\s+//; s/ =>.*//' | sort |
  diff - <(printf '/lib64/ld-linux-x86-64.so.2\nlibc.so.6\nlibm.so.6\nlinux-vdso.so.1\n')
inside "$work/tar-root" USUAL_CA=/etc/pki/tls/certs/ca-bundle.crt bash /tmp/use.sh "/$program"
rm -r "$work/tar-root/etc/pki"
rm -r "$work/tar-root/opt"/tapedeck-*
files "$work/tar-root" | diff "$work/before" - || { echo "check: the tarball's program leaves something" >&2; exit 1; }
echo "check: the tarball's program is used with glibc alone"
