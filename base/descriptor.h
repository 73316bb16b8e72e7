#pragma once
// Owns file descriptors, and reads and writes files by descriptor.

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

/// Identifies a file independently of its name.
struct FileId {
  dev_t device = 0;
  ino_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

/// Returns the identity of the file with this name, without following a link, or an empty one if there is none.
[[nodiscard]] FileId id_of(const std::string& path);

/// An open file, folder, or socket. The destructor closes it.
class Descriptor {
 public:
  Descriptor() = default;
  /// Takes ownership of `number`. A negative number means none.
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool open() const { return number_ >= 0; }
  /// Returns the number. The caller must close it.
  [[nodiscard]] int release() { return std::exchange(number_, -1); }
  void close();

  [[nodiscard]] FileId id() const;
  /// Returns the size in bytes, or 0 for something without a size.
  [[nodiscard]] std::uint64_t size() const;
  [[nodiscard]] bool is_regular_file() const;

 private:
  int number_ = -1;
};

/// Writes all bytes, or returns false with errno set.
[[nodiscard]] bool write_all(int descriptor, std::string_view bytes);

/// Reads from `offset` on and returns the number of bytes. If it is less than requested, errno is 0 at the end of the
/// file, or else the reason for the failure.
[[nodiscard]] std::size_t read_at(int descriptor, std::uint64_t offset, std::span<char> into);

/// Returns the remaining bytes of a file or pipe. On failure, returns nothing with errno set.
[[nodiscard]] std::optional<std::string> read_all(int descriptor);
/// Returns the content of the file with this name, following links. On failure, returns nothing with errno set.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// Replaces or creates a file with these bytes. Writes them under another name first, so that no other program reads a
/// part of them. The file has its mode from the first byte on. On failure, returns false with errno set, and leaves no
/// file behind.
[[nodiscard]] bool replace_file(const std::string& path, std::string_view bytes, mode_t mode);

}  // namespace tapedeck::base
