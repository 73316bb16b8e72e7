#pragma once
// Which recordings of a cassette have been played since the start.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// One bit for each interaction. Thread-safe: marking what is marked already is a plain load.
class Usage {
 public:
  static constexpr std::uint64_t most_interactions = std::uint64_t{1} << 28;  ///< 32 MiB; later ones are not counted

  explicit Usage(std::uint64_t interactions);
  /// `number` counts the cassette's interactions from 1 (ListedInteraction::interaction).
  void mark(std::int64_t number);
  [[nodiscard]] bool has(std::int64_t number) const;

 private:
  std::vector<std::atomic<std::uint64_t>> bits_;
};

/// How much of one sequence was played.
struct SequenceUse {
  std::string cassette;   ///< path
  std::string scope;      ///< as it is stored; empty: none
  bool scope_ran = true;  ///< somebody asked in that scope
  std::string key;
  std::uint32_t take = 0, lane = 0;
  std::uint32_t recordings = 0;  ///< that may be played
  std::uint32_t played = 0;
  bool finished = false;    ///< its last recording was played
  bool superseded = false;  ///< a newer take has replaced it, so it never counts as unused
};

/// The interactions of one key in one lane of one take of a scope.
struct SequenceName {
  std::string scope;  ///< as it is shown (api::shown_scope); empty: none
  std::string key;
  std::uint32_t take = 0, lane = 0;
};

/// Those of that sequence, in recorded order. Reads the cassette's index: not for a thread that answers.
void each_answer(const cassettes::CassetteReader& reader, const Usage& usage, const SequenceName& name,
                 const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit);

/// Every sequence that has anything to play, in the cassette's order; `visit` returns false to stop. Reads the
/// cassette's index from one end to the other: not for a thread that answers.
void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit);

}  // namespace tapedeck::replay
