#pragma once
// The six texts of an interaction in which values are found and replaced.

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/redaction/replace.h"

namespace tapedeck::scrubbers {

struct InteractionRecord;

inline constexpr std::size_t part_count = 6;
[[nodiscard]] constexpr std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }

/// The texts, indexed by Part: the target, the header texts (Headers::to_text), the bodies without Content-Encoding,
/// and the reason phrase. The views are valid as long as the messages do not change.
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

/// A line of a header text, as places in it.
struct HeaderLine {
  std::size_t begin, name_end;
  std::size_t value, end;
};
[[nodiscard]] std::vector<HeaderLine> header_lines(std::string_view text);

/// Replaces one of the record's texts.
void set_text(InteractionRecord& record, Part part, std::string text);

/// One value for each part.
template <class T>
using ByPart = std::array<std::vector<T>, part_count>;
[[nodiscard]] ByPart<Redaction> rows_by_part(const InteractionRecord& record);
/// Replaces the spots in the record. Adjusts its redactions and the ends of its stream events. `describe` and `word`
/// have the same meaning as in replace(). Returns true if anything was replaced.
bool replace_in(InteractionRecord& record, const Texts& texts, ByPart<Spot> spots, const ByPart<Redaction>& rows,
                const std::function<Redaction(const Spot&)>& describe, const Word& word = {});

}  // namespace tapedeck::scrubbers
