#include "scrubbers/private/addresses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/text.h"

namespace tapedeck::scrubbers {
namespace {

template <std::size_t N>
std::string_view bytes_of(const std::array<std::uint8_t, N>& address) {
  return {reinterpret_cast<const char*>(address.data()), N};
}

bool bit_of(const std::uint8_t* bytes, unsigned at) { return (bytes[at / 8] >> (7 - at % 8) & 1) != 0; }

/// Implements Crypto-PAn: whether a bit is inverted depends on the key and on all bits before it, so two addresses with
/// a common prefix have pseudonyms with a common prefix of the same length.
template <std::size_t N>
std::array<std::uint8_t, N> prefix_permuted(const std::array<std::uint8_t, N>& address, unsigned fixed_bits,
                                            std::string_view domain, const KeyedBits& bits) {
  std::array<std::uint8_t, N> result = address;
  for (unsigned at = fixed_bits; at < N * 8; ++at) {
    std::array<std::uint8_t, N> prefix{};
    for (unsigned i = 0; i < at; ++i) {
      if (bit_of(address.data(), i)) prefix[i / 8] |= static_cast<std::uint8_t>(0x80u >> i % 8);
    }
    std::string seed(domain);
    seed.append(1, static_cast<char>(at)).append(bytes_of(prefix));
    if ((bits(seed)[0] & 1) != 0) result[at / 8] ^= static_cast<std::uint8_t>(0x80u >> at % 8);
  }
  return result;
}

template <std::size_t N>
std::array<std::uint8_t, 32> drawn(const std::array<std::uint8_t, N>& address, std::string_view domain,
                                   unsigned attempt, const KeyedBits& bits) {
  std::string seed(domain);
  seed.append(bytes_of(address)).append(1, static_cast<char>(attempt)).append(1, static_cast<char>(attempt >> 8));
  return bits(seed);
}

bool is_mask(const Ipv4& address) {
  std::uint32_t number = 0;
  for (const std::uint8_t byte : address) number = number << 8 | byte;
  return (number & 0x80000000u) != 0 && ((~number + 1) & ~number) == 0;
}

template <class Address>
std::optional<Address> address_in(int family, std::string_view text) {
  Address address{};
  if (text.size() >= INET6_ADDRSTRLEN || text.find('\0') != std::string_view::npos) return std::nullopt;
  return inet_pton(family, std::string(text).c_str(), address.data()) == 1 ? std::optional(address) : std::nullopt;
}

}  // namespace

std::optional<Ipv4> parse_ipv4(std::string_view text) { return address_in<Ipv4>(AF_INET, text); }

std::optional<Ipv6> parse_ipv6(std::string_view text) { return address_in<Ipv6>(AF_INET6, text); }

std::optional<Mac> parse_mac(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (base::is_hex(c)) digits += c;
  }
  if (digits.size() != 12) return std::nullopt;
  const bool bare = text.size() == 12;
  const auto separated = [text](std::size_t every, std::string_view marks) {
    if (marks.find(text[every]) == std::string_view::npos) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if ((i % (every + 1) == every) != (text[i] == text[every])) return false;
    }
    return true;
  };
  if (!bare && !(text.size() == 17 && separated(2, ":-")) && !(text.size() == 14 && separated(4, "."))) {
    return std::nullopt;
  }
  Mac address{};
  for (std::size_t i = 0; i < address.size(); ++i) {
    address[i] = static_cast<std::uint8_t>(base::hex_value(digits[2 * i]) << 4 | base::hex_value(digits[2 * i + 1]));
  }
  return address;
}

std::string written(const Ipv4& address) {
  std::string text;
  for (const std::uint8_t byte : address) text += (text.empty() ? "" : ".") + std::to_string(byte);
  return text;
}

std::string written(const Ipv6& address, std::string_view like) {
  const bool is_full = like.find("::") == std::string_view::npos;
  const bool is_upper = std::any_of(like.begin(), like.end(), base::is_upper);
  std::string text;
  if (is_full) {
    const bool is_padded = like.size() == 39;
    for (std::size_t i = 0; i < address.size(); i += 2) {
      std::string group;
      for (const std::uint8_t byte : {address[i], address[i + 1]}) base::append_hex(group, static_cast<char>(byte));
      while (!is_padded && group.size() > 1 && group.front() == '0') group.erase(0, 1);
      text += (i == 0 ? "" : ":") + group;
    }
  } else {
    std::array<char, INET6_ADDRSTRLEN> out{};
    inet_ntop(AF_INET6, address.data(), out.data(), out.size());
    text = out.data();
  }
  if (is_upper) std::transform(text.begin(), text.end(), text.begin(), base::upper);
  return text;
}

std::string written(const Mac& address, std::string_view like) {
  const bool is_upper = std::any_of(like.begin(), like.end(), base::is_upper);
  const std::string_view digits = is_upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string text(like);
  std::size_t nibble = 0;
  for (char& c : text) {
    if (!base::is_hex(c)) continue;
    const std::uint8_t byte = address[nibble / 2];
    c = digits[nibble % 2 == 0 ? byte >> 4 : byte & 15];
    ++nibble;
  }
  return text;
}

bool is_nobodys(const Ipv4& address) {
  return address[0] == 0 || address[0] == 127 || address[0] >= 224 || is_mask(address);
}

bool is_nobodys(const Ipv6& address) {
  const bool is_small = std::all_of(address.begin(), address.end() - 1, [](std::uint8_t byte) { return byte == 0; });
  return (is_small && address[15] <= 1) || address[0] == 0xff;
}

bool is_nobodys(const Mac& address) {
  return std::all_of(address.begin(), address.end(), [&](std::uint8_t byte) { return byte == address[0]; }) &&
         (address[0] == 0 || address[0] == 0xff);
}

std::optional<Ipv4> permuted(const Ipv4& address, const KeyedBits& bits) {
  const auto& [a, b, c, d] = address;
  const unsigned fixed = a == 10                                            ? 8u
                         : a == 172 && b >= 16 && b < 32                    ? 12u
                         : (a == 192 && b == 168) || (a == 169 && b == 254) ? 16u
                                                                            : 0u;
  if (fixed == 0) return std::nullopt;
  return prefix_permuted(address, fixed, "ipv4 ", bits);
}

std::optional<Ipv6> permuted(const Ipv6& address, const KeyedBits& bits) {
  if ((address[0] & 0xfe) == 0xfc) return prefix_permuted(address, 8, "ipv6 ", bits);
  if (address[0] == 0xfe && (address[1] & 0xc0) == 0x80) return prefix_permuted(address, 64, "ipv6 ", bits);
  return std::nullopt;
}

Ipv4 stand_in(const Ipv4& address, unsigned attempt, const KeyedBits& bits) {
  const auto random = drawn(address, "public ipv4 ", attempt, bits);
  return {198, static_cast<std::uint8_t>(18 + (random[0] & 1)), random[1], random[2]};
}

Ipv6 stand_in(const Ipv6& address, unsigned attempt, const KeyedBits& bits) {
  const auto random = drawn(address, "public ipv6 ", attempt, bits);
  Ipv6 made{0x20, 0x01, 0x0d, 0xb8};
  std::copy_n(random.begin(), made.size() - 4, made.begin() + 4);
  return made;
}

Mac stand_in(const Mac& address, unsigned attempt, const KeyedBits& bits) {
  const auto random = drawn(address, "mac ", attempt, bits);
  Mac made{};
  std::copy_n(random.begin(), made.size(), made.begin());
  made[0] = static_cast<std::uint8_t>((made[0] & 0xfcu) | 0x02u);
  return made;
}

}  // namespace tapedeck::scrubbers
