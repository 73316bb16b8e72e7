#include "scrubbers/interaction_texts.h"

#include <utility>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

void put_back(Texts&& texts, const std::array<bool, std::tuple_size_v<Texts>>& changed, InteractionRecord& record) {
  const auto taken = [&texts](Part part) { return std::move(texts[index_of(part)]); };
  record.request.target = taken(Part::request_target);
  if (changed[index_of(Part::request_headers)]) {
    record.request.headers = http::Headers::from_text(text_of(texts, Part::request_headers));
  }
  record.request.body = taken(Part::request_body);
  record.response.reason = taken(Part::response_reason);
  if (changed[index_of(Part::response_headers)]) {
    record.response.headers = http::Headers::from_text(text_of(texts, Part::response_headers));
  }
  record.response.body = taken(Part::response_body);
}

}  // namespace tapedeck::scrubbers
