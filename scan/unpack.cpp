#include "scan/unpack.h"

#include <brotli/decode.h>
// The functions with a dictionary are in every liblz4 since 1.8, and declared without this since 1.10.
#define LZ4F_STATIC_LINKING_ONLY
#include <lz4frame.h>
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

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{byte_of(bytes[i])} << (8 * i);
  return value;
}

/// liblz4 does not tell. A header is followed by blocks, each behind its length, until a length of zero.
std::size_t lz4_frame_size(std::string_view input) {
  constexpr std::uint8_t block_checksums = 0x10, content_checksum = 0x04;
  const std::size_t header = LZ4F_headerSize(input.data(), input.size());
  if (LZ4F_isError(header) != 0 || header > input.size()) return 0;
  const std::uint8_t flags = byte_of(input[4]);
  std::size_t at = header;
  while (at + 4 <= input.size()) {
    const std::uint32_t block = little_endian(input.substr(at)) & 0x7fffffff;
    at += 4 + (block > 0 ? block + ((flags & block_checksums) != 0 ? 4 : 0) : (flags & content_checksum) != 0 ? 4 : 0);
    if (block == 0) return at <= input.size() ? at : 0;
  }
  return 0;
}

unsigned lz4_dictionary_id(std::string_view frame) {
  constexpr std::uint8_t has_size = 0x08, has_dictionary = 0x01;
  const std::uint8_t flags = byte_of(frame[4]);
  if ((flags & has_dictionary) == 0) return 0;
  return little_endian(frame.substr((flags & has_size) != 0 ? 14 : 6));
}

}  // namespace

struct Unpacker::Contexts {
  std::array<z_stream, 3> streams{};
  std::array<bool, 3> ready{};
  ZSTD_DCtx* zstd = nullptr;
  LZ4F_dctx* lz4 = nullptr;

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
    LZ4F_freeDecompressionContext(lz4);
  }
};

void Dictionaries::Free::operator()(ZSTD_DDict_s* dictionary) const { ZSTD_freeDDict(dictionary); }

bool Dictionaries::is_one(std::string_view bytes) { return bytes.starts_with("\x37\xa4\x30\xec"); }

void Dictionaries::add(std::string_view bytes) {
  Dictionary dictionary{{ZSTD_createDDict(bytes.data(), bytes.size()), {}}, std::string(bytes)};
  if (dictionary.zstd) dictionaries_.push_back(std::move(dictionary));
}

const Dictionaries::Dictionary* Dictionaries::find(unsigned id) const {
  for (const Dictionary& dictionary : dictionaries_) {
    if (ZSTD_getDictID_fromDDict(dictionary.zstd.get()) == id) return &dictionary;
  }
  return nullptr;
}

Unpacker::Unpacker() : contexts_(std::make_unique<Contexts>()) {}
Unpacker::~Unpacker() = default;

namespace {

Frame first_frame(std::string_view view, std::size_t from) {
  // The byte of each magic that is rarest in text is looked for: the second of gzip's and zlib's, the fourth of the
  // others.
  Frame first;
  const auto note = [&](std::size_t start, Codec codec) {
    if (start < first.start) first = {start, codec};
  };
  // Each search needs to go no further than the best one found so far.
  const auto find = [&](char byte, std::size_t at) { return view.substr(0, first.start).find(byte, at); };
  constexpr auto npos = std::string_view::npos;
  for (std::size_t at = find('\xfd', from + 3); at != npos; at = find('\xfd', at + 1))
    if (view.substr(at - 3, 3) == "\x28\xb5\x2f") note(at - 3, Codec::zstd);
  for (std::size_t at = find('\x18', from + 3); at != npos; at = find('\x18', at + 1))
    if (view.substr(at - 3, 3) == "\x04\x22\x4d") note(at - 3, Codec::lz4);
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
    case Codec::lz4:
      return unpack_lz4(input, spend, sink);
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
  return codec == Codec::zstd ? zstd_frame_size(input) : codec == Codec::lz4 ? lz4_frame_size(input) : 0;
}

unsigned Unpacker::dictionary_id(Codec codec, std::string_view frame) {
  if (codec == Codec::zstd) return ZSTD_getDictID_fromFrame(frame.data(), frame.size());
  return codec == Codec::lz4 ? lz4_dictionary_id(frame) : 0;
}

Unpacked Unpacker::unpack_zstd(std::string_view input, const Spend& spend, const PieceSink& sink) {
  if (contexts_->zstd == nullptr) contexts_->zstd = ZSTD_createDCtx();
  if (contexts_->zstd == nullptr) throw std::bad_alloc();
  ZSTD_DCtx_reset(contexts_->zstd, ZSTD_reset_session_only);
  const unsigned id = ZSTD_getDictID_fromFrame(input.data(), input.size());
  const auto* const dictionary = id == 0 || dictionaries_ == nullptr ? nullptr : dictionaries_->find(id);
  ZSTD_DCtx_refDDict(contexts_->zstd, dictionary == nullptr ? nullptr : dictionary->zstd.get());
  Output output(spend, sink);
  Unpacked result;
  result.no_dictionary = id != 0 && dictionary == nullptr && zstd_frame_size(input) > 0;
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

Unpacked Unpacker::unpack_lz4(std::string_view input, const Spend& spend, const PieceSink& sink) {
  if (contexts_->lz4 == nullptr && LZ4F_isError(LZ4F_createDecompressionContext(&contexts_->lz4, LZ4F_VERSION)) != 0) {
    throw std::bad_alloc();
  }
  LZ4F_resetDecompressionContext(contexts_->lz4);
  LZ4F_frameInfo_t info{};
  std::size_t at = input.size();
  if (LZ4F_isError(LZ4F_getFrameInfo(contexts_->lz4, &info, input.data(), &at)) != 0) return {};
  const auto* const known = info.dictID == 0 || dictionaries_ == nullptr ? nullptr : dictionaries_->find(info.dictID);
  const std::string_view dictionary = known == nullptr ? std::string_view() : known->bytes;
  Output output(spend, sink);
  Unpacked result;
  result.no_dictionary = info.dictID != 0 && known == nullptr && lz4_frame_size(input) > 0;
  while (true) {
    const auto [room, size] = output.room();
    if (size == 0) break;
    std::size_t produced = size, consumed = input.size() - at;
    const std::size_t status = LZ4F_decompress_usingDict(contexts_->lz4, room, &produced, input.data() + at, &consumed,
                                                         dictionary.data(), dictionary.size(), nullptr);
    if (LZ4F_isError(status) != 0) break;
    output.produced(produced);
    at += consumed;
    result.complete = status == 0;
    result.cut = status != 0 && at == input.size() && produced < size;
    if (result.complete || result.cut) break;
  }
  result.consumed = at;
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
