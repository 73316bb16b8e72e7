#pragma once
// Content-Encoding off, bounded; and a look into compressed files. What cannot be decoded with certainty is withheld by
// the caller (issue: fail closed).

#include <functional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::scrubbers {

struct DecodedBody {
  bool ok = false;
  std::string body;
  std::string problem;  ///< why not ok; holds nothing of the traffic
};

/// Where a body ends.
enum class BodyEnd {
  whole,     ///< where its sender ended it
  anywhere,  ///< where its reader had enough: what came of a compressed one is decoded as far as it goes
};

/// `body` without what its Content-Encoding lines list: gzip, deflate (zlib or raw), br, zstd, identity, any of them
/// stacked. Not ok: an unknown encoding, a stream that is cut (but where it may end anywhere), damaged or followed by
/// other bytes, more than `most` bytes. An empty body is ok under any encoding.
[[nodiscard]] DecodedBody decode_body(const http::Headers& headers, std::string_view body, std::size_t most,
                                      BodyEnd end = BodyEnd::whole);

/// True for gzip, zip and zstd files by their first bytes.
[[nodiscard]] bool is_compressed_file(std::string_view body);

enum class Inspection { nothing_found, found, too_large };
/// Decodes a compressed file, piece by piece, and asks `holds` about each piece (they overlap by 16 KiB); a compressed
/// file in it, of up to 32 MiB, is decoded as well. What is damaged is looked at as far as it can be decoded. Stops at
/// `most` decoded bytes of a level.
[[nodiscard]] Inspection inspect_compressed_file(std::string_view body, std::size_t most,
                                                 const std::function<bool(std::string_view)>& holds);

/// False for a text whose charset is not written with ASCII's bytes (UTF-16, UTF-32, UTF-7, EBCDIC …), so that names
/// and values in it cannot be found: by the Content-Type's charset or by a byte order mark.
[[nodiscard]] bool has_readable_charset(const http::Headers& headers, std::string_view body);

}  // namespace tapedeck::scrubbers
