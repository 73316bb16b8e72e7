#pragma once
// Counts which recordings of a cassette were replayed since the start.

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Has one bit for each interaction. Thread-safe. Marking an interaction again is a plain load.
class Usage {
 public:
  static constexpr std::uint64_t most_interactions = std::uint64_t{1} << 28;  ///< 32 MiB; further ones are not counted

  explicit Usage(std::uint64_t interactions);
  /// `number` is ListedInteraction::interaction, which counts from 1.
  void mark(std::int64_t number);
  [[nodiscard]] bool has(std::int64_t number) const;

 private:
  std::vector<std::atomic<std::uint64_t>> bits_;
};

/// The replayed part of one sequence.
struct SequenceUse {
  std::string cassette;   ///< path of the cassette
  std::string scope;      ///< the stored name; empty: none
  bool scope_ran = true;  ///< true if a request was in this scope
  std::string key;
  std::uint32_t take = 0, lane = 0;
  std::uint32_t recordings = 0;  ///< number of recordings that can be replayed
  std::uint32_t played = 0;
  bool finished = false;    ///< true if the last recording was replayed
  bool superseded = false;  ///< true if a newer take has replaced it, so that it does not count as unused
};

/// Identifies a sequence: one key in one lane of one take of a scope.
struct SequenceName {
  std::string scope;  ///< displayed name (api::shown_scope); empty: none
  std::string key;
  std::uint32_t take = 0, lane = 0;
};

/// Visits the interactions of a sequence in recorded order. Reads the cassette's index, so do not call it on a thread
/// that handles requests.
void each_answer(const cassettes::CassetteReader& reader, const Usage& usage, const SequenceName& name,
                 const std::function<void(const cassettes::ListedInteraction&, bool played)>& visit);

/// Visits every sequence that can be replayed, in the order of the cassette, until `visit` returns false. Reads the
/// whole index of the cassette, so do not call it on a thread that handles requests.
void each_use(const cassettes::CassetteReader& reader, const Usage& usage, const std::string& path,
              const std::function<bool(const SequenceUse&)>& visit);

}  // namespace tapedeck::replay
