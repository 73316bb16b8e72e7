#pragma once
// Writes HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/) for browser tools, Playwright, and other readers.

#include <ostream>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// Writes the entries of several cassettes to one archive, in the order of the calls of add(). URLs are below
/// `base_url`, because a cassette does not store the address of its device. Response bodies that are not Unicode text
/// are written in base64. HAR has no encoding for request bodies, so invalid bytes become U+FFFD, and the member
/// `_base64` has the original bytes.
class HarExport {
 public:
  /// `base_url` must not end with a slash.
  HarExport(std::ostream& out, std::string base_url);
  /// Throws CassetteError or Stopped.
  void add(const cassettes::CassetteReader& cassette, const ExportRange& range);
  /// Writes the end of the archive, which is incomplete without it.
  void end();

 private:
  std::ostream& out_;
  std::string base_url_;
  bool is_first_ = true;
};

}  // namespace tapedeck::tools
