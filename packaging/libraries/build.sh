#!/usr/bin/env bash
# Compiles libraries from Debian's sources, for another system or another C++ library than that of Debian's packages.
#   packaging/libraries/build.sh SOURCES PREFIX LIBRARY… -- CMAKE-OPTION…
# SOURCES gets the files of sources.txt, which has their checksums, and PREFIX the libraries. Does nothing if PREFIX was built
# from the same files with the same compiler. LIBRARY is a source package of Debian, or tomlplusplus, whose source is in its
# installed headers. openssl needs CC, AR, RANLIB, and OPENSSL_TARGET.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" "$2"
sources=$(cd "$1" && pwd) prefix=$(cd "$2" && pwd)
shift 2
libraries=()
while [ "$1" != -- ]; do libraries+=("$1"); shift; done
shift

# fetch SOURCE: gets its files from Debian's servers, or those of npm:NAME from its registry, and compares their checksums.
fetch() {
  local sum place file server
  while read -r sum place; do
    file=${place##*/}
    case "$place" in npm:*) file=${place#npm:@}; file=$(tr '/@' '--' <<<"$file").tgz ;; esac
    [ -e "$sources/$file" ] || case "$place" in
      npm:*) (cd "$sources" && npm pack --silent "${place#npm:}" >/dev/null) ;;
      *)
        for server in $(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources); do
          case "$server" in *security*) server=${server%/}/pool/updates ;; *) server=${server%/}/pool ;; esac
          ! curl -fsSL --retry 3 -o "$sources/$file" "$server/$place" 2>/dev/null || break
        done ;;
    esac
    [ "$(sha256sum <"$sources/$file")" = "$sum  -" ] ||
      { rm -f "$sources/$file"; echo "libraries: $place was not found, or has another checksum than in packaging/libraries/sources.txt" >&2; return 1; }
  done < <(grep -E "/$1_|npm:@$1/" "$here/sources.txt")
}

# unpack SOURCE: unpacks its files, and applies Debian's patches if they are listed.
unpack() {
  local file patch
  rm -rf "${sources:?}/$1"
  mkdir "$sources/$1"
  cd "$sources/$1"
  for file in "../$1"_*.orig.tar.*; do tar -xf "$file" --strip-components=1; done
  for file in "../$1"_*.debian.tar.*; do
    [ -e "$file" ] || continue
    tar -xf "$file"
    while read -r patch _; do
      case "$patch" in '' | '#'*) ;; *) patch -s -p1 <"debian/patches/$patch" ;; esac
    done <debian/patches/series
  done
  case "$1" in
    sqlite3) env -u CC -u AR -u RANLIB ./configure >/dev/null && make -s sqlite3.c >/dev/null ;;
    cpp-httplib) python3 ./split.py -o split >/dev/null ;;
    re2)  # Debian's sources lack the tables of Unicode.
      for file in casefold groups; do python3 "re2/make_unicode_$file.py" >"re2/unicode_$file.cc"; done
      perl re2/make_perl_groups.pl >re2/perl_groups.cc ;;
  esac
  cd - >/dev/null
}

if [ "${libraries[0]}" = compiler ]; then
  fetch zigc
  exit 0
fi
stamp=$({ cat "$here"/* ${CC:+"$CC"}; echo "${libraries[*]} $*"; } | sha256sum)
[ "$stamp" != "$(cat "$prefix/stamp" 2>/dev/null)" ] || exit 0
rm -rf "${prefix:?}"/*
for library in "${libraries[@]}"; do
  [ "$library" != tomlplusplus ] || continue
  fetch "$library"
  unpack "$library"
  [ "$library" = openssl ] || continue
  (cd "$sources/openssl"
    ./Configure "$OPENSSL_TARGET" no-shared no-tests no-engine no-dso no-module no-ui-console -DOPENSSL_NO_APPLE_CRYPTO_RANDOM \
      -g0 -O2 -w --prefix="$prefix" --libdir=lib --openssldir=/etc/ssl >/dev/null
    make -s -j "$(nproc)" build_generated libcrypto.a libssl.a >/dev/null
    mkdir -p "$prefix/lib" "$prefix/include"
    cp libcrypto.a libssl.a "$prefix/lib/"
    cp -r include/openssl "$prefix/include/")
done
cmake -S "$here" -B "$prefix/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE='-O2 -DNDEBUG' \
  -DCMAKE_CXX_FLAGS_RELEASE='-O2 -DNDEBUG' -DSOURCES="$sources" "-DLIBRARIES=$(IFS=';'; echo "${libraries[*]}")" \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib "$@" >/dev/null
cmake --build "$prefix/build"
cmake --install "$prefix/build" >/dev/null
echo "$stamp" >"$prefix/stamp"
