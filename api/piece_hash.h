#pragma once
// Computes a hash that can be moved along a text byte by byte, to find a piece when only its length and hash are known.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::api {

/// Uses the bytes as coefficients of a polynomial over the integers modulo 2^61 - 1, evaluated at a fixed point. The
/// hash is equal on every machine, because keys contain it. The point is not secret, because a collision in a user's
/// own keys has no use.
class PieceHash {
 public:
  using Value = std::uint64_t;
  static constexpr std::size_t digits = 16;

  [[nodiscard]] static PieceHash of(std::string_view text) {
    PieceHash hash;
    for (const char c : text) hash.value_ = reduced(times(hash.value_, point) + coefficient(c));
    return hash;
  }
  /// Returns the weight of the first of `length` bytes, for slide().
  [[nodiscard]] static Value weight(std::size_t length) {
    Value power = 1;
    Value square = point;
    for (std::size_t left = length - 1; left > 0; left >>= 1) {
      if ((left & 1) != 0) power = times(power, square);
      square = times(square, square);
    }
    return power;
  }
  /// Moves by one byte: `out` is removed at the front, and `in` is added at the end.
  void slide(char out, char in, Value weight) {
    const Value without = reduced(value_ + prime - times(coefficient(out), weight));
    value_ = reduced(times(without, point) + coefficient(in));
  }
  [[nodiscard]] Value value() const { return value_; }

  [[nodiscard]] std::string to_hex() const {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(value_ >> shift & 0xff);
    return base::to_hex(bytes);
  }
  /// Returns 0, which is not the hash of any text, if the text is not hex.
  [[nodiscard]] static Value from_hex(std::string_view hex) { return base::whole_number<Value>(hex, 16).value_or(0); }

 private:
  static constexpr Value prime = (Value{1} << 61) - 1;
  static constexpr Value point = 0x1b873593cc9e2d51;  // any large number below the prime

  static Value coefficient(char c) { return static_cast<std::uint8_t>(c) + Value{1}; }
  static Value reduced(Value value) { return value >= prime ? value - prime : value; }
  static Value times(Value a, Value b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return reduced((static_cast<Value>(product) & prime) + static_cast<Value>(product >> 61));
  }

  Value value_ = 0;
};

}  // namespace tapedeck::api
