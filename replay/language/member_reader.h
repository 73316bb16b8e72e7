#pragma once
// Reads the members that overlays and effects have in common, which are conditions on requests.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "replay/language/call_pattern.h"
#include "replay/language/overlay_text.h"
#include "replay/language/template_text.h"

namespace tapedeck::replay {

/// A required parameter.
struct ParamCondition {
  std::string name;
  std::optional<std::string> value;  ///< canonical (api::canonical_value); empty: any
};

/// Reads the members of one file's blocks. Errors are OverlayErrors with the line of the member.
class MemberReader {
 public:
  explicit MemberReader(std::string file) : file_(std::move(file)) {}

  [[nodiscard]] const std::string& file() const { return file_; }
  /// Throws OverlayError with "`name` " and the message.
  [[noreturn]] void fail(const OverlayMember& member, std::string_view message) const;

  [[nodiscard]] std::string text(const OverlayMember& member) const;
  [[nodiscard]] std::uint64_t number(const OverlayMember& member, std::uint64_t least, std::uint64_t most) const;
  [[nodiscard]] bool truth(const OverlayMember& member) const;
  [[nodiscard]] CallPattern pattern(const OverlayMember& member) const;
  /// Parses a table of parameters, such as `params`.
  [[nodiscard]] std::vector<ParamCondition> conditions(const OverlayMember& member) const;
  /// Returns the decoded name of the scope.
  [[nodiscard]] std::string scope_name(const OverlayMember& member) const;
  /// Returns the member as written, or the JSON text in it.
  [[nodiscard]] TemplateText json_text(const OverlayMember& member) const;

 protected:
  std::string file_;
};

}  // namespace tapedeck::replay
