# Builds Tapedeck from this clone: nix-build -E '(import <nixpkgs> { }).callPackage ./packaging/nix/package.nix { }'
# Experimental: it was never evaluated (docs/installing.md).
{ lib, stdenv, cmake, ninja, pkg-config, boost, brotli, cli11, fmt, httplib, nlohmann_json, openssl, re2, sqlite, sqlitecpp
, tomlplusplus, zlib, zstd }:

stdenv.mkDerivation {
  pname = "tapedeck";
  version = "0.1.0";
  src = lib.cleanSource ../..;
  nativeBuildInputs = [ cmake ninja pkg-config ];
  buildInputs = [ boost brotli cli11 fmt httplib nlohmann_json openssl re2 sqlite sqlitecpp tomlplusplus zlib zstd ];
  cmakeFlags = [ "-DTAPEDECK_TESTS=OFF" ];
  doInstallCheck = true;
  installCheckPhase = "$out/bin/tapedeck demo";
  meta = {
    description = "Record and replay the Web API of network storage devices";
    homepage = "https://github.com/tapedeck/tapedeck";
    license = lib.licenses.mit;
    platforms = lib.platforms.unix;
    mainProgram = "tapedeck";
  };
}
