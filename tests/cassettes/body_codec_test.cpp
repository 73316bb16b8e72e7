// Bodies at rest, in each of their encodings.

#include "cassettes/file/body_codec.h"

#include <catch2/catch.hpp>

#include "cassettes/file/connection.h"

using namespace tapedeck::cassettes;

namespace {

std::string json_body(std::size_t size, unsigned seed) {
  std::string body = R"({"success":true,"data":{"firmware":"7.2-64570","timezone":"Etc/UTC","uptime":86400,)"
                     R"("temperature_warning":false,"support_esata":"no","total":1,"offset":0,"items":[)";
  while (body.size() < size) {
    seed = seed * 1664525u + 1013904223u;
    body += R"({"name":"volume_)" + std::to_string(seed >> 12) + R"(","status":"normal"},)";
  }
  body.resize(size);
  return body;
}

std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  unsigned seed = 7;
  for (char& c : bytes) c = static_cast<char>((seed = seed * 1664525u + 1013904223u) >> 24);
  return bytes;
}

const std::string& dictionary() {
  static const std::string trained = [] {
    std::vector<std::string> samples;
    for (unsigned i = 0; i < 400; ++i) samples.push_back(json_body(400, i));
    return train_dictionary(samples);
  }();
  return trained;
}

BodyUnpacker unpacker_with(const std::string& bytes) {
  return BodyUnpacker(bytes.empty() ? nullptr : std::make_shared<const BodyDictionary>(bytes));
}

}  // namespace

TEST_CASE("body codec: every body comes back, packed small or fast, with and without a dictionary") {
  const auto packing = GENERATE(Packing::small, Packing::fast);
  const std::string with = GENERATE(std::string(), dictionary());
  const std::size_t size = GENERATE(1u, 40u, 2000u, 65535u, 65536u, 65537u, 1u << 20, 5u << 20);
  CAPTURE(static_cast<int>(packing), with.size(), size);
  BodyPacker packer(packing, with);
  BodyUnpacker unpacker = unpacker_with(with);
  for (const std::string& body : {json_body(size, 1), noise(size), std::string(size, 'a'), json_body(size, 2)}) {
    const auto packed = packer.pack(body);
    CHECK(packed.bytes.size() <= body.size());
    CHECK((unpacker.unpack(packed.encoding, packed.bytes, size) == body));
  }
}

TEST_CASE("body codec: the encoding says what a body was packed with") {
  const auto encoding = [](Packing packing, const std::string& with, const std::string& body) {
    return BodyPacker(packing, with).pack(body).encoding;
  };
  REQUIRE_FALSE(dictionary().empty());
  const std::string body = json_body(3000, 1);
  CHECK(encoding(Packing::small, {}, body) == BodyEncoding::zstd);
  CHECK(encoding(Packing::small, dictionary(), body) == BodyEncoding::zstd_dictionary);
  CHECK(encoding(Packing::fast, {}, body) == BodyEncoding::lz4);
  CHECK(encoding(Packing::fast, dictionary(), body) == BodyEncoding::lz4_dictionary);
  CHECK(encoding(Packing::fast, dictionary(), json_body(1u << 20, 1)) == BodyEncoding::lz4);
  CHECK(encoding(Packing::fast, dictionary(), noise(3000)) == BodyEncoding::plain);
}

TEST_CASE("body codec: what is not exactly one frame of the stated size is damage") {
  const auto packing = GENERATE(Packing::small, Packing::fast);
  const std::size_t size = GENERATE(3000u, 200'000u);
  BodyUnpacker unpacker = unpacker_with(dictionary());
  BodyPacker packer(packing, dictionary());
  const auto packed = packer.pack(json_body(size, 1));
  const std::string frame(packed.bytes);
  const auto damaged = [&](std::string_view bytes, std::uint64_t stated) {
    CHECK_THROWS_AS(unpacker.unpack(packed.encoding, bytes, stated), Damage);
  };
  damaged(frame, size - 1);
  damaged(frame, size + 1);
  damaged(frame, 0);
  damaged(frame + "x", size);
  damaged({}, size);
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{4}, std::size_t{10}, frame.size() / 2, frame.size() - 1}) {
    damaged(std::string_view(frame).substr(0, length), size);
  }
  CHECK_THROWS_AS(BodyUnpacker(nullptr).unpack(packed.encoding, frame, size), Damage);
  CHECK_THROWS_AS(BodyDictionary("raw bytes without its header"), Damage);
  // And it still unpacks a good one.
  CHECK((unpacker.unpack(packed.encoding, frame, size) == json_body(size, 1)));
}

TEST_CASE("body codec: a changed byte gives damage or a body of the stated size") {
  const auto packing = GENERATE(Packing::small, Packing::fast);
  constexpr std::size_t size = 3000;
  BodyUnpacker unpacker = unpacker_with(dictionary());
  BodyPacker packer(packing, dictionary());
  const auto packed = packer.pack(json_body(size, 1));
  std::size_t refused = 0;
  for (std::size_t at = 0; at < packed.bytes.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      std::string frame(packed.bytes);
      frame[at] = static_cast<char>(frame[at] ^ flip);
      try {
        const std::string body = unpacker.unpack(packed.encoding, frame, size);
        CHECK(body.size() == size);
      } catch (const Damage&) {
        ++refused;
      }
    }
  }
  CHECK(refused > packed.bytes.size() / 10);
}
