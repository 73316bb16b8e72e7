#pragma once
// Finds recordings that no session can replay.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

/// Returns true for an interaction that a newer take has replaced. In a scope, these are the interactions of all takes
/// before the newest complete one. For a call without a scope, these are its interactions in takes before the newest
/// one in which it succeeded (or else before the newest one that has it). Accounts that check values tell apart, and
/// requests that their headers tell apart, do not replace each other's interactions. Takes with a remaining write are
/// kept, because a session stays in the take of its last write. The constructor reads the index twice.
class Superseded {
 public:
  explicit Superseded(const CassetteReader& cassette);
  [[nodiscard]] bool operator()(const ListedInteraction& line) const;

 private:
  using Newest = std::map<std::string, std::uint32_t, std::less<>>;
  static bool is_older(const Newest& newest, const std::string& name, std::uint32_t take);
  void note_accounts(const CassetteReader& cassette);
  /// Returns the key, the headers that tell requests apart, and the account if the cassette has several.
  [[nodiscard]] std::string name_of(const ListedInteraction& line) const;
  void note_scopes(const CassetteReader& cassette);
  void note_calls(const CassetteReader& cassette);
  void keep_takes_with_writes(const CassetteReader& cassette);

  Newest newest_of_scope_, newest_of_key_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> accounts_;  ///< texts by take and number
  std::unordered_map<std::int64_t, std::string> headers_;                    ///< by ListedInteraction::interaction
  std::set<std::uint32_t> takes_with_writes_;
};

}  // namespace tapedeck::cassettes
