#pragma once
// The six texts of an interaction in which something is found and replaced.

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"
#include "scrubbers/redaction.h"
#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {

struct InteractionRecord;

inline constexpr std::size_t part_count = 6;
[[nodiscard]] constexpr std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }

/// By Part: the target, header texts (Headers::to_text), bodies without their Content-Encoding, the reason phrase.
/// Views into the messages, which must stay as they are for as long as their texts are looked at.
class Texts {
 public:
  explicit Texts(const http::Request& request);
  Texts(const http::Request& request, const http::Response& response);
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  [[nodiscard]] std::string_view operator[](Part part) const { return texts_[index_of(part)]; }
  void forget(Part part) { texts_[index_of(part)] = {}; }

 private:
  std::string request_headers_, response_headers_;
  std::array<std::string_view, part_count> texts_;
};

/// Puts a text in the place of one of the record's.
void set_text(InteractionRecord& record, Part part, std::string text);

/// What stands in each part, by Part.
template <class T>
using ByPart = std::array<std::vector<T>, part_count>;
[[nodiscard]] ByPart<Redaction> rows_by_part(const InteractionRecord& record);
/// Replaces the spots in the record, whose texts and rows the others are; its rows and the ends of its stream events
/// are right afterwards. `describe` and `word` as in replace(). Returns whether anything was replaced.
bool replace_in(InteractionRecord& record, const Texts& texts, ByPart<Spot> spots, const ByPart<Redaction>& rows,
                const std::function<Redaction(const Spot&)>& describe, const Word& word = {});

}  // namespace tapedeck::scrubbers
