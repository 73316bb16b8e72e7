#pragma once
// Names of private data (docs/secrets.md, "Private data"), and values that stay, each with a reason.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// How a private value is read, and which part of it becomes a pseudonym.
enum class PrivateKind : std::uint8_t {
  id,    ///< serial numbers, fingerprints: the whole value
  name,  ///< of people, accounts, shares, files, networks; a path if it contains `/`, a mail address if it contains `@`
  path,  ///< its components, if it is a path of the user
  host,  ///< a name, an address, a URL, or several of them
  subject,   ///< CN=…, O=…: what follows the equal signs
  position,  ///< degrees
  phone,     ///< digits
};

/// A rule of the private profile. `match` is an ending of names, or a whole name, as in a ScrubRule of this scope.
struct PrivateRule {
  ScrubRule rule;
  PrivateKind kind = PrivateKind::name;
};
/// Returns all rules. Their IDs begin with "private-".
[[nodiscard]] std::vector<PrivateRule> private_rules();

/// Returns true for values that every device has, or that are chosen from a list: "admin", "volume1", "sda", "none",
/// "true", an API.
[[nodiscard]] bool is_common(std::string_view value);
/// Returns true for a path component that every device has: "volume1", "homes", "@eaDir", "#recycle".
[[nodiscard]] bool is_common_component(std::string_view component);
/// Returns true for paths of the system, its pages, and its programs: "/usr/bin", "/webman/3rdparty".
[[nodiscard]] bool is_system_path(std::string_view path);
/// Returns true for file endings that tell the type: "jpg", "tar", "docx".
[[nodiscard]] bool is_file_ending(std::string_view ending);

}  // namespace tapedeck::scrubbers
