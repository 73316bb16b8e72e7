#include <algorithm>

#include "http/message/hop_by_hop.h"
#include "replay/recorded/playable.h"
#include "replay/recorded/set_cookie.h"
#include "replay/weblogin/server_keys.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Part;
using scrubbers::Redaction;

/// Returns true for headers that are replayed. Headers in which another replay server described itself are left out,
/// and so is the encoding, because bodies are stored decoded.
bool is_replayed(std::string_view name) {
  return !http::is_servers_own(name) && !http::is_our_own(name) && !http::equal_no_case(name, "Content-Encoding") &&
         !http::equal_no_case(name, "Date");
}

/// Copies pieces of a part's text into the head and moves its rows accordingly.
class HeadBuilder {
 public:
  explicit HeadBuilder(const std::vector<Redaction>& rows) : rows_(rows) {}

  void add(std::string_view text) { head_.text += text; }

  /// Returns true if that text of the part contains a row.
  [[nodiscard]] bool has_row(Part part, std::size_t offset, std::size_t length) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Redaction& row) {
      return row.part == part && row.offset >= offset && row.offset + row.length <= offset + length;
    });
  }

  /// `text` is the text at `offset` of that part.
  void copy(Part part, std::size_t offset, std::string_view text) {
    for (const Redaction& row : rows_) {
      if (row.part != part || row.offset < offset || row.offset + row.length > offset + text.size()) continue;
      head_.rows.push_back({head_.text.size() + row.offset - offset, row.length, row});
    }
    head_.text += text;
  }

  SpliceText take() { return std::move(head_); }

 private:
  const std::vector<Redaction>& rows_;
  SpliceText head_;
};

}  // namespace

SpliceText sent_head(const cassettes::PlayedAnswer& answer, bool secure, const weblogin::ServerKeys* keys) {
  HeadBuilder head(answer.redactions);
  head.add("HTTP/1.1 " + std::to_string(answer.status) + " ");
  const std::string& reason = answer.reason;
  if (std::all_of(reason.begin(), reason.end(), http::is_field_byte)) head.copy(Part::response_reason, 0, reason);
  head.add("\r\n");
  std::size_t offset = 0;
  for (const http::Header& line : *answer.headers) {
    const std::string text = line.name + ": " + line.value;
    if (http::is_safe(line) && is_replayed(line.name)) {
      if (http::equal_no_case(line.name, "Set-Cookie")) {
        for (const auto [begin, end] : kept_of_cookie(text, secure)) {
          const std::string_view piece = std::string_view(text).substr(begin, end - begin);
          const bool has_key = keys != nullptr && begin == 0 && line.value.starts_with("_SSID=") &&
                               head.has_row(Part::response_headers, offset, piece.size());
          if (has_key) {
            head.add(line.name + ": _SSID=" + keys->ssid());
          } else {
            head.copy(Part::response_headers, offset + begin, piece);
          }
        }
      } else {
        head.copy(Part::response_headers, offset, text);
      }
      head.add("\r\n");
    }
    offset += text.size() + 2;
  }
  head.add("X-Tapedeck-Outcome: recorded\r\n");
  SpliceText made = head.take();
  if (!made.rows.empty()) made.origin = answer.origin;
  return made;
}

}  // namespace tapedeck::replay
