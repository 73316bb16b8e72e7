#pragma once
// Decodes Content-Encodings and inspects compressed files, within limits. The caller withholds data that cannot be
// decoded with certainty.

#include <functional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::scrubbers {

struct DecodedBody {
  bool ok = false;
  std::string body;
  std::string problem;  ///< reason for a failure; contains no traffic data
};

/// The positions at which a body may end.
enum class BodyEnd {
  whole,     ///< only where its sender ended it
  anywhere,  ///< anywhere, because the client closed it: a compressed body is decoded as far as possible
};

/// Decodes `body` by its Content-Encoding headers: gzip, deflate (zlib or raw), br, zstd, and identity, in any
/// combination. Fails for an unknown encoding, for a stream that is damaged, followed by other bytes, or cut (unless
/// `end` is `anywhere`), and for more than `most` decoded bytes. An empty body is ok under any encoding.
[[nodiscard]] DecodedBody decode_body(const http::Headers& headers, std::string_view body, std::size_t most,
                                      BodyEnd end = BodyEnd::whole);

/// Returns true for gzip, zip, and zstd files, judged by their first bytes.
[[nodiscard]] bool is_compressed_file(std::string_view body);

enum class Inspection { nothing_found, found, too_large };
/// Decodes a compressed file and calls `holds` for each piece; pieces overlap by 16 KiB. Compressed files of up to 32
/// MiB in it are decoded as well, and damaged ones as far as possible. Stops after `most` decoded bytes per level.
[[nodiscard]] Inspection inspect_compressed_file(std::string_view body, std::size_t most,
                                                 const std::function<bool(std::string_view)>& holds);

/// Returns false if names and values cannot be found in a text because its charset is not a superset of ASCII (UTF-16,
/// UTF-32, UTF-7, EBCDIC, …). Looks at the charset of Content-Type and at byte order marks.
[[nodiscard]] bool has_readable_charset(const http::Headers& headers, std::string_view body);

}  // namespace tapedeck::scrubbers
