#include "http/message/body_reader.h"

#include <algorithm>

namespace tapedeck::http {

void BodyReader::begin_request(const HeadFacts& facts, std::string& into, std::uint64_t limit) {
  begin(facts, into, Framing::none);
  limit_ = limit;
  chunks_ = ChunkReader(ChunkReader::Kind::request, limit);
}

/// Implements RFC 9112 §6.3.
void BodyReader::begin_response(const HeadFacts& facts, std::string& into, bool to_head) {
  begin(facts, into, Framing::connection);
  if (to_head || !may_have_body(facts.status)) framing_ = Framing::none;
  limit_ = std::numeric_limits<std::uint64_t>::max();
  chunks_ = ChunkReader(ChunkReader::Kind::response);
}

void BodyReader::begin(const HeadFacts& facts, std::string& into, Framing otherwise) {
  framing_ = facts.chunked ? Framing::chunked : facts.content_length ? Framing::length : otherwise;
  left_ = facts.content_length.value_or(0);
  body_ = &into;
  body_->clear();
}

Parsed BodyReader::feed(std::string_view bytes) {
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
