#pragma once
// HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), for browsers' tools, Playwright and whatever reads it.

#include <ostream>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "tools/exchange/in_order.h"

namespace tapedeck::tools {

/// Entries of several cassettes in one archive, in the order of the calls of add(). A cassette does not keep where its
/// device was, so URLs are below `base_url`. What is no Unicode text stands as base64; of a request's body, which HAR
/// has no encoding for, such bytes stand as U+FFFD in it and as base64 in `_base64`.
class HarExport {
 public:
  /// `base_url` without a slash at its end.
  HarExport(std::ostream& out, std::string base_url);
  /// Throws CassetteError, Stopped.
  void add(const cassettes::CassetteReader& cassette, const ExportRange& range);
  /// The archive's end; without it there is none.
  void end();

 private:
  std::ostream& out_;
  std::string base_url_;
  bool is_first_ = true;
};

}  // namespace tapedeck::tools
