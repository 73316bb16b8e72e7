#pragma once
// What of a value that stands under a private name becomes a pseudonym: path by path, label by label.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "scrubbers/private/private_names.h"
#include "scrubbers/private/private_shapes.h"
#include "scrubbers/private/pseudonyms.h"

namespace tapedeck::scrubbers {

class PrivateValues {
 public:
  /// `stays` says of a text, beside is_common(), that it is nobody's. What is given must outlive this.
  PrivateValues(Pseudonyms& pseudonyms, std::function<bool(std::string_view)> stays)
      : pseudonyms_(pseudonyms), stays_(std::move(stays)) {}

  /// The value with pseudonyms in it; nothing where all of it stays.
  [[nodiscard]] std::optional<std::string> replaced(PrivateKind kind, std::string_view value) const;
  /// The same for what was found by its shape.
  [[nodiscard]] std::string shape(const PrivateShape& shape, std::string_view value) const {
    return stays_(value) ? std::string(value) : pseudonym_of(shape, value, pseudonyms_);
  }

 private:
  [[nodiscard]] bool is_to_stay(std::string_view text) const { return is_common(text) || stays_(text); }
  /// An address of any kind; nothing for what is none.
  [[nodiscard]] std::optional<std::string> address(std::string_view value) const;
  [[nodiscard]] std::string id(std::string_view value) const;
  [[nodiscard]] std::string name(std::string_view value) const;
  /// A file's name without what says its type.
  [[nodiscard]] std::string component(std::string_view value) const;
  [[nodiscard]] std::string path(std::string_view value) const;
  [[nodiscard]] std::string host(std::string_view value) const;
  [[nodiscard]] std::string hosts(std::string_view value) const;
  [[nodiscard]] std::string subject(std::string_view value) const;
  [[nodiscard]] std::string position(std::string_view value) const;
  [[nodiscard]] std::string phone(std::string_view value) const;

  Pseudonyms& pseudonyms_;
  std::function<bool(std::string_view)> stays_;
};

}  // namespace tapedeck::scrubbers
