#pragma once
// LZ4 frames (https://github.com/lz4/lz4, lz4_Frame_format.md), one a body, with or without a dictionary.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tapedeck::cassettes {

class Lz4Packer {
 public:
  /// The frames name `dictionary_id`. An empty dictionary is none. Throws std::bad_alloc.
  Lz4Packer(std::string_view dictionary, unsigned dictionary_id);
  ~Lz4Packer();

  /// The frame, in `buffer`; empty when it cannot be made.
  [[nodiscard]] std::string_view pack(std::string_view body, bool with_dictionary, std::string& buffer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class Lz4Unpacker {
 public:
  /// Throws std::bad_alloc.
  Lz4Unpacker();
  ~Lz4Unpacker();

  /// An empty dictionary is none. Throws Damage unless `frame` is one whole frame of exactly `size` bytes; holds 64 KiB
  /// more than that at most.
  [[nodiscard]] std::string unpack(std::string_view frame, std::uint64_t size, std::string_view dictionary);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
