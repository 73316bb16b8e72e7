#pragma once
// What a finished cassette is made of, wherever it comes from: another cassette, several of them, a text that people
// have edited. Whatever is stored for good is said here, and nothing that can be worked out from it.

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
  std::int64_t row = 0;    ///< what record() finds it by; one of its material's own choice
  std::uint32_t take = 0;  ///< the number of one of takes()
  std::uint32_t ord = 0;   ///< its place within the take, from 1: others may be missing
  Digest digest{};
  /// Its content is not what a scrubber has given back and a cassette has held: it is scrubbed before it is written.
  bool edited = false;
};

/// What a take has of a scope; a scope may be there without a call.
struct MaterialPart {
  std::uint32_t take = 0;
  std::string scope;  ///< empty: what was recorded without one
  std::uint32_t run = 0;
  bool complete = false;
  bool operator==(const MaterialPart&) const = default;
};

struct MaterialSession {
  std::uint32_t take = 0;
  std::string scope;
  std::uint32_t number = 0;
  std::uint32_t account = 0;  ///< 0: its login is elsewhere
  SessionSpan span;           ///< with its lane, which it keeps
};

/// For one thread. Everything is read several times, and must be the same each time. What goes wrong with a file throws
/// CassetteError, or what the maker of another material says that it throws.
class Material {
 public:
  virtual ~Material() = default;

  /// By number.
  [[nodiscard]] virtual std::vector<TakeRow> takes() = 0;
  [[nodiscard]] virtual std::vector<MaterialPart> parts() = 0;
  [[nodiscard]] virtual std::vector<MaterialSession> sessions() = 0;
  [[nodiscard]] virtual std::vector<Mark> marks() = 0;
  /// Fingerprints of reviewed findings.
  [[nodiscard]] virtual std::set<std::string, std::less<>> allowed() = 0;
  /// In any order.
  virtual void each(const std::function<void(const MaterialItem&)>& visit) = 0;
  /// Of the key its text and has_holes.
  [[nodiscard]] virtual scrubbers::InteractionRecord record(const MaterialItem& item) = 0;
  /// About how much there is to read, for progress.
  [[nodiscard]] virtual std::uint64_t bytes() = 0;
  /// The highest number of a session and of an account that any interaction has.
  struct Numbers {
    std::uint32_t session = 0, account = 0;
  };
  [[nodiscard]] virtual Numbers highest() = 0;
};

/// Of a cassette; with a recording beside it that is not finished, both through a private copy. Throws CassetteError.
[[nodiscard]] std::unique_ptr<Material> open_material(const std::string& path);
/// Of a cassette in which each interaction is what was recorded, as far as can be told: what is made of it would look
/// whole.
[[nodiscard]] std::unique_ptr<Material> open_checked_material(const std::string& path);

}  // namespace tapedeck::cassettes
