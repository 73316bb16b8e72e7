#pragma once
// The one owner of a file descriptor, and what is done with files by descriptor.

#include <sys/types.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tapedeck::base {

/// What a file is, whatever it is called.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

/// An open file, folder or socket; closed when it goes.
class Descriptor {
 public:
  Descriptor() = default;
  /// Owns `number` from here on; a negative one is nothing.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  /// The number, which is then the caller's to close.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void close();

  [[nodiscard]] FileId id() const;
  /// In bytes; 0 of what has none.
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool is_regular_file() const;

 private:
  int number_ = -1;
};

/// Writes all of it, or returns false with errno set.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

/// How many of the bytes from `offset` on were read: fewer than asked for at the file's end, with errno 0, or where it
/// cannot be read, with errno set.
[[nodiscard]] std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> into);

/// All bytes that are still to be read from a file or pipe, or nothing, with errno set.
[[nodiscard]] std::optional<std::string> read_all(int descriptor);
/// The same of what has this name, through links.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// Puts a file with these bytes at a name, over one that is there: written under another name first, with its mode from
/// the first byte on, so that nobody ever reads half of it. Returns false with errno set, and leaves nothing behind.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view bytes, mode_t mode);

}  // namespace tapedeck::base
