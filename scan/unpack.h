#pragma once
// Compressed frames: finding them by their magic, and unpacking them in bounded pieces.

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace tapedeck::scan {

enum class Codec : std::uint8_t { gzip, zlib, deflate, zstd, brotli };

struct Frame {
  std::size_t start = std::string_view::npos;
  Codec codec = Codec::gzip;
};
/// The first gzip, zlib or zstd magic at or behind `from`; start is npos when there is none. False alarms are
/// usual.
[[nodiscard]] Frame next_frame(std::string_view view, std::size_t from);

/// Gets the next piece of output; false stops the unpacking.
using PieceSink = std::function<bool(std::string_view piece)>;
/// Says, before they are produced, whether so many more bytes may be; false stops.
using Spend = std::function<bool(std::uint64_t bytes)>;

struct Unpacked {
  std::size_t consumed = 0;    ///< of the input, when complete
  bool complete = false;       ///< the frame ended as it should
  bool cut = false;            ///< the input ended first, and was good so far
  bool no_dictionary = false;  ///< a whole frame that names a dictionary
};

/// Decoders that are kept from frame to frame: making one costs more than a small frame. Not thread-safe.
class Unpacker {
 public:
  Unpacker();
  ~Unpacker();
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  /// Unpacks the frame that starts `input`; what comes behind it does not matter. What was produced before an error is
  /// handed out too: a cut or damaged frame may hold a secret as well as a good one. Pieces of a long output are at
  /// most 8 MiB and overlap by 64 KiB.
  Unpacked unpack(Codec codec, std::string_view input, const Spend& spend, const PieceSink& sink);

  /// The length of the frame that starts `input`; 0 when it is cut or damaged, or its format does not tell.
  [[nodiscard]] static std::size_t frame_size(Codec codec, std::string_view input);

 private:
  struct Contexts;
  Unpacked unpack_zlib(Codec codec, std::string_view input, const Spend& spend, const PieceSink& sink);
  Unpacked unpack_zstd(std::string_view input, const Spend& spend, const PieceSink& sink);
  Unpacked unpack_brotli(std::string_view input, const Spend& spend, const PieceSink& sink);
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace tapedeck::scan
