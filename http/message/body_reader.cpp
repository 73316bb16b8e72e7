#include "http/message/body_reader.h"

#include <algorithm>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::http {
namespace {

using base::npos;

/// Extensions of chunks are read and ignored. Legitimate ones are short.
constexpr std::size_t longest_size_line = 1024;
constexpr std::size_t longest_trailers = 16 * 1024;

/// Removes a token from the front. Returns false if there is none.
bool skip_token(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_token_byte);
  const bool is_there = end != text.begin();
  text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
  return is_there;
}
bool skip_quoted(std::string_view& text) {
  for (std::size_t at = 1; at < text.size() && is_field_byte(text[at]); ++at) {
    if (text[at] == '"') {
      text.remove_prefix(at + 1);
      return true;
    }
    if (text[at] == '\\' && ++at < text.size() && !is_field_byte(text[at])) return false;
  }
  return false;
}

/// Returns true for headers that are not allowed in trailers because they frame or route a message (RFC 9110 §6.5.1).
bool frames_a_message(std::string_view name) {
  return equal_no_case(name, "Content-Length") || equal_no_case(name, "Transfer-Encoding") ||
         equal_no_case(name, "Host");
}

/// Matches *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ), and blanks at the end if `takes_blanks` is
/// true.
bool are_extensions(std::string_view text, bool takes_blanks) {
  while (!text.empty()) {
    text = base::trim_front(text);
    if (text.empty()) return takes_blanks;
    if (!text.starts_with(';')) return false;
    text = base::trim_front(text.substr(1));
    if (!skip_token(text)) return false;
    const std::string_view value = base::trim_front(text);
    if (!value.starts_with('=')) continue;
    text = base::trim_front(value.substr(1));
    if (text.starts_with('"') ? !skip_quoted(text) : !skip_token(text)) return false;
  }
  return true;
}

}  // namespace

void append_to_body(std::string& body, std::string_view bytes) {
  constexpr std::size_t long_body = 1u << 20;
  if (body.size() >= long_body && body.capacity() - body.size() < bytes.size()) {
    std::string larger;
    larger.reserve(body.size() + body.size() / 2 + bytes.size());
    larger.append(body);
    body.swap(larger);
  }
  body.append(bytes);
}

Parsed ChunkReader::feed(std::string_view bytes, std::string& body) {
  Parsed parsed;
  while (parsed.state == ParseState::need_more && parsed.used < bytes.size()) {
    const std::string_view rest = bytes.substr(parsed.used);
    if (expects_ == Expects::data) {
      parsed.used += take_data(rest, body);
      continue;
    }
    const std::size_t end = rest.find('\n');
    if (end == npos) {
      parsed.state = judge_partial(rest.size());
      break;
    }
    parsed.used += end + 1;
    const bool ends_well = end > 0 && rest[end - 1] == '\r';
    parsed.state = ends_well ? take_line(rest.substr(0, end - 1)) : ParseState::bad_framing;
  }
  return parsed;
}

std::size_t ChunkReader::take_data(std::string_view bytes, std::string& body) {
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  append_to_body(body, bytes.substr(0, taken));
  left_ -= taken;
  if (left_ == 0) expects_ = Expects::data_end;
  return taken;
}

/// Checks an unfinished line against its maximum length, including the CR.
ParseState ChunkReader::judge_partial(std::size_t length) const {
  if (expects_ == Expects::trailer) {
    const bool fits = trailer_bytes_ + length <= longest_trailers + 1;
    return fits ? ParseState::need_more : ParseState::too_many_trailers;
  }
  const std::size_t longest = expects_ == Expects::size ? longest_size_line : 0;
  return length <= longest + 1 ? ParseState::need_more : ParseState::bad_framing;
}

ParseState ChunkReader::take_line(std::string_view line) {
  switch (expects_) {
    case Expects::size:
      return take_size(line);
    case Expects::trailer:
      return take_trailer(line);
    case Expects::data_end:
    case Expects::data:
      break;
  }
  expects_ = Expects::size;
  return line.empty() ? ParseState::need_more : ParseState::bad_framing;
}

ParseState ChunkReader::take_size(std::string_view line) {
  if (line.size() > longest_size_line) return ParseState::bad_framing;
  std::size_t digits = 0;
  std::uint64_t size = 0;
  for (; digits < line.size() && base::hex_value(line[digits]) >= 0; ++digits) {
    if (size >> 60 != 0) return ParseState::bad_framing;
    size = size * 16 + static_cast<std::uint64_t>(base::hex_value(line[digits]));
  }
  if (digits == 0 || !are_extensions(line.substr(digits), kind_ == Kind::response)) return ParseState::bad_framing;
  if (size > may_come_) return ParseState::too_long;
  may_come_ -= size;
  left_ = size;
  expects_ = size == 0 ? Expects::trailer : Expects::data;
  return ParseState::need_more;
}

ParseState ChunkReader::take_trailer(std::string_view line) {
  if (line.empty()) return ParseState::done;
  std::string_view rest = line;
  if (!skip_token(rest) || !rest.starts_with(':')) return ParseState::bad_framing;
  const std::string_view name = line.substr(0, line.size() - rest.size());
  if (frames_a_message(name)) return ParseState::bad_framing;
  if (!std::all_of(rest.begin(), rest.end(), is_field_byte)) return ParseState::bad_framing;
  trailer_bytes_ += line.size();
  if (trailer_bytes_ > longest_trailers) return ParseState::too_many_trailers;
  return ParseState::need_more;
}

void BodyReader::begin_request(const HeadFacts& facts, std::string& into, std::uint64_t limit) {
  begin(facts, into, Framing::none);
  limit_ = limit;
  chunks_ = ChunkReader(ChunkReader::Kind::request, limit);
}

void BodyReader::begin_takeover(std::string& into) { begin({}, into, Framing::connection); }

/// Implements RFC 9112 §6.3.
void BodyReader::begin_response(const HeadFacts& facts, std::string& into, bool to_head) {
  begin(facts, into, Framing::connection);
  if (to_head || !may_have_body(facts.status)) framing_ = Framing::none;
  limit_ = std::numeric_limits<std::uint64_t>::max();
  chunks_ = ChunkReader(ChunkReader::Kind::response);
}

void BodyReader::begin(const HeadFacts& facts, std::string& into, Framing otherwise) {
  framing_ = facts.chunked ? Framing::chunked : facts.content_length ? Framing::length : otherwise;
  is_done_ = false;
  left_ = facts.content_length.value_or(0);
  body_ = &into;
  body_->clear();
}

Parsed BodyReader::feed(std::string_view bytes) {
  const Parsed parsed = parse(bytes);
  is_done_ = parsed.state == ParseState::done;
  return parsed;
}

Parsed BodyReader::parse(std::string_view bytes) {
  switch (framing_) {
    case Framing::none:
      return {0, ParseState::done};
    case Framing::chunked:
      return chunks_.feed(bytes, *body_);
    case Framing::connection:
      append_to_body(*body_, bytes);
      return {bytes.size(), ParseState::need_more};
    case Framing::length:
      break;
  }
  if (left_ > limit_) return {0, ParseState::too_long};
  const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  append_to_body(*body_, bytes.substr(0, taken));
  left_ -= taken;
  return {taken, left_ == 0 ? ParseState::done : ParseState::need_more};
}

}  // namespace tapedeck::http
