#pragma once
// Lists the names of members with private data, and values that are not private (docs/secrets.md, "Private data").

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// The kind of a private value, which determines the part that becomes a pseudonym.
enum class PrivateKind : std::uint8_t {
  id,  ///< a serial number or fingerprint: the whole value
  /// The name of a person, share, or file; read as a path if it contains `/`, as a mail address if it contains `@`.
  name,
  path,      ///< the components of a user's path
  host,      ///< names, addresses, or URLs of hosts
  subject,   ///< a text such as CN=…, O=…: the part after each equal sign
  position,  ///< a number of degrees
  phone,     ///< the digits of a phone number
};

/// A rule for private data. `rule.match` is the end of names, or a whole name, as NameEndings::add() reads it.
struct PrivateRule {
  ScrubRule rule;
  PrivateKind kind = PrivateKind::name;
};
/// Returns all rules for private data. Their IDs begin with "private-".
[[nodiscard]] std::vector<PrivateRule> private_rules();

/// Returns true for values that every device has, or that are chosen from a list: "admin", "volume1", "sda", "none",
/// "true", an API.
[[nodiscard]] bool is_common(std::string_view value);
/// Returns true for a path component that every device has: "volume1", "homes", "@eaDir", "#recycle".
[[nodiscard]] bool is_common_component(std::string_view component);
/// Returns true for paths of the system, its pages, and its programs: "/usr/bin", "/webman/3rdparty".
[[nodiscard]] bool is_system_path(std::string_view path);
/// Returns true for file extensions: "jpg", "tar", "docx".
[[nodiscard]] bool is_file_ending(std::string_view ending);

}  // namespace tapedeck::scrubbers
