# Creates packages for npm and pip, and the container image. script/package sources this file.

# npm_program FOLDER: adds the static program of this architecture to the npm package in that folder.
npm_program() {
  mkdir -p "$1/programs/linux-$node_arch"
  cp "$work/program" "$1/programs/linux-$node_arch/tapedeck"
  licenses "$1/THIRD-PARTY.txt"
}
# npm_stage FOLDER: copies the npm package there, without programs.
npm_stage() {
  rm -rf "$1"
  mkdir -p "${1%/*}"
  cp -r integrations/npm/tapedeck "$1"
  rm -rf "$1/programs" "$1/.gitignore"
  cp LICENSE "$1/"
}
npm_pack() { npm pack --silent --pack-destination "$dist" "$1" >/dev/null; }

# wheel FOLDER: builds a wheel of a Python project in a copy of its folder.
wheel() {
  (cd "$1" && /usr/bin/python3 -m hatchling build -t wheel -d "$dist" >/dev/null)
  chmod 644 "$dist"/*.whl
}
wheel_program() {
  local staged=$work/wheel
  rm -rf "$staged"
  cp -r packaging/wheel "$staged"
  cp "$work/program" "$staged/tapedeck"
  cp LICENSE "$staged/"
  licenses "$staged/THIRD-PARTY.txt"
  # A static program needs neither glibc nor musl, so it satisfies both tags.
  TAPEDECK_WHEEL_TAG=py3-none-manylinux_2_17_$machine.musllinux_1_1_$machine wheel "$staged"
}
wheel_plugin() {
  rm -rf "$1"
  cp -r integrations/pytest "$1"
  cp LICENSE "$1/"
  wheel "$1"
}

# image_root: creates the files of the image: the static program, the certificates of Debian's authorities, and
# /cassettes.
image_root() {
  local root=$work/image
  rm -rf "$root"
  mkdir -p "$root"/{usr/bin,usr/share/doc/tapedeck,etc/ssl/certs,cassettes,tmp}
  chmod 1777 "$root/tmp" "$root/cassettes"
  cp "$work/program" "$root/usr/bin/tapedeck"
  cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  cp LICENSE "$root/usr/share/doc/tapedeck/"
  licenses "$root/usr/share/doc/tapedeck/THIRD-PARTY.txt"
}
