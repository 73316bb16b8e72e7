#include <algorithm>

#include "base/base64.h"
#include "base/digest.h"
#include "base/text.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::string_view digit_alphabet = "0123456789";
constexpr std::string_view lower_hex = "0123456789abcdef";
constexpr std::string_view upper_hex = "0123456789ABCDEF";
constexpr std::string_view alnum = base::base64_alphabet.substr(0, 62);

bool only(std::string_view value, std::string_view alphabet) {
  return value.find_first_not_of(alphabet) == std::string_view::npos;
}

bool is_uuid(std::string_view value) {
  if (value.size() != 36) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? value[i] != '-' : lower_hex.find(value[i]) == std::string_view::npos) return false;
  }
  return true;
}

std::string_view alphabet_name(std::string_view value) {
  if (only(value, digit_alphabet)) return "digit";
  if (only(value, lower_hex)) return "hex";
  if (only(value, upper_hex)) return "HEX";
  if (is_uuid(value)) return "uuid";
  if (only(value, alnum)) return "alnum";
  if (only(value, base::base64url_alphabet)) return "base64url";
  if (only(value, std::string(base::base64_alphabet) + "=")) return "base64";
  return "text";
}

// Returns characters that need no escape in JSON, queries, or HTML, so that a replacement can be written anywhere.
std::string_view alphabet_of(std::string_view name) {
  if (name == "digit") return digit_alphabet;
  if (name == "hex" || name == "uuid") return lower_hex;
  if (name == "HEX") return upper_hex;
  if (name == "base64url") return base::base64url_alphabet;
  if (name == "base64") return base::base64_alphabet;
  return alnum;
}

// An endless stream of bytes from a shape and a seed.
class SeededBytes {
 public:
  SeededBytes(std::string_view shape, std::string_view seed) : text_(shape) {
    text_ += '\0';
    text_ += seed;
  }
  std::uint8_t next() {
    if (used_ == block_.size()) {
      block_ = base::sha256(text_ + '\0' + std::to_string(counter_++));
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  std::string text_;
  base::Sha256 block_{};
  std::size_t used_ = std::tuple_size_v<base::Sha256>;
  std::uint64_t counter_ = 0;
};

// Returns a random character. Skips bytes at or above the largest multiple of the alphabet's size, so that all
// characters are equally likely.
char pick(SeededBytes& bytes, std::string_view alphabet) {
  const std::size_t limit = 256 - 256 % alphabet.size();
  std::size_t byte = bytes.next();
  while (byte >= limit) byte = bytes.next();
  return alphabet[byte % alphabet.size()];
}

}  // namespace

std::string shape_of(std::string_view value) {
  return std::to_string(value.size()) + ":" + std::string(alphabet_name(value));
}

std::string make_of_shape(std::string_view shape, std::string_view seed) {
  constexpr std::size_t longest = 1u << 20;  // limits the memory that an untrusted cassette can request
  const std::size_t colon = shape.find(':');
  const auto number = base::whole_number<std::size_t>(shape.substr(0, colon));
  if (!number) return {};
  const std::size_t length = std::min(*number, longest);
  const std::string_view name = colon == std::string_view::npos ? std::string_view("text") : shape.substr(colon + 1);
  const std::string_view alphabet = alphabet_of(name);
  SeededBytes bytes(shape, seed);
  std::string made(length, '\0');
  for (char& c : made) c = pick(bytes, alphabet);
  if (name == "uuid" && length == 36) made[8] = made[13] = made[18] = made[23] = '-';
  // A number in JSON must not begin with zero.
  if (name == "digit" && length > 1 && made[0] == '0') made[0] = '7';
  return made;
}

}  // namespace tapedeck::scrubbers
