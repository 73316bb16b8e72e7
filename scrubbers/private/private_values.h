#pragma once
// Replaces the private parts of a value with a private name: component by component, or label by label.

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
  /// `stays` returns true for further texts that are not private. The arguments must outlive this.
  PrivateValues(Pseudonyms& pseudonyms, std::function<bool(std::string_view)> stays)
      : pseudonyms_(pseudonyms), stays_(std::move(stays)) {}

  /// Returns the value with pseudonyms, or nothing if all of it stays.
  [[nodiscard]] std::optional<std::string> replaced(PrivateKind kind, std::string_view value) const;
  /// Does the same for a value that was found by its shape.
  [[nodiscard]] std::string shape(const PrivateShape& shape, std::string_view value) const {
    return stays_(value) ? std::string(value) : pseudonym_of(shape, value, pseudonyms_);
  }

 private:
  [[nodiscard]] bool is_to_stay(std::string_view text) const { return is_common(text) || stays_(text); }
  /// Returns the pseudonym of an address of any kind, or nothing if the text is not an address.
  [[nodiscard]] std::optional<std::string> address(std::string_view value) const;
  [[nodiscard]] std::string id(std::string_view value) const;
  [[nodiscard]] std::string name(std::string_view value) const;
  /// Returns the pseudonym of a file's name without its extension.
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
