#include "scrubbers/text/decode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/decode_stream.h"
#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

using base::Coding;
using base::decode_stream;
using base::Sink;
using base::StreamEnd;
using base::StreamResult;
using base::trim;

// Returns the names in all Content-Encoding headers, in the order in which they were applied.
std::vector<std::string> encodings_of(const http::Headers& headers) {
  std::vector<std::string> names;
  for (std::string_view line : headers.all("Content-Encoding")) {
    while (!line.empty()) {
      const std::size_t comma = line.find(',');
      const std::string_view name = trim(line.substr(0, comma));
      if (!name.empty()) names.push_back(base::fold(name));
      line = comma == std::string_view::npos ? std::string_view{} : line.substr(comma + 1);
    }
  }
  return names;
}

DecodedBody problem(std::string text) { return {false, {}, std::move(text)}; }

// Decodes a whole body with one coding. gzip and zstd bodies may consist of several members.
DecodedBody decode_all(Coding coding, std::string_view name, std::string_view body, std::size_t most, BodyEnd end) {
  DecodedBody decoded;
  const Sink sink = [&](std::string_view piece) {
    if (decoded.body.size() + piece.size() > most) return false;
    decoded.body += piece;
    return true;
  };
  const bool members = coding == Coding::gzip || coding == Coding::zstd;
  std::string_view rest = body;
  do {
    const StreamResult result = decode_stream(coding, rest, sink);
    switch (result.end) {
      case StreamEnd::whole:
        break;
      case StreamEnd::cut:
        if (end == BodyEnd::anywhere) return {true, std::move(decoded.body), {}};
        return problem("a body in " + std::string(name) + " that is cut");
      case StreamEnd::damaged:
        return problem("a body that is not " + std::string(name) + " as its header says");
      case StreamEnd::stopped:
        return problem("a body that decodes to more than the limit");
    }
    rest.remove_prefix(result.used);
  } while (members && !rest.empty());
  if (!rest.empty()) return problem("bytes behind the end of a body in " + std::string(name));
  decoded.ok = true;
  return decoded;
}

// RFC 9110 requires the zlib format for deflate, but some servers send a raw stream.
DecodedBody decode_deflate(std::string_view body, std::size_t most, BodyEnd end) {
  DecodedBody decoded = decode_all(Coding::zlib, "deflate", body, most, end);
  if (decoded.ok) return decoded;
  DecodedBody raw = decode_all(Coding::raw_deflate, "deflate", body, most, end);
  return raw.ok ? raw : decoded;
}

DecodedBody decode_one(std::string_view name, std::string_view body, std::size_t most, BodyEnd end) {
  if (name == "gzip" || name == "x-gzip") return decode_all(Coding::gzip, "gzip", body, most, end);
  if (name == "deflate") return decode_deflate(body, most, end);
  if (name == "br") return decode_all(Coding::brotli, "br", body, most, end);
  if (name == "zstd") return decode_all(Coding::zstd, "zstd", body, most, end);
  return problem("an unknown Content-Encoding");
}

constexpr std::string_view gzip_magic("\x1f\x8b", 2);
constexpr std::string_view zip_magic("PK\x03\x04", 4);
constexpr std::string_view zstd_magic("\x28\xb5\x2f\xfd", 4);

Inspection inspect(std::string_view body, std::size_t most, const std::function<bool(std::string_view)>& holds,
                   bool looks_inside);

// Passes decoded data to a callback in overlapping windows, so that a value across two pieces is found.
class Windows {
 public:
  Windows(std::size_t most, const std::function<bool(std::string_view)>& holds, bool looks_inside)
      : most_(most), holds_(holds), looks_inside_(looks_inside) {}

  // Returns true if the stream may continue.
  bool take(std::string_view piece) {
    taken_ += piece.size();
    window_ += piece;
    keep_inner(piece);
    if (window_.size() >= window_size) look();
    return !found_ && taken_ <= most_;
  }
  void end_of_stream() {
    look();
    look_inside();
    window_.clear();
    inner_.clear();
  }
  [[nodiscard]] bool done() const { return found_ || too_large_ || taken_ > most_; }
  [[nodiscard]] Inspection result() const {
    if (found_) return Inspection::found;
    return too_large_ || taken_ > most_ ? Inspection::too_large : Inspection::nothing_found;
  }

 private:
  static constexpr std::size_t window_size = 2u << 20;
  static constexpr std::size_t overlap = 16 * 1024;

  void look() {
    found_ = found_ || holds_(window_);
    if (window_.size() > overlap) window_.erase(0, window_.size() - overlap);
  }

  // Keeps decoded data while it may be a compressed file itself.
  void keep_inner(std::string_view piece) {
    constexpr std::size_t magic = 4;
    constexpr std::size_t largest = 32u << 20;
    if (!looks_inside_ || too_large_ || (inner_.size() >= magic && !is_compressed_file(inner_))) return;
    inner_ += piece;
    if (inner_.size() >= magic && !is_compressed_file(inner_)) inner_.resize(magic);
    too_large_ = inner_.size() > largest;
  }
  void look_inside() {
    if (found_ || too_large_ || !is_compressed_file(inner_)) return;
    const Inspection inside = inspect(inner_, most_, holds_, false);
    found_ = inside == Inspection::found;
    too_large_ = inside == Inspection::too_large;
  }

  std::size_t most_;
  const std::function<bool(std::string_view)>& holds_;
  bool looks_inside_;
  bool too_large_ = false;
  std::string inner_;
  std::string window_;
  std::size_t taken_ = 0;
  bool found_ = false;
};

std::uint16_t little16(std::string_view text, std::size_t at) {
  return static_cast<std::uint16_t>(static_cast<std::uint8_t>(text[at]) | static_cast<std::uint8_t>(text[at + 1]) << 8);
}

// Finds entries by their local headers. The central directory may be wrong or cut off.
void inspect_zip(std::string_view body, const Sink& sink, Windows& windows) {
  constexpr std::size_t header_size = 30;
  constexpr int deflated = 8;
  for (std::size_t at = 0; !windows.done(); at += zip_magic.size()) {
    at = body.find(zip_magic, at);
    if (at == std::string_view::npos || body.size() - at < header_size) return;
    const std::size_t begin = at + header_size + little16(body, at + 26) + little16(body, at + 28);
    if (little16(body, at + 8) != deflated || begin >= body.size()) continue;
    static_cast<void>(decode_stream(Coding::raw_deflate, body.substr(begin), sink));
    windows.end_of_stream();
  }
}

std::string_view charset_of(std::string_view folded_type) {
  const std::size_t at = folded_type.find("charset=");
  if (at == std::string_view::npos) return {};
  std::string_view value = folded_type.substr(at + 8);
  value = trim(value.substr(0, value.find(';')));
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

bool is_ascii_based(std::string_view charset) {
  static constexpr std::array<std::string_view, 16> beginnings{
      "utf-8", "utf8",  "us-ascii", "ascii", "iso-8859-", "iso8859", "latin", "windows-125",
      "cp125", "koi8-", "gb2312",   "gbk",   "gb18030",   "big5",    "euc-",  "shift_jis"};
  return charset.empty() || std::any_of(beginnings.begin(), beginnings.end(),
                                        [&](std::string_view beginning) { return charset.starts_with(beginning); });
}

Inspection inspect(std::string_view body, std::size_t most, const std::function<bool(std::string_view)>& holds,
                   bool looks_inside) {
  Windows windows(most, holds, looks_inside);
  const Sink sink = [&windows](std::string_view piece) { return windows.take(piece); };
  if (body.starts_with(zip_magic)) {
    inspect_zip(body, sink, windows);
    return windows.result();
  }
  const Coding coding = body.starts_with(gzip_magic) ? Coding::gzip : Coding::zstd;
  while (!body.empty() && !windows.done()) {
    const StreamResult result = decode_stream(coding, body, sink);
    if (result.end != StreamEnd::whole) break;
    body.remove_prefix(result.used);
  }
  windows.end_of_stream();
  return windows.result();
}

}  // namespace

DecodedBody decode_body(const http::Headers& headers, std::string_view body, std::size_t most, BodyEnd end) {
  DecodedBody decoded{true, std::string(body), {}};
  const std::vector<std::string> encodings = encodings_of(headers);
  if (encodings.size() > 5) return problem("more than five Content-Encodings");
  for (auto name = encodings.rbegin(); name != encodings.rend(); ++name) {
    if (*name == "identity" || decoded.body.empty()) continue;
    decoded = decode_one(*name, decoded.body, most, end);
    if (!decoded.ok) return decoded;
  }
  if (decoded.body.size() > most) return problem("a body that is larger than the limit");
  return decoded;
}

bool is_compressed_file(std::string_view body) {
  return body.starts_with(gzip_magic) || body.starts_with(zip_magic) || body.starts_with(zstd_magic);
}

Inspection inspect_compressed_file(std::string_view body, std::size_t most,
                                   const std::function<bool(std::string_view)>& holds) {
  return inspect(body, most, holds, true);
}

bool has_readable_charset(const http::Headers& headers, std::string_view body) {
  constexpr std::string_view utf16_little("\xff\xfe", 2);
  constexpr std::string_view utf16_big("\xfe\xff", 2);
  constexpr std::string_view utf32_big("\0\0\xfe\xff", 4);
  const std::string folded = base::fold(headers.first("Content-Type").value_or(""));
  const bool media = folded.starts_with("image/") || folded.starts_with("audio/") || folded.starts_with("video/");
  if (body.empty() || media) return true;
  if (!is_ascii_based(charset_of(folded))) return false;
  const bool binary = folded.starts_with("application/octet-stream");
  if (!binary && (body.starts_with(utf16_little) || body.starts_with(utf16_big) || body.starts_with(utf32_big))) {
    return false;
  }
  // Recognizes UTF-16 without a byte order mark by `{` and a zero byte, in either order.
  const std::string_view head = body.substr(0, 4);
  const bool wide = head.size() == 4 && ((head[1] == '\0' && head[3] == '\0' && head[0] != '\0') ||
                                         (head[0] == '\0' && head[2] == '\0' && head[1] != '\0'));
  const auto opens = [&](char c) { return head.find(c) != std::string_view::npos; };
  return !(wide && (opens('{') || opens('[') || opens('"')));
}

}  // namespace tapedeck::scrubbers
