#!/usr/bin/env bash
# Installs and uses the packages in bare roots, where nothing else is installed, and removes them again without traces. Needs
# root, and the packages of `script/bootstrap package`. docs/installing.md lists the results.
#   packaging/check.sh DIST [STEP…]
# Steps: source, dynamic, bullseye, bookworm, trixie (Debian 11 to 13), busybox, npm, wheel, image, arm64. Runs all without one.
set -euo pipefail
dist=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" -eq 0 ] || { echo "check: a bare root needs root" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
busybox=$(command -v busybox)
qemu=$(command -v qemu-aarch64-static)
names='nas.example nas6.example dns.example'
says() { echo "check: $*"; }

# inside ROOT COMMAND…: runs a command in the root, with /proc, /dev, and a network of loopback and a name server. Passes on
# NAMES and similar variables.
inside() {
  local in=$1
  shift
  unshare --mount --pid --fork --net --kill-child bash -c '
    mount -t proc proc "$1/proc"; mount --bind /dev "$1/dev"; ip link set lo up
    python3 "$0/dns.py" & exec chroot "${@:1}"' "$here" "$in" /tmp/busybox env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LACKS="${LACKS:-}" \
    USUAL_CA="${USUAL_CA:-}" NAMES="${NAMES:-}" "$@"
}
use_inside() { inside "$1" /tmp/busybox sh /tmp/use.sh /tmp/busybox /tmp "${@:2}"; }
# prepare ROOT: copies use.sh and busybox into its /tmp, and adds names of loopback to its /etc/hosts (other names are
# in DNS).
prepare() {
  mkdir -p "$1"/{tmp,proc,dev,etc,opt}
  cp "$busybox" "$here/use.sh" "$1/tmp/"
  printf '127.0.0.1 localhost nas.example\n::1 nas6.example\n' >"$1/etc/hosts"
  echo nameserver 127.0.0.1 >"$1/etc/resolv.conf"
}
files() {
  (cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
    -o -path ./var/lib/dpkg -o -path ./var/lib/apt \) -prune -o -print | sort)
}
# use_deb ROOT FILE: installs, uses, and purges a package.
use_deb() {
  local package
  package=$(dpkg-deb -f "$2" Package)
  prepare "$1"
  cp "$2" "$1/tmp/package.deb"
  files "$1" >"$work/before"
  inside "$1" /usr/bin/dpkg --install /tmp/package.deb >/dev/null
  NAMES=$names use_inside "$1" tapedeck
  [ -e "$1/usr/share/bash-completion/completions/tapedeck" ]
  inside "$1" /usr/bin/dpkg --purge "$package" >/dev/null
  files "$1" | diff "$work/before" - || { says "$package leaves something" >&2; exit 1; }
}
# unpack_tarball MACHINE FOLDER
unpack_tarball() { mkdir -p "$2" && tar -xzf "$dist"/tapedeck-*-linux-"$1".tar.gz -C "$2" --strip-components=1; }

# Builds the source tarball as a user without a home folder, in a root that has what debian/control names, but no network.
check_source() {
  local name needed
  name=$(find "$dist" -name 'tapedeck-*.tar.gz' -printf '%f\n' | sed -nE 's/^(tapedeck-[0-9.]+)\.tar\.gz$/\1/p')
  needed=$(tar -xzOf "$dist/$name.tar.gz" "$name/debian/control" | sed -n '/^Build-Depends:/,/^[A-Z]/{s/^ //; s/ (.*//; s/,$//; /^[a-z]/p}' | paste -sd,)
  mmdebstrap --quiet --variant=buildd --include="$needed,lintian" bookworm "$work/source"
  prepare "$work/source"
  mkdir -m 1777 "$work/source/sources"
  tar -xzf "$dist/$name.tar.gz" -C "$work/source/sources"
  chown -R 65534:65534 "$work/source/sources"
  inside "$work/source" /usr/sbin/chroot --userspec=65534:65534 / /usr/bin/env HOME=/nonexistent /bin/sh -c \
    "cd /sources/$name && dpkg-buildpackage -b -us -uc && lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs ../*.changes" \
    >"$work/said" 2>&1 || { tail -40 "$work/said"; exit 1; }
  cp "$work"/source/sources/tapedeck_*.deb "$work/built.deb"
  use_deb "$work/source" "$work/built.deb"
  rm -rf "${work:?}/source"
  says "the source tarball builds a .deb without a network, which is installed, used, and purged"
}
check_dynamic() {
  local file depends
  file=$(ls "$dist"/tapedeck_*_amd64.deb)
  # Its dependencies are installed before, so that only the package itself is installed and purged.
  depends=$(dpkg-deb -f "$file" Depends | sed -E 's/ *\([^)]*\)//g; s/ //g')
  mmdebstrap --quiet --variant=essential --include="$depends" bookworm "$work/dynamic"
  use_deb "$work/dynamic" "$file"
  says "the .deb for Debian 12 is installed, used and purged"
}
check_release() {
  # These are name service modules that the static program must not load.
  mmdebstrap --quiet --variant=essential --include=libnss-mdns,libnss-myhostname "$1" "$work/$1"
  printf 'hosts: mdns4_minimal [NOTFOUND=return] myhostname files dns\n' >"$work/$1/etc/nsswitch.conf"
  use_deb "$work/$1" "$(ls "$dist"/tapedeck-static_*_amd64.deb)"
  rm -rf "${work:?}/$1"
  says "the static .deb is installed, used and purged in $1"
}
check_bullseye() { check_release bullseye; }
check_bookworm() { check_release bookworm; }
check_trixie() { check_release trixie; }

check_busybox() {
  prepare "$work/bare"
  unpack_tarball x86_64 "$work/bare/opt"
  files "$work/bare" >"$work/before"
  NAMES=$names use_inside "$work/bare" /opt/tapedeck
  USUAL_CA=/etc/pki/tls/certs/ca-bundle.crt use_inside "$work/bare" /opt/tapedeck
  rm -r "$work/bare/etc/pki"
  files "$work/bare" | diff "$work/before" - || { says "the tarball's program leaves something" >&2; exit 1; }
  says "the tarball's program is used with nothing but busybox"
}

check_npm() {
  mkdir "$work/project"
  (cd "$work/project" && echo '{"private":true}' >package.json
    npm install --offline --no-audit --no-fund --loglevel=error "$dist"/tapedeck-tapedeck-*.tgz
    unset TAPEDECK_BIN
    npx --no-install tapedeck demo) >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
  says "npx runs demo in a fresh project"
}
check_wheel() {
  /usr/bin/python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install -q --no-index "$dist"/tapedeck_bin-*x86_64*.whl
  "$work/venv/bin/tapedeck" demo >"$work/said" 2>&1 || { cat "$work/said"; exit 1; }
  says "pip installs the program in a fresh environment, where demo runs"
}

# use_image ARCHITECTURE OPTIONS…: uses the image in a container as uid 65534 with a read-only root. Only the
# container's system calls are made in it.
use_image() {
  local bundle=$work/bundle-$1 folder=$work/shared-$1
  skopeo copy --quiet --override-arch "$1" "oci-archive:$(ls "$dist"/tapedeck-*-image.tar)" "oci:$work/layout-$1:image"
  umoci unpack --image "$work/layout-$1:image" "$bundle" 2>/dev/null
  mkdir -m 1777 "$bundle/runs" "$folder"
  chmod 755 "$bundle"
  cp "$busybox" "$folder/busybox"  # the command of exec
  # crun supports control groups of one version only.
  unshare --mount --pid --mount-proc --fork --net --kill-child sh -c '
    ip link set lo up; mount -t cgroup2 none /sys/fs/cgroup; exec "$@"' sh \
    "$busybox" sh "$here/use.sh" "$folder/busybox" "$folder" python3 "$here/container.py" "${@:2}" "$bundle" "$folder"
}
check_image() {
  use_image amd64
  says "the image is used with crun"
}

# This machine cannot start programs for arm64 directly, so `demo`, which starts its own program, is left out.
check_arm64() {
  prepare "$work/arm64"
  unpack_tarball aarch64 "$work/arm64/opt"
  cp "$qemu" "$work/arm64/tmp/qemu"
  LACKS=demo NAMES=$names use_inside "$work/arm64" /tmp/qemu /opt/tapedeck
  says "the tarball's program for arm64 is used under qemu"
  LACKS=demo use_image arm64 --interpreter "$qemu"
  says "the image for arm64 is used with crun under qemu"
}

[ $# -gt 0 ] || set -- source dynamic bullseye bookworm trixie busybox npm wheel image arm64
for step in "$@"; do "check_$step"; done
