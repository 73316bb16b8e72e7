#pragma once
// Where private data stands by name (toolkit §5), and what stays wherever it stands: data with a reason each.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::scrubbers {

/// How a private value is read, and so what of it becomes a pseudonym.
enum class PrivateKind : std::uint8_t {
  id,        ///< serial numbers, fingerprints: all of it
  name,      ///< of people, accounts, shares, files, networks; with `/` in it a path, with `@` a mail address
  path,      ///< its components, where it is one of the user's
  host,      ///< a name, an address, a URL or several of them
  subject,   ///< CN=…, O=…: what stands behind the signs
  position,  ///< degrees
  phone,     ///< digits
};

/// One rule of the private profile. `match` is an ending of names, or a whole name, as a ScrubRule of that scope has
/// it.
struct PrivateRule {
  ScrubRule rule;
  PrivateKind kind = PrivateKind::name;
};
/// All of them, with ids that begin with "private-".
[[nodiscard]] std::vector<PrivateRule> private_rules();

/// True for what every device has, or people choose from a list: "admin", "volume1", "sda", "none", "true", an API.
[[nodiscard]] bool is_common(std::string_view value);
/// True for a component of a path that every device has: "volume1", "homes", "@eaDir", "#recycle".
[[nodiscard]] bool is_common_component(std::string_view component);
/// Paths of the system, of its pages and of its programs: "/usr/bin", "/webman/3rdparty".
[[nodiscard]] bool is_system_path(std::string_view path);
/// "jpg", "tar", "docx": an ending of files that says what they are.
[[nodiscard]] bool is_file_ending(std::string_view ending);

}  // namespace tapedeck::scrubbers
