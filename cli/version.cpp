#include "cli/version.h"

#include <brotli/decode.h>
#include <httplib.h>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include "cassettes/file/sqlite_library.h"
#include "http/io/tls.h"

namespace tapedeck::cli {
namespace {

/// Formats a version number of brotli, which has 12 bits each for major, minor, and patch.
std::string brotli_version() {
  const auto version = BrotliDecoderVersion();
  return fmt::format("{}.{}.{}", version >> 24, version >> 12 & 0xFFF, version & 0xFFF);
}

}  // namespace

std::string version_text() {
  return fmt::format("tapedeck {}\n{}\nSQLite {}, zlib {}, brotli {}, zstd {}, RE2 {}, cpp-httplib {}, Boost {}",
                     TAPEDECK_VERSION, http::tls_library(), cassettes::sqlite_version(), zlibVersion(),
                     brotli_version(), ZSTD_versionString(), TAPEDECK_RE2_VERSION, CPPHTTPLIB_VERSION,
                     TAPEDECK_BOOST_VERSION);
}

}  // namespace tapedeck::cli
