#pragma once
// Represents the input for a finished cassette, from any source: a cassette, several of them, or an edited text. It
// contains everything that is stored permanently, and nothing that can be computed from it.

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cassettes/file/interaction_id.h"
#include "cassettes/file/take_row.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/read/cassette_reader.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// One interaction without its content.
struct MaterialItem {
  std::int64_t row = 0;    ///< identifies it for record(); assigned by the material
  std::uint32_t take = 0;  ///< number of a take in takes()
  std::uint32_t ord = 0;   ///< its place within the take, from 1; places may be missing
  Digest digest{};
  /// True if its content was changed, so that it must be scrubbed before it is written.
  bool edited = false;
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

/// Not thread-safe. Everything is read several times and must be the same each time. Errors of a file throw
/// CassetteError; other materials document their exceptions.
class Material {
 public:
  virtual ~Material() = default;

  /// Returns the takes, sorted by number.
  [[nodiscard]] virtual std::vector<TakeRow> takes() { return {}; }
  [[nodiscard]] virtual std::vector<MaterialPart> parts() { return {}; }
  [[nodiscard]] virtual std::vector<MaterialSession> sessions() { return {}; }
  [[nodiscard]] virtual std::vector<Mark> marks() { return {}; }
  /// Returns the fingerprints of reviewed findings.
  [[nodiscard]] virtual std::set<std::string, std::less<>> allowed() { return {}; }
  /// Visits all interactions in any order.
  virtual void each(const std::function<void(const MaterialItem&)>& /*visit*/) {}
  /// Returns an interaction. Its key has only its text and has_holes.
  [[nodiscard]] virtual scrubbers::InteractionRecord record(const MaterialItem& item);
  /// Returns the approximate number of bytes to read, for progress.
  [[nodiscard]] virtual std::uint64_t bytes() { return 0; }
  /// The highest number of a session and of an account.
  struct Numbers {
    std::uint32_t session = 0, account = 0;
  };
  [[nodiscard]] virtual Numbers highest() { return {}; }
};

/// Opens a cassette. If there is an unfinished recording beside it, reads both through a private copy
/// (cassettes/open.cpp). Throws CassetteError.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path);
/// Opens a cassette and checks every interaction, because rewriting a damaged one would hide the damage.
[[nodiscard]] std::unique_ptr<Material> open_checked_material(const std::string& path);

}  // namespace tapedeck::cassettes
