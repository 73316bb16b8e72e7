#include "journal/kept_request.h"

#include <algorithm>

#include "api/json_spans.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::journal {
namespace {

constexpr std::size_t shortest_hidden = 4;

std::vector<HiddenValue> with_spellings(std::span<const HiddenValue> values) {
  std::vector<HiddenValue> spelled;
  const auto add = [&spelled](std::string text, scrubbers::SecretClass secret_class) {
    const auto same = [&text](const HiddenValue& known) { return known.value == text; };
    if (std::none_of(spelled.begin(), spelled.end(), same)) spelled.push_back({std::move(text), secret_class});
  };
  for (const HiddenValue& one : values) {
    if (one.value.size() < shortest_hidden) continue;
    const std::string quoted = api::json_quoted(one.value);
    add(one.value, one.secret_class);
    add(quoted.substr(1, quoted.size() - 2), one.secret_class);
    add(http::percent_encode(one.value), one.secret_class);
  }
  // The longer one of two values that begin at the same place comes first.
  std::stable_sort(spelled.begin(), spelled.end(),
                   [](const HiddenValue& a, const HiddenValue& b) { return a.value.size() > b.value.size(); });
  return spelled;
}

std::size_t bytes_of(const MarkedText& text) {
  return text.text.capacity() + text.marks.capacity() * sizeof(MarkedText::Mark);
}

}  // namespace

MarkedText without_values(std::string_view text, std::span<const HiddenValue> values) {
  const std::vector<HiddenValue> spelled = with_spellings(values);
  std::vector<std::size_t> next(spelled.size());
  for (std::size_t i = 0; i < spelled.size(); ++i) next[i] = text.find(spelled[i].value);
  MarkedText hidden;
  for (std::size_t done = 0;;) {
    const auto first = std::min_element(next.begin(), next.end());
    if (first == next.end() || *first == std::string_view::npos) {
      hidden.text.append(text.substr(done));
      return hidden;
    }
    const HiddenValue& found = spelled[static_cast<std::size_t>(first - next.begin())];
    hidden.text.append(text.substr(done, *first - done));
    const std::string label = scrubbers::placeholder(found.secret_class);
    hidden.marks.push_back({hidden.text.size(), label.size(), found.secret_class});
    hidden.text += label;
    done = *first + found.value.size();
    for (std::size_t i = 0; i < spelled.size(); ++i) {
      if (next[i] < done) next[i] = text.find(spelled[i].value, done);
    }
  }
}

std::size_t KeptRequest::bytes() const {
  return sizeof(KeptRequest) + path.capacity() + left_out.capacity() + headers.capacity() + body.capacity() +
         reason.capacity() + bytes_of(response_headers) + bytes_of(response_body);
}

std::vector<MarkedText::Mark> marks_of(const scrubbers::InteractionRecord& record, scrubbers::Part part) {
  std::vector<MarkedText::Mark> marks;
  for (const scrubbers::Redaction& row : record.redactions) {
    if (row.part == part) marks.push_back({row.offset, row.length, row.secret_class});
  }
  return marks;
}

KeptRequest kept_of(const scrubbers::InteractionRecord& record, std::uint64_t body_bytes) {
  KeptRequest kept;
  if (record.key.is_call) kept.path = http::split_target(record.request.target).path;
  kept.headers = record.request.headers.to_text();
  if (!record.key.is_call) kept.body = record.request.body;
  kept.reason = record.response.reason;
  kept.response_headers = {record.response.headers.to_text(), marks_of(record, scrubbers::Part::response_headers)};
  kept.response_body = {record.response.body, marks_of(record, scrubbers::Part::response_body)};
  kept.body_bytes = body_bytes;
  return kept;
}

}  // namespace tapedeck::journal
