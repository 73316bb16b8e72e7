#include "cassettes/file/body_codec.h"

#include <zdict.h>
#include <zstd.h>

#include <new>

#include "cassettes/file/connection.h"
#include "cassettes/file/lz4_frame.h"

namespace tapedeck::cassettes {

namespace {

// Measured on generated JSON of 2 kB with a dictionary: level 9 gains 1 % over level 3, at a seventh of its speed.
constexpr int level = 3;
// Beyond this size a dictionary gives nothing.
constexpr std::size_t large_body = 1u << 20;

constexpr std::size_t fewest_samples = 32;
constexpr std::size_t least_sample_bytes = 64u << 10;
constexpr std::size_t largest_dictionary = 32u << 10;
// A dictionary is worth its room only where bodies are small.
constexpr std::size_t largest_mean_body = 32u << 10;

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  void operator()(ZSTD_CDict* dictionary) const { ZSTD_freeCDict(dictionary); }
  void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
};

template <class T>
using Zstd = std::unique_ptr<T, FreeZstd>;

std::size_t packed_size(const std::vector<std::string>& bodies, std::string_view dictionary) {
  BodyPacker packer(Packing::small, dictionary);
  std::size_t size = 0;
  for (const std::string& body : bodies) size += packer.pack(body).bytes.size();
  return size;
}

}  // namespace

std::string train_dictionary(const std::vector<std::string>& samples) {
  std::string joined;
  std::vector<std::size_t> sizes;
  for (const std::string& sample : samples) {
    joined += sample;
    sizes.push_back(sample.size());
  }
  if (samples.size() < fewest_samples || joined.size() < least_sample_bytes ||
      joined.size() / samples.size() > largest_mean_body) {
    return {};
  }
  std::string dictionary(std::min(largest_dictionary, joined.size() / 16), '\0');
  const std::size_t size = ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), joined.data(), sizes.data(),
                                                 static_cast<unsigned>(sizes.size()));
  // Samples that have nothing in common make none.
  if (ZDICT_isError(size)) return {};
  dictionary.resize(size);
  return packed_size(samples, dictionary) + size < packed_size(samples, {}) ? dictionary : std::string();
}

struct BodyPacker::Impl {
  Zstd<ZSTD_CCtx> context{ZSTD_createCCtx()};
  Zstd<ZSTD_CDict> dictionary;
  std::unique_ptr<Lz4Packer> lz4;
  bool has_dictionary = false;
  std::string buffer;

  [[nodiscard]] std::string_view pack_zstd(std::string_view body, bool with_dictionary);
};

BodyPacker::BodyPacker(Packing packing, std::string_view dictionary) : impl_(std::make_unique<Impl>()) {
  impl_->has_dictionary = !dictionary.empty();
  if (packing == Packing::fast) {
    const unsigned id = ZSTD_getDictID_fromDict(dictionary.data(), dictionary.size());
    impl_->lz4 = std::make_unique<Lz4Packer>(dictionary, id);
    return;
  }
  if (!impl_->context) throw std::bad_alloc();
  if (!dictionary.empty()) {
    impl_->dictionary.reset(ZSTD_createCDict(dictionary.data(), dictionary.size(), level));
    if (!impl_->dictionary) throw std::bad_alloc();
  }
}

BodyPacker::~BodyPacker() = default;
BodyPacker::BodyPacker(BodyPacker&&) noexcept = default;

std::string_view BodyPacker::Impl::pack_zstd(std::string_view body, bool with_dictionary) {
  buffer.resize(ZSTD_compressBound(body.size()));
  const std::size_t size =
      with_dictionary ? ZSTD_compress_usingCDict(context.get(), buffer.data(), buffer.size(), body.data(), body.size(),
                                                 dictionary.get())
                      : ZSTD_compressCCtx(context.get(), buffer.data(), buffer.size(), body.data(), body.size(), level);
  return ZSTD_isError(size) ? std::string_view() : std::string_view(buffer).substr(0, size);
}

BodyPacker::Packed BodyPacker::pack(std::string_view body) {
  const bool with_dictionary = impl_->has_dictionary && body.size() < large_body;
  const std::string_view packed =
      impl_->lz4 ? impl_->lz4->pack(body, with_dictionary, impl_->buffer) : impl_->pack_zstd(body, with_dictionary);
  if (packed.empty() || packed.size() >= body.size()) return {BodyEncoding::plain, body};
  if (impl_->lz4) return {with_dictionary ? BodyEncoding::lz4_dictionary : BodyEncoding::lz4, packed};
  return {with_dictionary ? BodyEncoding::zstd_dictionary : BodyEncoding::zstd, packed};
}

struct BodyDictionary::Impl {
  std::string bytes;
  Zstd<ZSTD_DDict> zstd;
};

BodyDictionary::BodyDictionary(std::string bytes) {
  // Zero is what raw bytes without the dictionary's header have.
  const bool has_header = ZSTD_getDictID_fromDict(bytes.data(), bytes.size()) != 0;
  Zstd<ZSTD_DDict> zstd(has_header ? ZSTD_createDDict(bytes.data(), bytes.size()) : nullptr);
  if (!zstd) throw Damage("its dictionary cannot be read");
  impl_ = std::make_unique<const Impl>(Impl{std::move(bytes), std::move(zstd)});
}

BodyDictionary::~BodyDictionary() = default;

struct BodyUnpacker::Impl {
  Zstd<ZSTD_DCtx> context{ZSTD_createDCtx()};
  std::shared_ptr<const BodyDictionary> dictionary;
  Lz4Unpacker lz4;

  [[nodiscard]] std::string unpack_zstd(std::string_view frame, std::uint64_t size, bool with_dictionary);
};

BodyUnpacker::BodyUnpacker(std::shared_ptr<const BodyDictionary> dictionary) : impl_(std::make_unique<Impl>()) {
  if (!impl_->context) throw std::bad_alloc();
  impl_->dictionary = std::move(dictionary);
}

BodyUnpacker::~BodyUnpacker() = default;
const std::shared_ptr<const BodyDictionary>& BodyUnpacker::dictionary() const { return impl_->dictionary; }
BodyUnpacker::BodyUnpacker(BodyUnpacker&&) noexcept = default;
BodyUnpacker& BodyUnpacker::operator=(BodyUnpacker&&) noexcept = default;

std::string BodyUnpacker::Impl::unpack_zstd(std::string_view frame, std::uint64_t size, bool with_dictionary) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) {
    throw Damage("a body has another size than it says");
  }
  std::string body(size, '\0');
  const std::size_t got =
      with_dictionary ? ZSTD_decompress_usingDDict(context.get(), body.data(), body.size(), frame.data(), frame.size(),
                                                   dictionary->impl_->zstd.get())
                      : ZSTD_decompressDCtx(context.get(), body.data(), body.size(), frame.data(), frame.size());
  if (ZSTD_isError(got) || got != size) throw Damage("a body cannot be decompressed");
  return body;
}

std::string BodyUnpacker::unpack(BodyEncoding encoding, std::string_view bytes, std::uint64_t size) {
  if (encoding == BodyEncoding::plain) {
    if (bytes.size() != size) throw Damage("a body has another size than it says");
    return std::string(bytes);
  }
  const bool with_dictionary = uses_dictionary(encoding);
  if (with_dictionary && !impl_->dictionary) throw Damage("a body's dictionary is not there");
  const bool zstd = encoding == BodyEncoding::zstd || encoding == BodyEncoding::zstd_dictionary;
  if (zstd) return impl_->unpack_zstd(bytes, size, with_dictionary);
  return impl_->lz4.unpack(bytes, size, with_dictionary ? impl_->dictionary->impl_->bytes : std::string_view());
}

}  // namespace tapedeck::cassettes
