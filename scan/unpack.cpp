#include "scan/unpack.h"

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "scan/byte_tables.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t first_piece = 4 * 1024;
constexpr std::size_t longest_piece = 8 * 1024 * 1024;
constexpr std::size_t overlap = 64 * 1024;

const std::uint8_t* bytes_of(std::string_view view) { return reinterpret_cast<const std::uint8_t*>(view.data()); }

/// The output of one frame: grows up to a piece, hands it out, keeps the overlap.
class Output {
 public:
  Output(const Spend& spend, const PieceSink& sink) : spend_(spend), sink_(sink) {}

  /// Room for more output, at least one byte; empty when the budget or the sink said stop.
  [[nodiscard]] std::pair<char*, std::size_t> room() {
    if (used_ == piece_.size() && !grow()) return {nullptr, 0};
    return {piece_.data() + used_, piece_.size() - used_};
  }
  void produced(std::size_t bytes) { used_ += bytes; }
  void finish() {
    if (used_ > kept_) sink_(std::string_view(piece_).substr(0, used_));
  }

 private:
  bool grow() {
    if (piece_.size() == longest_piece) {
      if (!sink_(piece_)) return false;
      piece_.erase(0, longest_piece - overlap);
      used_ = kept_ = overlap;
    }
    const std::size_t size = std::clamp(piece_.size() * 4, first_piece, longest_piece);
    if (!spend_(size - piece_.size())) return false;
    piece_.resize(size);
    return true;
  }

  const Spend& spend_;
  const PieceSink& sink_;
  std::string piece_;
  std::size_t used_ = 0;
  std::size_t kept_ = 0;
};

std::size_t zstd_frame_size(std::string_view input) {
  const std::size_t size = ZSTD_findFrameCompressedSize(input.data(), input.size());
  return ZSTD_isError(size) != 0 ? 0 : size;
}

}  // namespace

struct Unpacker::Contexts {
  std::array<z_stream, 3> streams{};
  std::array<bool, 3> ready{};
  ZSTD_DCtx* zstd = nullptr;

  z_stream& stream(Codec codec) {
    const auto i = static_cast<std::size_t>(codec);
    constexpr std::array<int, 3> window_bits = {15 + 16, 15, -15};
    if (!ready[i] && inflateInit2(&streams[i], window_bits[i]) != Z_OK) throw std::bad_alloc();
    if (ready[i]) inflateReset(&streams[i]);
    ready[i] = true;
    return streams[i];
  }
  ~Contexts() {
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (ready[i]) inflateEnd(&streams[i]);
    ZSTD_freeDCtx(zstd);
  }
};

Unpacker::Unpacker() : contexts_(std::make_unique<Contexts>()) {}
Unpacker::~Unpacker() = default;

namespace {

Frame first_frame(std::string_view view, std::size_t from) {
  // The byte of each magic that is rarest in text is looked for: the second of gzip's and zlib's, the fourth of zstd's.
  Frame first;
  const auto note = [&](std::size_t start, Codec codec) {
    if (start < first.start) first = {start, codec};
  };
  // Each search needs to go no further than the best one found so far.
  const auto find = [&](char byte, std::size_t at) { return view.substr(0, first.start).find(byte, at); };
  constexpr auto npos = std::string_view::npos;
  for (std::size_t at = find('\xfd', from + 3); at != npos; at = find('\xfd', at + 1))
    if (view.substr(at - 3, 3) == "\x28\xb5\x2f") note(at - 3, Codec::zstd);
  for (std::size_t at = find('\x8b', from + 1); at != npos; at = find('\x8b', at + 1))
    if (view[at - 1] == '\x1f' && at + 2 < view.size() && view[at + 1] == 8 && byte_of(view[at + 2]) < 0x20)
      note(at - 1, Codec::gzip);
  for (const char level : {'\x01', '\x5e', '\x9c', '\xda'})
    for (std::size_t at = find(level, from + 1); at != npos; at = find(level, at + 1))
      if (view[at - 1] == 'x') note(at - 1, Codec::zlib);
  return first;
}

}  // namespace

Frame next_frame(std::string_view view, std::size_t from) {
  // By windows: a view full of one magic would be gone through to its end for the others at each of them.
  constexpr std::size_t window = 4096, longest_magic = 4;
  for (; from < view.size(); from += window) {
    const Frame first = first_frame(view.substr(0, from + window + longest_magic - 1), from);
    if (first.start < from + window) return first;
  }
  return {};
}

Unpacked Unpacker::unpack(Codec codec, std::string_view input, const Spend& spend, const PieceSink& sink) {
  switch (codec) {
    case Codec::zstd:
      return unpack_zstd(input, spend, sink);
    case Codec::brotli:
      return unpack_brotli(input, spend, sink);
    default:
      return unpack_zlib(codec, input, spend, sink);
  }
}

Unpacked Unpacker::unpack_zlib(Codec codec, std::string_view input, const Spend& spend, const PieceSink& sink) {
  z_stream& stream = contexts_->stream(codec);
  Output output(spend, sink);
  Unpacked result;
  std::size_t at = 0;
  while (true) {
    const auto [room, size] = output.room();
    if (size == 0) break;
    // zlib counts in 32 bits.
    const std::size_t feed = std::min<std::size_t>(input.size() - at, 1u << 30);
    stream.next_in = const_cast<std::uint8_t*>(bytes_of(input)) + at;
    stream.avail_in = static_cast<unsigned>(feed);
    stream.next_out = reinterpret_cast<std::uint8_t*>(room);
    stream.avail_out = static_cast<unsigned>(size);
    const int status = inflate(&stream, Z_NO_FLUSH);
    at += feed - stream.avail_in;
    const std::size_t produced = size - stream.avail_out;
    output.produced(produced);
    result.complete = status == Z_STREAM_END;
    result.cut = status == Z_BUF_ERROR && at == input.size();
    if (status != Z_OK) break;
  }
  result.consumed = at;
  output.finish();
  return result;
}

std::size_t Unpacker::frame_size(Codec codec, std::string_view input) {
  return codec == Codec::zstd ? zstd_frame_size(input) : 0;
}

Unpacked Unpacker::unpack_zstd(std::string_view input, const Spend& spend, const PieceSink& sink) {
  if (contexts_->zstd == nullptr) contexts_->zstd = ZSTD_createDCtx();
  if (contexts_->zstd == nullptr) throw std::bad_alloc();
  ZSTD_DCtx_reset(contexts_->zstd, ZSTD_reset_session_only);
  const unsigned dictionary = ZSTD_getDictID_fromFrame(input.data(), input.size());
  Output output(spend, sink);
  Unpacked result;
  result.no_dictionary = dictionary != 0 && zstd_frame_size(input) > 0;
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  while (true) {
    const auto [room, size] = output.room();
    if (size == 0) break;
    ZSTD_outBuffer out{room, size, 0};
    const std::size_t status = ZSTD_decompressStream(contexts_->zstd, &out, &in);
    output.produced(out.pos);
    if (ZSTD_isError(status) != 0) break;
    result.complete = status == 0;
    result.cut = status != 0 && in.pos == in.size && out.pos < out.size;
    if (result.complete || result.cut) break;
  }
  result.consumed = in.pos;
  output.finish();
  return result;
}

Unpacked Unpacker::unpack_brotli(std::string_view input, const Spend& spend, const PieceSink& sink) {
  const auto destroy = [](BrotliDecoderState* state) { BrotliDecoderDestroyInstance(state); };
  const std::unique_ptr<BrotliDecoderState, decltype(destroy)> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr), destroy);
  if (state == nullptr) throw std::bad_alloc();
  Output output(spend, sink);
  Unpacked result;
  std::size_t left = input.size();
  const std::uint8_t* in = bytes_of(input);
  while (true) {
    auto [room, size] = output.room();
    if (size == 0) break;
    std::size_t free = size;
    auto* out = reinterpret_cast<std::uint8_t*>(room);
    const BrotliDecoderResult status = BrotliDecoderDecompressStream(state.get(), &left, &in, &free, &out, nullptr);
    output.produced(size - free);
    result.complete = status == BROTLI_DECODER_RESULT_SUCCESS;
    result.cut = status == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT;
    if (status != BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT) break;
  }
  result.consumed = input.size() - left;
  output.finish();
  return result;
}

}  // namespace tapedeck::scan
