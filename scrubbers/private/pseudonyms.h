#pragma once
// Pseudonyms: of the shape, length class and alphabet of what they replace, by a keyed hash. Each original has one and
// each pseudonym belongs to one original, so that they can be taken back by who has the table.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "scrubbers/private/addresses.h"

namespace tapedeck::scrubbers {

/// No locks of its own.
class Pseudonyms {
 public:
  /// Under a key of 32 bytes.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  struct Entry {
    std::string original;   ///< as it was met first
    std::string pseudonym;  ///< without case
    bool is_text = false;   ///< given by of_text(): not an address, nor a part of a mail
  };
  /// Letters stay letters of their case, digits digits, other characters what they are. Texts that differ only in case
  /// have pseudonyms that do so.
  [[nodiscard]] std::string of_text(std::string_view original);
  /// "ann@nas.example.net": the name's own pseudonym, at example.org.
  [[nodiscard]] std::string of_mail(std::string_view original);
  /// Degrees as a number: another place of this world, with as many digits.
  [[nodiscard]] std::string of_position(std::string_view original);
  /// Written as the original is. Nothing for what is nobody's.
  [[nodiscard]] std::optional<std::string> of_ipv4(std::string_view original);
  [[nodiscard]] std::optional<std::string> of_ipv6(std::string_view original);
  [[nodiscard]] std::optional<std::string> of_mac(std::string_view original);

  /// Nothing new is given from now on: what has no pseudonym stays. What is asked for is noted.
  void freeze() { frozen_ = true; }
  /// Places in entries() of what was asked for since the last call.
  [[nodiscard]] std::vector<std::size_t> take_asked() { return std::exchange(asked_, {}); }

  /// True for what was given as a pseudonym.
  [[nodiscard]] bool is_pseudonym(std::string_view text) const { return place_of_pseudonym(text).has_value(); }
  /// The place in entries() of the one whose pseudonym the text is, however it is spelled.
  [[nodiscard]] std::optional<std::size_t> place_of_pseudonym(std::string_view text) const;
  /// An entry's original, spelled as its pseudonym is in `like`.
  [[nodiscard]] std::string original(std::size_t place, std::string_view like) const;
  /// In the order in which they were given.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Texts in each of the cases in which of_text() was asked for them, in that order.
  [[nodiscard]] const std::vector<std::string>& spellings() const { return spellings_; }
  [[nodiscard]] const std::string& key() const { return key_; }
  /// What another run gave.
  void take(Entry entry);

 private:
  [[nodiscard]] KeyedBits bits() const;
  /// The first of make(0), make(1), … that is free and not the original. `is_permuted`: what is a pseudonym may be
  /// another's original.
  void note_spelling(std::string_view text);
  template <class Make>
  std::string settle(std::string original, bool is_text, bool is_permuted, Make&& make);

  std::string key_;
  bool frozen_ = false;
  std::vector<std::size_t> asked_;
  std::vector<Entry> entries_;
  std::vector<std::string> spellings_;
  std::unordered_set<std::string> spelled_;                                     ///< the same
  std::map<std::string, std::size_t, std::less<>> by_original_, by_pseudonym_;  ///< both without case
};

}  // namespace tapedeck::scrubbers
