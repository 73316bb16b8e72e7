#pragma once
// The answer to a compound request, part by part (docs/device-notes.md, "Parameters").

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::replay {

/// A compound of more parts is no client's.
inline constexpr std::size_t most_compound_parts = 256;
/// Of all parts of one that is put together: a long recorded answer may be asked for 256 times.
inline constexpr std::size_t longest_compound_answer = 32u << 20;

/// How the answer to one part stands in the whole: {"api":…,"data":…,"method":…,"success":true,"version":1}.
struct CompoundPart {
  std::string text;
  bool success = false;
};
/// Of the answer that the call alone would get. One that is no envelope becomes the error that devices give: 100.
[[nodiscard]] CompoundPart compound_part(const api::Call& call, std::string_view body);
/// Of all parts.
[[nodiscard]] std::string compound_answer(const std::vector<CompoundPart>& parts);
/// What the compound says of its parts: one after another, or all at once.
[[nodiscard]] bool is_sequential(const api::Call& compound);

/// A device's answer to a compound, parts of which are replaced: every other byte stays as it was.
class CompoundAnswer {
 public:
  /// Nothing for what is no compound's answer.
  [[nodiscard]] static std::optional<CompoundAnswer> read(std::string body);

  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  /// What the part alone would have been answered.
  [[nodiscard]] std::string envelope(std::size_t place) const;
  void set(std::size_t place, CompoundPart part) { parts_[place] = std::move(part); }
  /// With `has_fail` as the parts have it now.
  [[nodiscard]] std::string text() const;

 private:
  explicit CompoundAnswer(std::string body) : body_(std::move(body)) {}

  std::string body_;
  std::vector<std::optional<CompoundPart>> parts_;  ///< those that are replaced
};

}  // namespace tapedeck::replay
