#pragma once
// A text, line by line, that knows where it is when something is wrong.

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::tools {

class TextSource;

/// The JSON object at the end of a line. Each call fails at the line when the member is not what it should be.
class TextObject {
 public:
  TextObject(const TextSource& source, std::string_view line, std::size_t begin);
  TextObject(TextObject&&) noexcept;
  ~TextObject();

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name) const;
  [[nodiscard]] std::uint64_t size(std::string_view name) const;
  [[nodiscard]] std::uint32_t small(std::string_view name) const;  ///< 0 … 2^31 - 1
  [[nodiscard]] int up_to(std::string_view name, int most) const;  ///< 0 … most
  [[nodiscard]] std::int64_t time(std::string_view name) const;    ///< microseconds since the epoch
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Any bytes, which stand there as an escaped line.
  [[nodiscard]] std::string text(std::string_view name) const;
  /// That many bytes as hex digits.
  [[nodiscard]] std::string hex(std::string_view name, std::size_t bytes) const;
  /// An array of pairs of numbers; empty when it is not there.
  [[nodiscard]] std::vector<std::pair<std::int64_t, std::uint64_t>> pairs(std::string_view name) const;
  /// What is not there is 0, false or empty with these.
  [[nodiscard]] std::string text_or_empty(std::string_view name) const { return has(name) ? text(name) : ""; }
  [[nodiscard]] std::uint32_t small_or_zero(std::string_view name) const { return has(name) ? small(name) : 0; }

 private:
  [[noreturn]] void fail(std::string_view name, const char* what) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class TextSource {
 public:
  /// The stream, which can be read again and again, must outlive it. Reads the first line.
  explicit TextSource(std::istream& in);

  [[nodiscard]] bool has_line() const { return has_line_; }
  [[nodiscard]] const std::string& line() const { return line_; }
  void next();
  /// What stands behind `word`, with which the line begins.
  [[nodiscard]] TextObject json_after(std::string_view word) const;
  /// Throws ImportError at a column (from 0) of this line.
  [[noreturn]] void fail(const std::string& what, std::size_t at = 0) const;
  /// The text behind `prefix` without its escapes.
  [[nodiscard]] std::string unescaped(std::size_t prefix) const;

  /// Where the line begins, and its number from 1: for going there again.
  struct Place {
    std::uint64_t offset = 0;
    std::size_t number = 0;
  };
  [[nodiscard]] Place place() const { return {begin_, number_}; }
  void go_to(const Place& place);

  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_; }
  /// Of the whole stream.
  [[nodiscard]] std::uint64_t bytes_in_all() const { return total_; }

 private:
  std::istream& in_;
  std::string line_;
  bool has_line_ = false;
  std::size_t number_ = 0;
  std::uint64_t begin_ = 0, bytes_ = 0, total_ = 0;
};

}  // namespace tapedeck::tools
