#pragma once
// Bodies at rest: as they are, in zstd or in LZ4, with or without the cassette's dictionary.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::cassettes {

enum class BodyEncoding { plain = 0, zstd = 1, zstd_dictionary = 2, lz4 = 3, lz4_dictionary = 4 };
inline constexpr std::int64_t last_body_encoding = 4;

[[nodiscard]] constexpr bool uses_dictionary(BodyEncoding encoding) {
  return encoding == BodyEncoding::zstd_dictionary || encoding == BodyEncoding::lz4_dictionary;
}

enum class Packing {
  small,  ///< zstd
  fast,   ///< LZ4: unpacked in half the time, a third larger
};

/// A dictionary in zstd's format from sample bodies, the same for the same samples; empty when it would not pay.
[[nodiscard]] std::string train_dictionary(const std::vector<std::string>& samples);

class BodyPacker {
 public:
  /// An empty dictionary is none.
  BodyPacker(Packing packing, std::string_view dictionary);
  ~BodyPacker();
  BodyPacker(BodyPacker&&) noexcept;

  struct Packed {
    BodyEncoding encoding;
    std::string_view bytes;  ///< of the body itself or of the packer's buffer, until the next call
  };
  /// Packed, or as it is when that is no longer.
  [[nodiscard]] Packed pack(std::string_view body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// A cassette's dictionary, taken apart once for all its unpackers, on whatever threads.
class BodyDictionary {
 public:
  /// Throws Damage when `bytes` are no dictionary, std::bad_alloc.
  explicit BodyDictionary(std::string bytes);
  ~BodyDictionary();

 private:
  friend class BodyUnpacker;
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

class BodyUnpacker {
 public:
  /// Null is none.
  explicit BodyUnpacker(std::shared_ptr<const BodyDictionary> dictionary);
  ~BodyUnpacker();
  [[nodiscard]] const std::shared_ptr<const BodyDictionary>& dictionary() const;
  BodyUnpacker(BodyUnpacker&&) noexcept;
  BodyUnpacker& operator=(BodyUnpacker&&) noexcept;

  /// Throws Damage unless the result is exactly `size` bytes; never holds more than that.
  [[nodiscard]] std::string unpack(BodyEncoding encoding, std::string_view bytes, std::uint64_t size);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
