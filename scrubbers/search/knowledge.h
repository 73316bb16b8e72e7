#pragma once
// What a scrubber knows as a list of entries, so that another process can know it too (semantics §6, the keeper).
// Entries are for the memory of processes alone: they hold secrets, and are never written to a file.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tapedeck::scrubbers {

/// Takes each entry of what is learned before anything is passed on or stored that depends on it. From any thread.
using Witness = std::function<void(std::string_view entry)>;

enum class EntryKind : std::uint8_t {
  known,     ///< class, whether it is searched for everywhere, value (empty: only counted), shape
  whole,     ///< place of a known one that is looked for as a whole value
  owner,     ///< place of a known one, session, ordinal
  session,   ///< its number, and that of its scope
  number,    ///< place of a known one that belongs to nobody, its number
  scope,     ///< name, run
  given,     ///< private: original, pseudonym, whether it is a text
  spelling,  ///< private: a text as it was met
  ordinal,   ///< private: what was put in
};
/// Whether an entry is of the private profile.
[[nodiscard]] constexpr bool is_private(EntryKind kind) { return kind >= EntryKind::given; }

/// An entry in the making, wiped when it goes.
class EntryWriter {
 public:
  explicit EntryWriter(EntryKind kind) : bytes_(1, static_cast<char>(kind)) {}
  ~EntryWriter();
  EntryWriter(const EntryWriter&) = delete;
  EntryWriter& operator=(const EntryWriter&) = delete;
  EntryWriter& number(std::uint64_t value);
  EntryWriter& text(std::string_view value);
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// An entry, read in the order in which it was written. Throws std::runtime_error for what is none.
class EntryReader {
 public:
  explicit EntryReader(std::string_view entry);
  [[nodiscard]] EntryKind kind() const { return kind_; }
  [[nodiscard]] std::uint64_t number();
  [[nodiscard]] std::string_view text();

 private:
  [[nodiscard]] std::string_view take(std::size_t bytes);

  std::string_view rest_;
  EntryKind kind_;
};

}  // namespace tapedeck::scrubbers
