#!/bin/sh
# Compiles through ccache: compile.sh COMPILER ARGUMENTS… Hashes paths relative to the source folder, so that all clones and
# build folders share compiled files. Replaces a precompiled header of 110 MB by a checksum that is written once, beside it;
# otherwise ccache would read the header for every file, which takes a second.
export CCACHE_BASEDIR="${0%/cmake/compile.sh}" CCACHE_NOHASHDIR=1 CCACHE_PCH_EXTSUM=1
export CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
header= previous=
for argument; do
  case $previous$argument in
    -o*.gch) header=$argument ;;
  esac
  previous=$argument
done
# In a build without a home folder, ccache has no place for its files.
cache=${CCACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache}
mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ] || exec "$@"
# ccache would take an earlier header for an input of the new one.
[ -z "$header" ] || rm -f "$header" "$header.sum"
ccache "$@" || exit
[ -z "$header" ] || sha256sum <"$header" >"$header.sum"
