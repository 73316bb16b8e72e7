#include "journal/kept_request.h"

#include <algorithm>

#include "api/json_spans.h"
#include "http/message/urlencoded.h"

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
         reason.capacity() + bytes_of(answer_headers) + bytes_of(answer);
}

}  // namespace tapedeck::journal
