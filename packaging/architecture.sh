# Defines the names of an architecture, and Debian's packages for it. script/package sources this file.

# for_architecture amd64|arm64 BUILD: sets the variables of the other functions. An architecture other than this machine's
# is compiled in `sysroot`, a folder with Debian's packages of that architecture; for this machine, `sysroot` is empty.
for_architecture() {
  arch=$1 build=$2-$1 work=$2-$1-packages
  case "$arch" in
    amd64) machine=x86_64 node_arch=x64 ;;
    arm64) machine=aarch64 node_arch=arm64 ;;
    *) echo "package: no packages are made for $arch" >&2; exit 1 ;;
  esac
  libraries="libsqlitecpp-dev libsqlite3-dev libssl-dev zlib1g-dev libbrotli-dev libzstd-dev libre2-dev
    libcpp-httplib-dev libboost1.81-dev nlohmann-json3-dev libcli11-dev libfmt-dev libtomlplusplus-dev"
  inside="$libraries libc6-dev libstdc++-12-dev libgcc-12-dev"  # of the static program
  if [ "$arch" = "$(dpkg --print-architecture)" ]; then
    sysroot='' compiler=g++ strip=strip
  else
    sysroot=$build-sysroot compiler=$machine-linux-gnu-g++ strip=$machine-linux-gnu-strip
  fi
}

# apt_for ARCHITECTURE COMMAND…: runs apt-get with lists and caches in $work/apt, as on a machine without packages.
apt_for() {
  local for=$1 folder=$work/apt
  shift
  if [ ! -e "$folder/status" ]; then
    mkdir -p "$folder/parts" "$folder/lists/partial" "$folder/cache/archives/partial"
    sed 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources >"$folder/parts/debian.sources"
    : >"$folder/status"
    apt_for "$for" update
  fi
  apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$folder/parts" -o "Dir::State::Lists=$folder/lists" \
    -o "Dir::State::Status=$folder/status" -o "Dir::Cache=$folder/cache" -o "APT::Architecture=$for" -o "APT::Architectures=$for" \
    -o APT::Install-Recommends=false -o APT::Sandbox::User=root -o pkgCacheGen::ForceEssential=none "$@"
}

# make_sysroot: unpacks the libraries and their dependencies there. Runs no script of a package.
make_sysroot() {
  local file link
  [ -n "$sysroot" ] && [ ! -e "$sysroot/done" ] || return 0
  rm -rf "$sysroot"
  mkdir -p "$sysroot/usr/lib"
  ln -s usr/lib "$sysroot/lib"
  apt_for "$arch" install --download-only $inside >/dev/null
  for file in "$work"/apt/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar -xC "$sysroot" --keep-directory-symlink
  done
  # Absolute links lead to this machine's folders.
  find "$sysroot" -type l -lname '/*' -print | while read -r link; do
    ln -sfr "$sysroot$(readlink "$link")" "$link"
  done
  touch "$sysroot/done"
}

# versions: prints name, version, and architecture of the packages in the static program, one per line, separated by
# tabs.
versions() {
  local format='${Package}\t${Version}\t${Architecture}\n' name
  if [ -z "$sysroot" ]; then
    dpkg-query -Wf "$format" $inside
  else
    for name in $inside; do dpkg-deb -W --showformat="$format" "$work/apt/cache/archives/$name"_*.deb; done
  fi | sort
}

# newest: prints the same for the newest versions in the release, without those of other packages.
newest() {
  apt_for "$arch" update
  apt_for "$arch" -s install $inside | sed -nE 's/^Inst ([^ :]+)[^ ]* \(([^ ]+) .*/\1\t\2/p' |
    grep -E "^($(echo $inside | sed 's/[+.]/\\&/g; s/ /|/g'))"$'\t' | sort
}

# compare_versions FIRST SECOND WHAT: fails if the files, with lines "name<tab>version", have different versions, and prints both.
compare_versions() {
  local differing
  differing=$(join -t $'\t' "$1" "$2" | awk -F '\t' '$2 != $3 {print "  " $1 ": " $2 " and " $3}')
  [ -z "$differing" ] || { printf 'package: %s\n%s\n' "$3" "$differing" >&2; return 1; }
  cut -f1 "$1" | diff - <(cut -f1 "$2") >&2 || { echo "package: $3: other libraries" >&2; return 1; }
}

# check_versions BUILD: fails unless the static program contains the newest libraries of the release, the same ones for all
# architectures. It gets security updates only when it is built from them.
check_versions() {
  local first
  versions | cut -f1,2 >"$work/versions"
  newest >"$work/newest"
  compare_versions "$work/versions" "$work/newest" "the static program for $arch would contain the first, and the newest is the second"
  # A package that was only compiled again for one architecture has a suffix like +b1.
  sed -E 's/\+b[0-9]+$//' "$work/versions" >"$work/sources"
  for first in "$1"-*-packages/sources; do
    compare_versions "$first" "$work/sources" "the programs of two architectures would contain different versions"
  done
}

# make_archives: creates static libraries that Debian does not have in $build-archives, from the sources of the
# installed packages: libcpp-httplib.a, libfmt.a, and, from its headers, libtomlplusplus.a.
make_archives() {
  local folder=$build-archives name version
  [ ! -e "$folder/done" ] || return 0
  rm -rf "$folder"
  mkdir -p "$folder"
  for name in libcpp-httplib-dev libfmt-dev; do
    if [ -z "$sysroot" ]; then
      version=$(dpkg-query -Wf '${source:Package}=${source:Version}' $name)
    else
      version=$(dpkg-deb -W --showformat='${source:Package}=${source:Version}' "$work/apt/cache/archives/$name"_*.deb)
    fi
    (cd "$folder" && apt_for "$arch" source "$version" >/dev/null)
  done
  (cd "$folder"/cpp-httplib-*/ && python3 ./split.py -o ../split >/dev/null)
  cmp "$folder/split/httplib.h" "$sysroot/usr/include/httplib.h"
  printf '#define TOML_IMPLEMENTATION\n#include <toml++/toml.h>\n' >"$folder/toml.cc"
  (cd "$folder" && archive cpp-httplib split/httplib.cc -Isplit $(pkg-config --cflags cpp-httplib)
    archive fmt "$(echo fmtlib-*/src/format.cc)" && archive tomlplusplus toml.cc -DTOML_HEADER_ONLY=0)
  touch "$folder/done"
}

# archive NAME FILE FLAGS…: creates libNAME.a from one file.
archive() {
  local hardening=(-fstack-protector-strong -fstack-clash-protection -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  [ "$arch" != amd64 ] || hardening+=(-fcf-protection=full)
  ${TAPEDECK_LOCK:-} $compiler ${sysroot:+"--sysroot=$sysroot"} -std=c++20 -O2 -fPIC "${hardening[@]}" "-ffile-prefix-map=$PWD=." \
    ${sysroot:+"-ffile-prefix-map=$sysroot="} "${@:3}" -c "$2" -o "$1.o"
  ar rcD "lib$1.a" "$1.o"
}
