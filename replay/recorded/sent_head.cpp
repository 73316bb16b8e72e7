#include <algorithm>
#include <array>
#include <charconv>

#include "http/message/hop_by_hop.h"
#include "replay/recorded/playable.h"

namespace tapedeck::replay {
namespace {

using scrubbers::Part;
using scrubbers::Redaction;

/// What another replay server said of itself, if one was recorded, is not said of this one. Bodies are stored decoded,
/// so their encoding is gone; their length is ours.
bool is_replayed(std::string_view name) {
  constexpr std::array<std::string_view, 3> not_replayed = {"Content-Length", "Content-Encoding", "Date"};
  return !http::is_hop_by_hop(name) && !http::binds_browsers(name) && !http::is_our_own(name) &&
         std::none_of(not_replayed.begin(), not_replayed.end(),
                      [name](std::string_view other) { return http::equal_no_case(name, other); });
}

bool is_control(char c) { return (c >= '\0' && c < ' ' && c != '\t') || c == '\x7f'; }

/// A stranger's cassette must not write lines of its own into the head.
bool is_safe(const http::Header& line) {
  const auto is_name = [](char c) { return c > ' ' && c < '\x7f' && c != ':'; };
  return !line.name.empty() && std::all_of(line.name.begin(), line.name.end(), is_name) &&
         std::none_of(line.value.begin(), line.value.end(), is_control);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

/// "Wed, 21 Oct 2015 …" and "Wed, 21-Oct-15 …": the first number of four digits, or nothing.
std::optional<int> year_of(std::string_view date) {
  for (std::size_t at = 0; at + 4 <= date.size(); ++at) {
    int year = 0;
    const auto [end, error] = std::from_chars(date.data() + at, date.data() + at + 4, year);
    if (error == std::errc() && end == date.data() + at + 4) return year;
  }
  return std::nullopt;
}

/// One `; name=value` of a Set-Cookie line: [begin, end) from the semicolon on.
struct Attribute {
  std::size_t begin = 0, end = 0;
  std::string_view name, value;
};

std::vector<Attribute> attributes(std::string_view line) {
  std::vector<Attribute> found;
  for (std::size_t at = line.find(';'); at < line.size();) {
    const std::size_t end = std::min(line.find(';', at + 1), line.size());
    const std::string_view piece = line.substr(at + 1, end - at - 1);
    const std::size_t equals = std::min(piece.find('='), piece.size());
    found.push_back(
        {at, end, trimmed(piece.substr(0, equals)), trimmed(piece.substr(std::min(equals + 1, piece.size())))});
    at = end;
  }
  return found;
}

/// A cookie is deleted by a lifetime that is over. No clock is asked: devices write 0, or a date at the epoch.
bool is_deletion(const std::vector<Attribute>& all) {
  return std::any_of(all.begin(), all.end(), [](const Attribute& one) {
    if (http::equal_no_case(one.name, "Max-Age")) return one.value.starts_with('-') || one.value == "0";
    return http::equal_no_case(one.name, "Expires") && year_of(one.value).value_or(9999) < 2000;
  });
}

bool loses(const Attribute& one, bool deletion, bool secure) {
  if (http::equal_no_case(one.name, "Domain")) return true;
  if (http::equal_no_case(one.name, "Secure")) return !secure;
  return !deletion && (http::equal_no_case(one.name, "Expires") || http::equal_no_case(one.name, "Max-Age"));
}

/// Copies pieces of a part's text into the head and carries the rows in them along.
class HeadBuilder {
 public:
  explicit HeadBuilder(const std::vector<Redaction>& rows) : rows_(rows) {}

  void add(std::string_view text) { head_.text += text; }

  /// `text` is what stands at `offset` of that part.
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

void copy_cookie(HeadBuilder& head, std::size_t offset, std::string_view line, bool secure) {
  const std::vector<Attribute> all = attributes(line);
  const bool deletion = is_deletion(all);
  head.copy(Part::response_headers, offset, line.substr(0, line.find(';')));
  for (const Attribute& one : all) {
    if (loses(one, deletion, secure)) continue;
    head.copy(Part::response_headers, offset + one.begin, line.substr(one.begin, one.end - one.begin));
  }
}

}  // namespace

std::shared_ptr<const SpliceText> SentHeads::of(const cassettes::PlayedAnswer& answer) {
  constexpr std::size_t most_kept = 256;
  constexpr std::size_t longest_kept = 4096;
  const auto make = [&] {
    return std::make_shared<const SpliceText>(
        sent_head(answer.status, answer.reason, *answer.headers, answer.redactions, secure_));
  };
  const bool is_plain = std::all_of(answer.redactions.begin(), answer.redactions.end(),
                                    [](const Redaction& row) { return row.part == Part::response_body; });
  if (!is_plain) return make();
  const auto known = plain_.find(answer.header_set);
  if (known != plain_.end() && known->second.status == answer.status && known->second.reason == answer.reason) {
    return known->second.head;
  }
  auto head = make();
  if (head->text.size() > longest_kept) return head;
  if (plain_.size() >= most_kept) plain_.clear();
  plain_[answer.header_set] = {answer.status, answer.reason, head};
  return head;
}

SpliceText sent_head(int status, std::string_view reason, const http::Headers& headers,
                     const std::vector<Redaction>& rows, bool secure) {
  HeadBuilder head(rows);
  head.add("HTTP/1.1 " + std::to_string(std::clamp(status, 100, 999)) + " ");
  if (std::none_of(reason.begin(), reason.end(), is_control)) head.copy(Part::response_reason, 0, reason);
  head.add("\r\n");
  std::size_t offset = 0;
  for (const http::Header& line : headers) {
    const std::string text = line.name + ": " + line.value;
    if (is_safe(line) && is_replayed(line.name)) {
      if (http::equal_no_case(line.name, "Set-Cookie")) {
        copy_cookie(head, offset, text, secure);
      } else {
        head.copy(Part::response_headers, offset, text);
      }
      head.add("\r\n");
    }
    offset += text.size() + 2;
  }
  head.add("X-Tapedeck-Outcome: recorded\r\n");
  return head.take();
}

}  // namespace tapedeck::replay
