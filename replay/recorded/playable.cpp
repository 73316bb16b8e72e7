#include "replay/recorded/playable.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

#include "base/clock.h"
#include "base/text.h"
#include "http/message/origin_text.h"

namespace tapedeck::replay {
namespace {

using cassettes::CassetteError;
using scrubbers::Part;
using scrubbers::Redaction;

// Limits the size of stand-ins. The reader has checked the rows, but a cassette from another source could still request
// stand-ins that fill the memory.
void check_stand_ins(const std::string& id, const cassettes::PlayedAnswer& answer) {
  constexpr std::size_t longest = 64u << 20;  // for all stand-ins together
  std::size_t sum = 0;
  for (const Redaction& row : answer.redactions) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(row.shape.data(), row.shape.data() + row.shape.size(), length);
    const bool is_bad = error != std::errc() && !row.shape.empty();
    if (is_bad || (sum += std::min(length, longest)) > longest) {
      throw CassetteError(CassetteError::Kind::damaged,
                          "interaction " + id + " contains endless placeholders: the cassette is damaged");
    }
  }
}

std::vector<SpliceRow> rows_of_body(const std::vector<Redaction>& redactions) {
  std::vector<SpliceRow> rows;
  for (const Redaction& row : redactions) {
    if (row.part == Part::response_body) rows.push_back({row.offset, row.length, row});
  }
  return rows;
}

/// Returns the text that replaces a row. `from` is the text that the row's positions refer to.
std::string encoded(const Session& session, const SpliceRow& row, const SpliceText& from) {
  const Redaction& redaction = row.redaction;
  if (redaction.secret_class == scrubbers::SecretClass::private_data) {
    return session.private_text(std::string_view(from.text).substr(row.offset, row.length), redaction.encoding);
  }
  return scrubbers::encode(session.counterpart(redaction, from.origin), redaction.encoding);
}

void append_spliced(std::string& out, const SpliceText& from, const Session& session) {
  std::size_t done = 0;
  for (const SpliceRow& row : from.rows) {
    out.append(from.text, done, row.offset - done);
    out += encoded(session, row, from);
    done = row.offset + row.length;
  }
  out.append(from.text, done);
}

void append_length(std::string& head, std::size_t length) {
  head.append("Content-Length: ").append(std::to_string(length)).append("\r\n");
}

/// Parses a number. One that does not fit the type counts as larger than every body.
std::optional<std::uint64_t> limit_of(std::string_view digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), base::is_digit)) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

/// A response with a session's values: the recorded bytes between the rows, and the values in place of the rows.
struct Spliced {
  explicit Spliced(std::shared_ptr<const Playable> from) : source(std::move(from)) {}

  std::shared_ptr<const Playable> source;
  std::string head;
  std::vector<std::string> values;
  std::vector<std::string_view> pieces;
  std::size_t body_bytes = 0;
  http::BufferCharge charge;

  /// Writes all headers except Content-Length.
  void write_head(const SpliceText& from, std::string_view recorded_line, const Session& session,
                  std::string_view match) {
    constexpr std::size_t other_lines = 192;  // usually enough for Content-Length and X-Tapedeck-Match
    head.reserve(from.text.size() + other_lines);
    append_spliced(head, from, session);
    head += recorded_line;
    if (!match.empty()) head.append("X-Tapedeck-Match: ").append(match).append("\r\n");
  }

  void add_piece(std::string_view piece) {
    if (!piece.empty()) pieces.push_back(piece);
    body_bytes += piece.size();
  }

  void splice(const SpliceText& body, const Session& session) {
    const std::string_view text = body.text;
    values.reserve(body.rows.size());
    pieces.reserve(body.rows.size() * 2 + 1);
    std::size_t done = 0;
    for (const SpliceRow& row : body.rows) {
      add_piece(text.substr(done, row.offset - done));
      add_piece(values.emplace_back(encoded(session, row, body)));
      done = row.offset + row.length;
    }
    add_piece(text.substr(done));
    charge_own(body);
  }

  /// Charges the memory that this response needs besides the recorded bytes, if it is large: inserted values can be
  /// long, and each of many needs an entry here and in the connection's queue.
  void charge_own(const SpliceText& body) {
    constexpr std::size_t worth_charging = 4096;
    if (body_bytes <= body.text.size() + worth_charging && values.size() < 32) return;
    std::size_t own = values.size() * sizeof(std::string) + 2 * pieces.capacity() * sizeof(std::string_view);
    for (const std::string& value : values) own += value.capacity();
    if (own > worth_charging) charge.set(own);
  }

  /// Replaces the recorded body.
  void set_body(std::string body) {
    values.push_back(std::move(body));
    add_piece(values.front());
  }

  /// Leaves only a range of the body, and says so in the head.
  void cut(const ByteRange& wanted) {
    head.replace(0, head.find("\r\n"), "HTTP/1.1 206 Partial Content");
    head.append("Content-Range: bytes ").append(std::to_string(wanted.first)).append("-");
    head.append(std::to_string(wanted.last)).append("/").append(std::to_string(body_bytes)).append("\r\n");
    std::size_t before = 0;
    for (std::string_view& piece : pieces) {
      const std::size_t size = piece.size();
      const std::size_t from = std::clamp<std::size_t>(wanted.first, before, before + size) - before;
      const std::size_t to = std::clamp<std::size_t>(wanted.last + 1, before, before + size) - before;
      piece = piece.substr(from, to - from);
      before += size;
    }
    std::erase_if(pieces, [](std::string_view piece) { return piece.empty(); });
    body_bytes = wanted.last + 1 - wanted.first;
  }
};

}  // namespace

std::optional<ByteRange> range_in(std::string_view header, std::uint64_t size) {
  constexpr std::string_view unit = "bytes=";
  if (!base::equal_no_case(header.substr(0, unit.size()), unit)) return std::nullopt;
  const std::string_view range = header.substr(unit.size());
  const std::size_t dash = range.find('-');
  if (dash == std::string_view::npos || size == 0) return std::nullopt;
  const std::string_view from = range.substr(0, dash), to = range.substr(dash + 1);
  const auto first = limit_of(from), last = limit_of(to);
  if (from.empty()) {
    if (!last || *last == 0) return std::nullopt;
    return ByteRange{size - std::min(*last, size), size - 1};
  }
  if (!first || *first >= size || (!to.empty() && (!last || *last < *first))) return std::nullopt;
  return ByteRange{*first, std::min(last.value_or(size - 1), size - 1)};
}

Playable::Playable(cassettes::PlayedAnswer answer, bool secure, const weblogin::ServerKeys* keys)
    : number_(answer.number),
      id_(std::move(answer.id)),
      segment_(answer.segment),
      divides_(answer.divides),
      error_code_(answer.error_code),
      status_(answer.status),
      begins_session_(answer.begins_session),
      recorded_us_(answer.recorded_us),
      waited_us_(answer.waited_us),
      recorded_line_("X-Tapedeck-Recorded-At: " + base::rfc3339(answer.recorded_us) + "\r\n"),
      has_length_(http::may_have_body(answer.status)) {
  check_stand_ins(id_, answer);
  const bool may_name_device = !answer.device.empty() && http::is_text(*answer.headers, answer.body);
  if (may_name_device && http::OriginText(answer.device).is_in(answer.body)) device_ = answer.device;
  head_ = sent_head(answer, secure, keys);
  body_.rows = rows_of_body(answer.redactions);
  body_.text = std::move(answer.body);
  if (!body_.rows.empty()) body_.origin = answer.origin;
  if (!has_length_ && status_ != http::switching_protocols) body_ = {};
  whole_body_ = body_.text;
  if (!head_.rows.empty() || !body_.rows.empty()) return;
  whole_head_ = head_.text + recorded_line_;
  if (has_length_) append_length(whole_head_, body_.text.size());
}

std::size_t Playable::bytes() const {
  return sizeof(Playable) + head_.text.size() + whole_head_.size() + recorded_line_.size() + body_.text.size() +
         (head_.rows.size() + body_.rows.size()) * (sizeof(SpliceRow) + 64);
}

http::PreparedReply Playable::prepare(const Session& session, std::string_view match) const {
  if (!whole_head_.empty() && match.empty()) {
    return {whole_head_, std::span(&whole_body_, whole_body_.empty() ? 0 : 1), shared_from_this()};
  }
  const auto spliced = std::make_shared<Spliced>(shared_from_this());
  spliced->write_head(head_, recorded_line_, session, match);
  spliced->splice(body_, session);
  if (has_length_) append_length(spliced->head, spliced->body_bytes);
  return {spliced->head, spliced->pieces, spliced};
}

http::PreparedReply Playable::prepare_head(const Session& session, std::string_view match) const {
  const auto spliced = std::make_shared<Spliced>(shared_from_this());
  spliced->write_head(head_, recorded_line_, session, match);
  return {spliced->head, {}, spliced};
}

std::optional<http::PreparedReply> Playable::prepare_range(const Session& session, std::string_view match,
                                                           std::string_view range) const {
  const auto spliced = std::make_shared<Spliced>(shared_from_this());
  spliced->splice(body_, session);
  const auto wanted = range_in(range, spliced->body_bytes);
  if (!wanted) return std::nullopt;
  spliced->write_head(head_, recorded_line_, session, match);
  spliced->cut(*wanted);
  append_length(spliced->head, spliced->body_bytes);
  return http::PreparedReply{spliced->head, spliced->pieces, spliced};
}

http::PreparedReply Playable::prepare_body(const Session& session, std::string_view match, std::string body) const {
  const auto spliced = std::make_shared<Spliced>(shared_from_this());
  spliced->write_head(head_, recorded_line_, session, match);
  spliced->set_body(std::move(body));
  append_length(spliced->head, spliced->body_bytes);
  return {spliced->head, spliced->pieces, spliced};
}

http::PreparedReply Playable::prepare_unchanged(const Session& session, std::string_view match) const {
  const auto spliced = std::make_shared<Spliced>(shared_from_this());
  spliced->write_head(head_, recorded_line_, session, match);
  spliced->head.replace(0, spliced->head.find("\r\n"), "HTTP/1.1 304 Not Modified");
  return {spliced->head, {}, spliced};
}

std::size_t Playable::sent_place(const Session& session, std::size_t place) const {
  std::size_t sent = place;
  for (const SpliceRow& row : body_.rows) {
    if (row.offset + row.length > place) break;
    sent += encoded(session, row, body_).size() - row.length;
  }
  return sent;
}

bool Playable::has_validator(std::string_view validator) const {
  if (validator.empty() || validator.starts_with("W/")) return false;
  return header("ETag") == validator || header("Last-Modified") == validator;
}

bool Playable::has_tag(std::string_view tags) const {
  const auto opaque = [](std::string_view tag) { return tag.starts_with("W/") ? tag.substr(2) : tag; };
  const std::string_view own = opaque(header("ETag"));
  if (base::trim(tags) == "*") return true;
  while (!own.empty() && !tags.empty()) {
    if (opaque(base::trim(base::take_until(tags, ','))) == own) return true;
  }
  return false;
}

std::string_view Playable::header(std::string_view name) const {
  std::string_view rest = head_.text;
  static_cast<void>(base::take_until(rest, '\n'));
  while (!rest.empty()) {
    std::string_view line = base::take_until(rest, '\n');
    const std::string_view value = line.substr(std::min(line.find(':') + 1, line.size()));
    if (http::equal_no_case(base::take_until(line, ':'), name)) return base::trim(value, " \t\r");
  }
  return {};
}

std::string Playable::body_for(const Session& session) const {
  std::string body;
  append_spliced(body, body_, session);
  return body;
}

}  // namespace tapedeck::replay
