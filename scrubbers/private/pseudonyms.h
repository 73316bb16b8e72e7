#pragma once
// Makes pseudonyms with a keyed hash. A pseudonym has the shape, length class, and alphabet of its original. Each
// original has one pseudonym, and each pseudonym one original, so the owner of the table can reverse them.

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

/// The pseudonyms of a key, stored if several cassettes must agree (private_key_file.h).
struct PrivateTable {
  struct Row {
    std::string original;   ///< in its first spelling
    std::string pseudonym;  ///< in lower case
    bool is_text = false;   ///< also searched for outside of private names: not an address or part of a mail address
  };
  std::string key;  ///< 32 bytes
  std::vector<Row> rows;
};

/// Not thread-safe.
class Pseudonyms {
 public:
  /// Uses a key of 32 bytes.
  explicit Pseudonyms(std::string key) : key_(std::move(key)) {}

  using Entry = PrivateTable::Row;
  /// Returns the pseudonym of a text. Letters stay letters of their case, digits stay digits, and other characters
  /// stay. Texts that differ only in case get pseudonyms that differ only in case.
  [[nodiscard]] std::string of_text(std::string_view original);
  /// Returns the pseudonym of a mail address. "ann@nas.example.net" becomes the pseudonym of the name at example.org.
  [[nodiscard]] std::string of_mail(std::string_view original);
  /// Returns degrees of another place with the same number of digits.
  [[nodiscard]] std::string of_position(std::string_view original);
  /// Returns the pseudonym in the spelling of the original. Returns nothing for addresses without an owner.
  [[nodiscard]] std::optional<std::string> of_ipv4(std::string_view original);
  [[nodiscard]] std::optional<std::string> of_ipv6(std::string_view original);
  [[nodiscard]] std::optional<std::string> of_mac(std::string_view original);

  /// Stops making pseudonyms. Texts without a pseudonym stay, and requested pseudonyms are noted.
  void freeze() { frozen_ = true; }
  /// Returns the indexes in entries() that were requested since the last call.
  [[nodiscard]] std::vector<std::size_t> take_requested() { return std::exchange(requested_, {}); }

  /// Returns true for a text that is a pseudonym.
  [[nodiscard]] bool is_pseudonym(std::string_view text) const { return index_of_pseudonym(text).has_value(); }
  /// Returns the index in entries() of a pseudonym in any spelling.
  [[nodiscard]] std::optional<std::size_t> index_of_pseudonym(std::string_view text) const;
  /// Returns the original of an entry. Its spelling follows the spelling of the pseudonym in `like`.
  [[nodiscard]] std::string original(std::size_t place, std::string_view like) const;
  /// Returns the entries in the order in which they were made.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  /// Returns the texts that were passed to of_text(), in each case that occurred, in this order.
  [[nodiscard]] const std::vector<std::string>& spellings() const { return spellings_; }
  [[nodiscard]] const std::string& key() const { return key_; }
  /// Adds an entry of another run.
  void take(Entry entry);

 private:
  [[nodiscard]] KeyedBits bits() const;
  /// Returns the first of make(0), make(1), … that is unused and not the original. `is_permuted`: a pseudonym may be
  /// another's original.
  void note_spelling(std::string_view text);
  template <class Make>
  std::string assign(std::string original, bool is_text, bool is_permuted, Make&& make);

  std::string key_;
  bool frozen_ = false;
  std::vector<std::size_t> requested_;
  std::vector<Entry> entries_;
  std::vector<std::string> spellings_;
  std::unordered_set<std::string> spelled_;                                     ///< the same spellings
  std::map<std::string, std::size_t, std::less<>> by_original_, by_pseudonym_;  ///< keys in lower case
};

}  // namespace tapedeck::scrubbers
