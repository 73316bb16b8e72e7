#pragma once
// A piece of a text, decoded, that knows where it is in the texts around it. So a value that was found in JSON inside
// of a form inside of base64 can be replaced in the raw text, and written back through the same encodings.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "scrubbers/text/codec.h"
#include "scrubbers/text/encoding.h"

namespace tapedeck::scrubbers {

class NestedText {
 public:
  /// A place in the outermost text, and how the value is encoded there.
  struct Place {
    std::size_t begin = 0, end = 0;
    Encoding encoding;
  };

  /// The outermost text.
  explicit NestedText(std::string_view text) : text_(text) {}
  /// The piece [begin, end) of `outer`, which must outlive it, decoded if there is a codec.
  NestedText(const NestedText& outer, std::size_t begin, std::size_t end, std::optional<Codec> codec = std::nullopt);
  /// Decodes base64 in `outer`, if the whole piece is base64 of a printable text.
  struct Base64 {};
  NestedText(const NestedText& outer, std::size_t begin, std::size_t end, Base64);
  NestedText(const NestedText&) = delete;
  NestedText& operator=(const NestedText&) = delete;

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view piece(std::size_t begin, std::size_t end) const {
    return text_.substr(begin, end - begin);
  }
  /// Returns true if decoding changed the text.
  [[nodiscard]] bool is_decoded() const { return form_ || !view_.map.empty(); }
  [[nodiscard]] std::optional<Codec> codec() const { return codec_; }
  [[nodiscard]] bool is_outermost() const { return outer_ == nullptr; }

  /// Returns the place of the piece [begin, end). `inner` is how a value is encoded within the piece. Returns nothing
  /// if it cannot be written back.
  [[nodiscard]] std::optional<Place> place(std::size_t begin, std::size_t end, Encoding inner) const;

 private:
  [[nodiscard]] std::optional<Place> place_in_base64(std::size_t begin, std::size_t end) const;

  const NestedText* outer_ = nullptr;
  std::size_t begin_ = 0;
  std::optional<Codec> codec_;
  std::optional<Form> form_;  ///< base64 or base64url
  View view_;
  std::string_view text_;
};

}  // namespace tapedeck::scrubbers
