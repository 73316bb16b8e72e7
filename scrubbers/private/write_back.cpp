#include "scrubbers/private/write_back.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "scrubbers/redaction.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

/// Undoes a chain of encodings. Returns nothing if one of them cannot be undone here.
std::optional<std::string> decoded(std::string_view text, std::string_view chain) {
  std::string plain(text);
  while (!chain.empty()) {
    const std::string_view name = base::take_until(chain, '>');
    if (name.starts_with("percent")) {
      plain = decode_text(Codec::percent, plain);
    } else if (name.starts_with("form")) {
      plain = decode_text(Codec::form, plain);
    } else if (name.starts_with("json")) {
      plain = decode_text(Codec::json, plain);
    } else if (name.starts_with("html")) {
      plain = decode_text(Codec::html, plain);
    } else {
      return std::nullopt;
    }
  }
  return plain;
}

class Pieces {
 public:
  Pieces(const Pseudonyms& pseudonyms, std::span<const std::size_t> brought)
      : pseudonyms_(pseudonyms), brought_(brought) {}

  /// Returns the original of a whole text, or else restores the pieces between the first separators of `marks` that
  /// occur in it, recursively.
  [[nodiscard]] std::string restored(std::string_view text, std::size_t level = 0) const {
    static constexpr std::string_view marks[] = {",;", " ", "/\\", "@", ":=", "."};
    if (const auto place = pseudonyms_.place_of_pseudonym(text);
        place && std::binary_search(brought_.begin(), brought_.end(), *place)) {
      return pseudonyms_.original(*place, text);
    }
    while (level < std::size(marks) && text.find_first_of(marks[level]) == std::string_view::npos) ++level;
    if (level == std::size(marks)) return std::string(text);
    std::string made;
    while (true) {
      const std::size_t end = std::min(text.find_first_of(marks[level]), text.size());
      made += restored(text.substr(0, end), level + 1);
      if (end == text.size()) return made;
      made += text[end];
      text.remove_prefix(end + 1);
    }
  }

 private:
  const Pseudonyms& pseudonyms_;
  std::span<const std::size_t> brought_;
};

}  // namespace

std::string written_back(std::string_view stored, std::string_view encoding, const Pseudonyms& pseudonyms,
                         std::span<const std::size_t> brought) {
  const std::optional<std::string> plain = brought.empty() ? std::nullopt : decoded(stored, encoding);
  if (!plain) return std::string(stored);
  const std::string restored = Pieces(pseudonyms, brought).restored(*plain);
  return restored == *plain ? std::string(stored) : encode(restored, encoding);
}

}  // namespace tapedeck::scrubbers
