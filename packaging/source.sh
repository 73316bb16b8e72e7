# Creates the source tarball. script/package sources this file.

# source_tarball: archives the last commit with its date, so that it builds without Git, and with debian/changelog, so that
# dpkg-buildpackage accepts it.
source_tarball() {
  local name=tapedeck-$version changelog
  changelog=$(printf 'tapedeck (%s) bookworm; urgency=medium\n\n  * What is new: NEWS.gz.\n\n -- %s  %s\n.' "$version" \
    "$(sed -n 's/^Maintainer: //p' debian/control)" "$(date -Rd "@$SOURCE_DATE_EPOCH")")
  git -C "$root" archive --format=tar --prefix="$name/" \
    --add-virtual-file="$name/packaging/origin:$SOURCE_DATE_EPOCH $revision"$'\n' \
    --add-virtual-file="$name/debian/changelog:${changelog%.}" HEAD | gzip -9n >"$dist/$name.tar.gz"
}
