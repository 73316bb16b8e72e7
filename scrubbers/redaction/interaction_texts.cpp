#include "scrubbers/redaction/interaction_texts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

Texts::Texts(const http::Request& request)
    : request_headers_(request.headers.to_text()), texts_{request.target, request_headers_, request.body} {}

Texts::Texts(const http::Request& request, const http::Response& response) : Texts(request) {
  response_headers_ = response.headers.to_text();
  texts_[index_of(Part::response_reason)] = response.reason;
  texts_[index_of(Part::response_headers)] = response_headers_;
  texts_[index_of(Part::response_body)] = response.body;
}

std::vector<HeaderLine> header_lines(std::string_view text) {
  std::vector<HeaderLine> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\r\n", at), text.size());
    const std::size_t colon = std::min(text.find(": ", at), end);
    lines.push_back({at, colon, std::min(colon + 2, end), end});
    at = end + 2;
  }
  return lines;
}

void set_text(InteractionRecord& record, Part part, std::string text) {
  switch (part) {
    case Part::request_target:
      record.request.target = std::move(text);
      break;
    case Part::request_headers:
      record.request.headers = http::Headers::from_text(text);
      break;
    case Part::request_body:
      record.request.body = std::move(text);
      break;
    case Part::response_reason:
      record.response.reason = std::move(text);
      break;
    case Part::response_headers:
      record.response.headers = http::Headers::from_text(text);
      break;
    case Part::response_body:
      record.response.body = std::move(text);
      break;
  }
}

ByPart<Redaction> rows_by_part(const InteractionRecord& record) {
  ByPart<Redaction> rows;
  for (const Redaction& row : record.redactions) rows.at(index_of(row.part)).push_back(row);
  return rows;
}

bool replace_in(InteractionRecord& record, const Texts& texts, ByPart<Spot> spots, const ByPart<Redaction>& rows,
                const std::function<Redaction(const Spot&)>& describe, const Word& word) {
  bool changed = false;
  record.redactions.clear();
  for (std::size_t i = 0; i < part_count; ++i) {
    const auto part = static_cast<Part>(i);
    const std::vector<Spot> wanted = without_overlaps(std::move(spots[i]), rows[i]);
    if (wanted.empty()) {
      record.redactions.insert(record.redactions.end(), rows[i].begin(), rows[i].end());
      continue;
    }
    Replaced replaced = replace(texts[part], part, wanted, rows[i], describe, word);
    if (part == Part::response_body) {
      for (api::StreamEvent& event : record.events) event.end = replaced.place_of(event.end);
    }
    set_text(record, part, std::move(replaced.text));
    std::move(replaced.rows.begin(), replaced.rows.end(), std::back_inserter(record.redactions));
    changed = true;
  }
  return changed;
}

}  // namespace tapedeck::scrubbers
