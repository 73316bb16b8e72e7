#pragma once
// Compressed frames: finding them by their magic, and unpacking them in bounded pieces.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ZSTD_DDict_s;

namespace tapedeck::scan {

enum class Codec : std::uint8_t { gzip, zlib, deflate, zstd, brotli, lz4 };

struct Frame {
  std::size_t start = std::string_view::npos;
  Codec codec = Codec::gzip;
};
/// The first gzip, zlib, zstd or LZ4 magic at or behind `from`; start is npos when there is none. False alarms are
/// usual.
[[nodiscard]] Frame next_frame(std::string_view view, std::size_t from);

/// Gets the next piece of output; false stops the unpacking.
using PieceSink = std::function<bool(std::string_view piece)>;
/// Says, before they are produced, whether so many more bytes may be; false stops.
using Spend = std::function<bool(std::uint64_t bytes)>;

/// Dictionaries that a file brings along, found by the number that its frames name: zstd's, and LZ4's, for which the
/// bytes of a zstd dictionary do as well as any.
class Dictionaries {
 public:
  /// True when `bytes` begin as a dictionary in zstd's own format does.
  [[nodiscard]] static bool is_one(std::string_view bytes);
  /// Keeps a copy; what turns out to be none is left out. Throws std::bad_alloc.
  void add(std::string_view bytes);
  void clear() { dictionaries_.clear(); }

  struct Free {
    void operator()(ZSTD_DDict_s* dictionary) const;
  };
  struct Dictionary {
    std::unique_ptr<ZSTD_DDict_s, Free> zstd;
    std::string bytes;
  };
  /// Null when there is none with that number.
  [[nodiscard]] const Dictionary* find(unsigned id) const;

 private:
  std::vector<Dictionary> dictionaries_;
};

struct Unpacked {
  std::size_t consumed = 0;    ///< of the input, when complete
  bool complete = false;       ///< the frame ended as it should
  bool cut = false;            ///< the input ended first, and was good so far
  bool no_dictionary = false;  ///< a whole frame that names a dictionary which is not known
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

  /// For frames that name a dictionary; they must outlive the unpacker.
  void use(const Dictionaries& dictionaries) { dictionaries_ = &dictionaries; }

  /// The length of the frame that starts `input`; 0 when it is cut or damaged, or its format does not tell.
  [[nodiscard]] static std::size_t frame_size(Codec codec, std::string_view input);
  /// The number of the dictionary that a whole zstd or LZ4 frame names; 0 when it names none.
  [[nodiscard]] static unsigned dictionary_id(Codec codec, std::string_view frame);

 private:
  struct Contexts;
  Unpacked unpack_zlib(Codec codec, std::string_view input, const Spend& spend, const PieceSink& sink);
  Unpacked unpack_zstd(std::string_view input, const Spend& spend, const PieceSink& sink);
  Unpacked unpack_lz4(std::string_view input, const Spend& spend, const PieceSink& sink);
  Unpacked unpack_brotli(std::string_view input, const Spend& spend, const PieceSink& sink);
  std::unique_ptr<Contexts> contexts_;
  const Dictionaries* dictionaries_ = nullptr;
};

}  // namespace tapedeck::scan
