# Creates the packages for Debian and the tarball. script/package sources this file.

maintainer=$(sed -n 's/^Maintainer: //p' debian/control)

# needed PROGRAM: prints the libraries and the glibc versions that it needs (GLIBC_ABI_DT_RELR is from 2.36).
needed() {
  readelf -d "$1" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | sort
  readelf -V "$1" | grep -oE 'GLIBC_2[0-9.]+' | sort -uV | tail -1
  readelf -V "$1" | sed -nE 's/.*(GLIBC_ABI_[A-Z_]+).*/\1/p' | sort -u
}

# licenses FILE: writes the licenses of the libraries in the static program, from Debian's packages.
licenses() {
  local name version
  { printf 'The program contains parts of these Debian packages. glibc is under the LGPL: to link the program with\n'
    printf 'another version of it, run script/package in the source of this version of Tapedeck.\n\n'
    while IFS=$'\t' read -r name version _; do
      printf '==== %s %s\n\n' "$name" "$version"
      cat "$sysroot/usr/share/doc/$name/copyright"
      printf '\n'
    done < <(versions); } >"$1"
}

# stage FOLDER: installs there as cmake does, with compressed pages.
stage() {
  rm -rf "$1"
  DESTDIR=$1 cmake --install "$build" >/dev/null
  gzip -9n "$1"/usr/share/man/man1/*.1
}
same_dates() { find "$1" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +; }

# deb_documents FOLDER: writes license and changes, as Debian's policy requires.
deb_documents() {
  cp debian/copyright "$1/copyright"
  { printf 'tapedeck (%s) bookworm; urgency=medium\n\n' "$version"
    printf '  * What is new: NEWS.gz.\n\n -- %s  %s\n' "$maintainer" "$(date -Rd "@$SOURCE_DATE_EPOCH")"
  } | gzip -9n >"$1/changelog.gz"
  gzip -9nc "$1/CHANGELOG.md" >"$1/NEWS.gz"
  rm "$1/CHANGELOG.md" "$1/LICENSE"
}

# pack_deb FOLDER PACKAGE FIELD…: creates a package from a staged folder.
pack_deb() {
  local file=$dist/$2_${version}_$arch.deb
  mkdir -p "$1/DEBIAN"
  { printf '%s\n' "Package: $2" "Version: $version" "Architecture: $arch" "Maintainer: $maintainer" 'Homepage: https://github.com/tapedeck/tapedeck' \
      "Installed-Size: $(du -sk --apparent-size "$1/usr" | cut -f1)" "${@:3}" 'Section: devel' 'Priority: optional'
    cat <<'TEXT'
Description: record and replay the Web API of network storage devices
 A proxy that records what a storage device answers over its Device Management
 Web API, with all secrets replaced, and replays it without the device: for
 front ends, tests and CI jobs.
TEXT
  } >"$1/DEBIAN/control"
  (cd "$1" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  same_dates "$1"
  dpkg-deb --root-owner-group -Zxz --build "$1" "$file" >/dev/null
  lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs "$file"
}

# dynamic_deb: creates the package for Debian 12, which uses Debian's libraries.
dynamic_deb() {
  local staged=$work/deb depends
  stage "$staged"
  $strip "$staged/usr/bin/tapedeck"
  needed "$staged/usr/bin/tapedeck" | diff "packaging/needs-$arch.txt" - ||
    { echo "package: the program needs something else than packaging/needs-$arch.txt says" >&2; return 1; }
  deb_documents "$staged/usr/share/doc/tapedeck"
  depends=$(depends_of "$build/tapedeck")
  [ -n "$depends" ] || { echo "package: dpkg-shlibdeps found nothing" >&2; return 1; }
  pack_deb "$staged" tapedeck "Depends: $depends" 'Conflicts: tapedeck-static'
}

# depends_of PROGRAM: prints the packages that contain its libraries. For another architecture, creates dpkg's database
# of the sysroot from the unpacked packages.
depends_of() {
  local admin=/var/lib/dpkg file name
  rm -rf "$work/shlibs"
  mkdir -p "$work/shlibs/debian"
  printf 'Source: tapedeck\n\nPackage: tapedeck\nArchitecture: %s\n' "$arch" >"$work/shlibs/debian/control"
  if [ -n "$sysroot" ]; then
    admin=$work/shlibs/dpkg
    mkdir -p "$admin/info" "$admin/updates"
    echo 1 >"$admin/info/format"
    for file in "$work"/apt/cache/archives/*.deb; do
      dpkg-deb --ctrl-tarfile "$file" | tar -xO ./shlibs >"$work/shlibs/one" 2>/dev/null || continue
      name=$(dpkg-deb -W --showformat='${Package}:${Architecture}' "$file")
      mv "$work/shlibs/one" "$admin/info/$name.shlibs"
      dpkg-deb --ctrl-tarfile "$file" | tar -xO ./symbols >"$admin/info/$name.symbols" 2>/dev/null || true
      dpkg-deb --fsys-tarfile "$file" | tar -t | sed "s|/\$||; s|^\./lib/|./usr/lib/|; s|^\.|$sysroot|" >"$admin/info/$name.list"
      { dpkg-deb -f "$file"; printf 'Status: install ok installed\n\n'; } >>"$admin/status"
    done
    find "$admin/info" -empty -delete
  fi
  (cd "$work/shlibs" && DEB_HOST_ARCH=$arch dpkg-shlibdeps --admindir="$admin" ${sysroot:+"-l$sysroot/usr/lib/$machine-linux-gnu"} \
    -O "$1" 2>"$work/shlibs/said" | sed -n 's/^shlibs:Depends=//p')
}

# static_deb: creates the package for every other release, which needs no library.
static_deb() {
  local staged=$work/static-deb
  stage "$staged"
  cp "$work/program" "$staged/usr/bin/tapedeck"
  mv "$staged/usr/share/doc/tapedeck" "$staged/usr/share/doc/tapedeck-static"
  deb_documents "$staged/usr/share/doc/tapedeck-static"
  licenses "$work/third-party"
  gzip -9nc "$work/third-party" >"$staged/usr/share/doc/tapedeck-static/THIRD-PARTY.gz"
  # The package says so itself, and script/package fails if a library inside is not the newest.
  mkdir -p "$staged/usr/share/lintian/overrides"
  cat >"$staged/usr/share/lintian/overrides/tapedeck-static" <<'TEXT'
# This package exists for systems that lack Debian's libraries: it contains them, and needs none.
tapedeck-static: statically-linked-binary [usr/bin/tapedeck]
tapedeck-static: shared-library-lacks-prerequisites [usr/bin/tapedeck]
tapedeck-static: embedded-library *
TEXT
  pack_deb "$staged" tapedeck-static 'Recommends: ca-certificates' \
    'Conflicts: tapedeck' 'Replaces: tapedeck' 'Provides: tapedeck'
}

# static_program: creates $work/program, which needs no library.
static_program() {
  $strip -o "$work/program" "$build/tapedeck_static"
  ! readelf -d "$work/program" | grep -q NEEDED && ! readelf -l "$work/program" | grep -q INTERP ||
    { echo "package: the static program needs libraries" >&2; return 1; }
}

tarball() {
  licenses "$work/third-party"
  pack_tarball "$work" "tapedeck-$version-linux-$machine" "$work/program" "$build/pages" "$work/third-party"
}

# pack_tarball FOLDER NAME PROGRAM PAGES LICENSES: creates the tarball NAME from a folder of that name in FOLDER.
pack_tarball() {
  local staged=$1/$2
  rm -rf "$staged"
  mkdir -p "$staged/completions"
  cp "$3" "$staged/tapedeck"
  cp -r "$4/man1" "$staged/"
  cp packaging/completions/tapedeck "$staged/completions/tapedeck.bash"
  cp packaging/completions/_tapedeck packaging/completions/tapedeck.fish "$staged/completions/"
  cp LICENSE CHANGELOG.md "$staged/"
  cp "$5" "$staged/THIRD-PARTY.txt"
  same_tar "$1" "$2" | gzip -9n >"$dist/$2.tar.gz"
}

# same_tar FOLDER NAME…: writes a tar archive whose bytes depend only on names, modes, and contents.
same_tar() {
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=gnu -cf - "${@:2}"
}
