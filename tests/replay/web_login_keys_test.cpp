// The parts of the web login: Noise with published test vectors, the RSA key, and the hashes of requests.

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/text.h"
#include "replay/weblogin/channel.h"
#include "replay/weblogin/rsa_key.h"
#include "replay/weblogin/server_keys.h"
#include "tests/replay/web_login_client.h"

namespace tapedeck::replay::weblogin {
namespace {

/// A published vector of flynn/noise (vectors.txt). The keys are the same in all of them; `later` are the messages
/// after the handshake, the first one of the client.
struct Vector {
  Pattern pattern;
  std::string_view prologue, payload, message_1, message_2;
  std::vector<std::pair<std::string_view, std::string_view>> later;
};

const std::vector<Vector> vectors = {
    {Pattern::ik,
     "",
     "",
     "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd16625471316e70ec2670fe80a4529101864a5dac3d5f9c0924e8d38"
     "c"
     "ecd60c54adbaa284b6111d7779c4ee7bb9c56da492e5a80972d99ccbf7d9068e6e90a7a73a01e9",
     "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d484666953a0bb0be9e3cb75769d93c5a16090",
     {{"79656c6c6f777375626d6172696e65", "dc52cf04c64e4b750c00444789e41cb1abe496381a2d1b42303b231e809437"},
      {"7375626d6172696e6579656c6c6f77", "4e39fa2317aba599efd3f7a7ca1de12dfae13bc630cc8768ce6326894fb250"}}},
    {Pattern::ik,
     "6e6f74736563726574",
     "",
     "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd16625471316e70ec2670fe80a4529101864a5dac3d5f9c0924e8d38"
     "c"
     "ecd60c54adbaa2f602a28ed62afc1421fb6217fa8bb34ec2ffe02e3cde39a920ebf369ebc4d7e2",
     "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d484662b2ab0ecf235887681b76ad519b29032",
     {{"79656c6c6f777375626d6172696e65", "dc52cf04c64e4b750c00444789e41cb1abe496381a2d1b42303b231e809437"},
      {"7375626d6172696e6579656c6c6f77", "4e39fa2317aba599efd3f7a7ca1de12dfae13bc630cc8768ce6326894fb250"}}},
    {Pattern::kk,
     "",
     "",
     "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd1662540add9701c614f83639fc5b8469a824e1",
     "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d48466adae6f9cdefe2c94ee03225c37604b0a",
     {{"79656c6c6f777375626d6172696e65", "3dc2f873e6658db54bb9c572f74b4c1cf45ad75c65239938a138836f952884"},
      {"7375626d6172696e6579656c6c6f77", "8e3bc17a298d558e3a06e40efb7b7fb5c96c4aa1d5e4d5f787d2515e14b998"}}},
    {Pattern::kk,
     "6e6f74736563726574",
     "",
     "358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd1662543e047c5ed566988814daa1e9e4605341",
     "64b101b1d0be5a8704bd078f9895001fc03e8e9f9522f188dd128d9846d484664938a09e1060496bb538cb5f75115a31",
     {{"79656c6c6f777375626d6172696e65", "3dc2f873e6658db54bb9c572f74b4c1cf45ad75c65239938a138836f952884"},
      {"7375626d6172696e6579656c6c6f77", "8e3bc17a298d558e3a06e40efb7b7fb5c96c4aa1d5e4d5f787d2515e14b998"}}},
};

const KeyPair& vector_client() {
  static const KeyPair pair = key_pair(bytes_of("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"));
  return pair;
}
const KeyPair& vector_client_ephemeral() {
  static const KeyPair pair = key_pair(bytes_of("202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"));
  return pair;
}
ResponderKeys vector_responder(Pattern pattern) {
  ResponderKeys keys{key_pair(bytes_of("0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20")),
                     key_pair(bytes_of("4142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f60")),
                     {}};
  if (pattern == Pattern::kk) keys.client_key = vector_client().public_key;
  return keys;
}

TEST_CASE("web login: both sides agree with the published vectors of IK and KK") {
  for (const Vector& one : vectors) {
    CAPTURE(protocol_of(one.pattern), one.prologue);
    const ResponderKeys keys = vector_responder(one.pattern);
    const std::string prologue = bytes_of(one.prologue);
    Initiator client(one.pattern, vector_client(), vector_client_ephemeral(), keys.own.public_key, prologue);
    CHECK(base::to_hex(client.write(bytes_of(one.payload))) == one.message_1);
    const auto done = respond(one.pattern, keys, bytes_of(one.message_1), prologue);
    REQUIRE(done);
    CHECK(base::to_hex(done->message) == one.message_2);
    CHECK(done->client_key == vector_client().public_key);
    CHECK(done->payload == bytes_of(one.payload));
    REQUIRE(client.read(done->message));
    CHECK(client.hash() == done->hash);
    CHECK(client.keys() == std::pair(done->client_cipher_key, done->responder_cipher_key));
    CHECK(base::to_hex(seal(done->client_cipher_key, 0, {}, bytes_of(one.later[0].first))) == one.later[0].second);
    CHECK(unseal(done->responder_cipher_key, 0, {}, bytes_of(one.later[1].second)) == bytes_of(one.later[1].first));
  }
}

/// A vector with payloads (cacophony, as published with several libraries).
TEST_CASE("web login: agrees with a published vector of KK that has payloads and a handshake hash") {
  const KeyPair client = key_pair(bytes_of("e61ef9919cde45dd5f82166404bd08e38bceb5dfdfded0a34c8df7ed542214d1"));
  const ResponderKeys keys{key_pair(bytes_of("4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893")),
                           key_pair(bytes_of("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b")),
                           client.public_key};
  CHECK(base::to_hex(client.public_key) == "6bc3822a2aa7f4e6981d6538692b3cdf3e6df9eea6ed269eb41d93c22757b75a");
  const auto done = respond(Pattern::kk, keys,
                            bytes_of("ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944f79a1d4b21fc3ea4"
                                     "a0c87213b8b4f05921228879fb74ea0d39ffc64619dc9658"),
                            "Prologue123");
  REQUIRE(done);
  CHECK(done->payload == bytes_of("4c756477696720766f6e204d69736573"));
  CHECK(base::to_hex(done->message.substr(0, key_size)) ==
        "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843");
}

TEST_CASE("web login: a message with any changed, missing, or additional byte is refused") {
  for (const Pattern pattern : {Pattern::ik, Pattern::kk}) {
    const ResponderKeys keys = vector_responder(pattern);
    Initiator client(pattern, vector_client(), vector_client_ephemeral(), keys.own.public_key);
    const std::string message = client.write(R"({"time":1700000000})");
    REQUIRE(respond(pattern, keys, message));
    for (std::size_t i = 0; i < message.size(); ++i) {
      CAPTURE(protocol_of(pattern), i);
      std::string changed = message;
      changed[i] = static_cast<char>(changed[i] ^ 1);
      CHECK_FALSE(respond(pattern, keys, changed));
      CHECK_FALSE(respond(pattern, keys, message.substr(0, i)));
    }
    CHECK_FALSE(respond(pattern, keys, message + "x"));
    CHECK_FALSE(respond(pattern, keys, message, "a prologue"));
    CHECK_FALSE(respond(pattern == Pattern::ik ? Pattern::kk : Pattern::ik, keys, message));
    ResponderKeys other = keys;
    other.own = key_pair(std::string(key_size, '\x05'));
    CHECK_FALSE(respond(pattern, other, message));
  }
  // Keys of low order have no common secret.
  CHECK_FALSE(respond(Pattern::ik, vector_responder(Pattern::ik), std::string(96, '\0')));
}

TEST_CASE("web login: reads base64 of either alphabet with and without padding") {
  CHECK(to_base64url("\xfb\xff") == "-_8");
  for (const char* const text : {"-_8", "-_8=", "+/8", "+/8="}) CHECK(from_base64url(text) == "\xfb\xff");
  CHECK(from_base64url("") == "");
  for (const char* const text : {"A", "A===", "%%", "AA A", "AAAA\n"}) CHECK_FALSE(from_base64url(text));
}

Handshake handshake_of(Initiator& client, const ResponderKeys& keys) {
  auto done = respond(Pattern::ik, keys, client.write("{}"));
  REQUIRE(done);
  REQUIRE(client.read(done->message));
  return *done;
}

TEST_CASE("web login: accepts each hash of a request once, in any order within the window") {
  const ResponderKeys keys = vector_responder(Pattern::ik);
  Initiator client(Pattern::ik, vector_client(), vector_client_ephemeral(), keys.own.public_key);
  Channel channel;
  CHECK_FALSE(channel.is_open());
  CHECK(channel.client_key().empty());
  channel.open(handshake_of(client, keys));
  CHECK(channel.is_open());
  CHECK(channel.client_key() == vector_client().public_key);

  CHECK(client.request_hash(0).ends_with(".MA"));
  for (const std::uint64_t counter : {0, 2, 1, 5, 3}) CHECK(channel.accepts(client.request_hash(counter)));
  for (const std::uint64_t counter : {0, 1, 2, 3, 5}) CHECK_FALSE(channel.accepts(client.request_hash(counter)));
  CHECK(channel.accepts(client.request_hash(4)));
  CHECK(channel.accepts(client.request_hash(Channel::window + 9)));
  CHECK(channel.accepts(client.request_hash(10)));
  CHECK_FALSE(channel.accepts(client.request_hash(9)));  // older than the window
  CHECK_FALSE(channel.accepts(client.request_hash(10)));
  CHECK(channel.accepts(client.request_hash(1'000'000'000'000)));
  CHECK_FALSE(channel.accepts(client.request_hash(UINT64_MAX)));
}

TEST_CASE("web login: refuses a hash with any other text, of another handshake, and of an earlier one") {
  const ResponderKeys keys = vector_responder(Pattern::ik);
  Initiator client(Pattern::ik, vector_client(), vector_client_ephemeral(), keys.own.public_key);
  Initiator other(Pattern::ik, vector_client(), key_pair(std::string(key_size, '\x07')), keys.own.public_key);
  Channel channel;
  channel.open(handshake_of(client, keys));
  const Handshake next = handshake_of(other, keys);
  const std::string hash = client.request_hash(7);
  for (std::size_t i = 0; i < hash.size(); ++i) {
    std::string changed = hash;
    // The last character of a base64 text has bits that do not count, so it becomes one that differs in all bits.
    changed[i] = changed[i] == '.'
                     ? '-'
                     : base::base64url_alphabet[63 - static_cast<std::size_t>(base::base64_value(changed[i]))];
    CAPTURE(i, changed);
    CHECK_FALSE(channel.accepts(changed));
    CHECK_FALSE(channel.accepts(hash.substr(0, i)));
  }
  CHECK_FALSE(channel.accepts(other.request_hash(7)));
  CHECK_FALSE(channel.accepts(hash.substr(0, hash.find('.')) + "." + to_base64url("+7")));
  CHECK(channel.accepts(hash));
  channel.open(next);
  CHECK_FALSE(channel.accepts(client.request_hash(8)));
  CHECK(channel.accepts(other.request_hash(0)));
}

/// Keys that several cases share, because computing an RSA key takes a tenth of a second.
const ServerKeys& some_keys() {
  static const ServerKeys keys("0123456789abcdef");
  return keys;
}
const ServerKeys& other_keys() {
  static const ServerKeys keys("0123456789abcdeg");
  return keys;
}

TEST_CASE("web login: the RSA key is the same for equal seeds and decrypts 501 bytes") {
  const ServerKeys &keys = some_keys(), &other = other_keys();
  const ServerKeys same("0123456789abcdef");
  const RsaKey& key = keys.rsa_key();
  const std::string modulus = key.public_key("00c0ffee");
  CHECK(modulus.size() == 1024);
  CHECK(modulus.front() >= '8');
  CHECK(modulus == same.rsa_key().public_key());
  CHECK(modulus != other.rsa_key().public_key());
  CHECK(keys.ssid() == same.ssid());
  CHECK(keys.ssid() != other.ssid());
  CHECK(from_base64url(keys.ssid()) == keys.static_key().public_key);

  const std::string passphrase(501, 'p');
  const std::string encrypted = encrypt_for(key.public_key(), passphrase);
  CHECK(key.decrypt(encrypted) == passphrase);
  CHECK_FALSE(other.rsa_key().decrypt(encrypted) == passphrase);
  CHECK_FALSE(key.decrypt("short"));
  CHECK_FALSE(key.decrypt(std::string(512, '\xff')));
}

TEST_CASE("web login: the public key has the form of the recorded one") {
  const RsaKey& key = some_keys().rsa_key();
  const std::string hex = key.public_key();
  std::string upper = hex;
  std::transform(upper.begin(), upper.end(), upper.begin(), base::upper);
  CHECK(key.public_key("00AFFE") == upper);
  CHECK(key.public_key("0123") == hex);
  CHECK(key.public_key("not a key") == hex);
  const std::string base64 = key.public_key("MIICIjANBgkqhkiG9w0BAQEFAAOCAg8A==");
  CHECK(base64.starts_with("MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA"));
  const std::string pem = key.public_key("-----BEGIN PUBLIC KEY-----\nMIIC\n-----END PUBLIC KEY-----\n");
  CHECK(pem.starts_with("-----BEGIN PUBLIC KEY-----\nMIICIjAN"));
  std::string joined = pem;
  base::replace_all(joined, "\n", "");
  CHECK(joined == "-----BEGIN PUBLIC KEY-----" + base64 + "-----END PUBLIC KEY-----");
}

TEST_CASE("web login: reads the form in an encrypted login, and nothing else") {
  const RsaKey& key = some_keys().rsa_key();
  const std::string form = "account=visitor&passwd=Zx9-made-up!7&__cIpHeRtOkEn=1700000000", passphrase(501, '~');
  const std::string rsa = base::base64_form(encrypt_for(key.public_key(), passphrase));
  const std::string aes = base::base64_form(salted(form, passphrase));
  const std::string value = R"({"rsa": ")" + rsa + R"(", "aes": ")" + aes + "\"}";
  CHECK(is_encrypted_form(value));
  CHECK(decrypted_form(value, key) == form);
  // JavaScript libraries may escape the slash.
  std::string escaped = value;
  base::replace_all(escaped, "/", "\\/");
  CHECK(decrypted_form(escaped, key) == form);
  CHECK_FALSE(decrypted_form(value, other_keys().rsa_key()));
  CHECK_FALSE(decrypted_form(R"({"rsa":")" + rsa + R"(","aes":"bWFkZSB1cA=="})", key));
  CHECK_FALSE(decrypted_form(R"({"rsa":"bWFkZSB1cA==","aes":")" + aes + "\"}", key));
  for (const char* const text : {"", "bWFkZSB1cA==", "{}", R"({"rsa":"AA=="})", R"({"rsa":1,"aes":2})"}) {
    CHECK_FALSE(is_encrypted_form(text));
    CHECK_FALSE(decrypted_form(text, key));
  }
}

}  // namespace
}  // namespace tapedeck::replay::weblogin
