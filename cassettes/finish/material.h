#pragma once
// Represents the input for a finished cassette, from any source: a cassette, several of them, or an edited text. It
// contains everything that is stored permanently, and nothing that can be computed from it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cassettes/file/files.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/take.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/read/cassette_reader.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// One interaction without its content.
struct MaterialItem {
  std::int64_t row = 0;    ///< identifies it for record(); assigned by the material
  std::uint32_t take = 0;  ///< number of a take
  std::uint32_t ord = 0;   ///< its place within the take, from 1; places may be missing
  Digest digest{};
  /// True if its content was changed, so that it must be scrubbed before it is written.
  bool edited = false;
  std::string scope;  ///< empty: none
};

/// A scope of a take. A scope may exist without an interaction.
struct MaterialPart {
  std::uint32_t take = 0;
  std::string scope;  ///< empty for interactions without a scope
  std::uint32_t run = 0;
  bool complete = false;
  bool operator==(const MaterialPart&) const = default;
};

struct MaterialSession {
  std::uint32_t take = 0;
  std::string scope;
  std::uint32_t number = 0;
  std::uint32_t account = 0;  ///< 0 if the login is elsewhere
  SessionSpan span;           ///< span with the lane, which stays the same
};

/// An account that logged in.
struct MaterialAccount {
  std::uint32_t take = 0;
  std::string scope;
  std::uint32_t number = 0;
  std::optional<std::uint8_t> check = {};  ///< scrubbers::account_check()
};

/// Everything in a material except its interactions.
struct MaterialHead {
  std::vector<Take> takes;  ///< sorted by number
  std::vector<MaterialPart> parts;
  std::vector<MaterialAccount> accounts;
  std::vector<MaterialSession> sessions;
  std::vector<Mark> marks;
  Fingerprints allowed;  ///< reviewed findings
  /// The highest numbers, so that new ones differ from them.
  std::uint32_t highest_session = 0, highest_account = 0;
  std::uint64_t bytes = 0;  ///< approximate number of bytes to read, for progress
};

/// Not thread-safe. Everything is read several times and must be the same each time. Errors of a file throw
/// CassetteError; other materials document their exceptions.
class Material {
 public:
  virtual ~Material() = default;

  [[nodiscard]] virtual MaterialHead head() { return {}; }
  /// Visits all interactions in any order.
  virtual void each(const std::function<void(const MaterialItem&)>& /*visit*/) {}
  /// Returns an interaction. Its key has only its text and has_holes.
  [[nodiscard]] virtual scrubbers::InteractionRecord record(const MaterialItem& item);
};

/// Returns true if it contains a take with this random name.
[[nodiscard]] bool has_take(Material& material, const std::string& id);

/// Returns the material of an open cassette, without a recording beside it. Bodies are compared with their SHA-256 when
/// they are read.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path, OpenCassette cassette);
/// Opens a cassette. If there is an unfinished recording beside it, reads both through a private copy
/// (cassettes/open.cpp). Throws CassetteError.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path);
/// Opens a cassette and checks every interaction, because rewriting a damaged one would hide the damage.
[[nodiscard]] std::unique_ptr<Material> open_checked_material(const std::string& path);

}  // namespace tapedeck::cassettes
