# Builds Tapedeck on macOS from the source tarball of a release. Experimental: it was never run (docs/installing.md).
# The release has the checksum in SHA256SUMS.
class Tapedeck < Formula
  desc "Record and replay the Web API of network storage devices"
  homepage "https://github.com/tapedeck/tapedeck"
  url "https://github.com/tapedeck/tapedeck/releases/download/v0.1.0/tapedeck-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "brotli"
  depends_on "cpp-httplib"
  depends_on "fmt"
  depends_on "openssl@3"
  depends_on "re2"
  depends_on "sqlite"
  depends_on "sqlitecpp"
  depends_on "tomlplusplus"
  depends_on "zstd"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DTAPEDECK_TESTS=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tapedeck --version")
    system bin/"tapedeck", "demo"
  end
end
